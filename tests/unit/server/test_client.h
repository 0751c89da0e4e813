// SPDX-License-Identifier: MIT
// TestClient: the client side of a native session over a memory link, which records what it receives.
#pragma once

#include "net/connection.h"
#include "net/memory_transport.h"
#include "session/native/native_session.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline::server {

/// The end of one call as its caller received it.
struct ReceivedResponse {
  Status status;
  bool has_message = false;
  std::string payload;
  std::string_view compressor;
  Metadata leading;
  Metadata trailing;
  std::optional<std::chrono::milliseconds> pushback;
  /// Among the responses of the connection, from 0.
  std::size_t order = 0;
};

class TestClient final : public net::ConnectionHandler {
 public:
  explicit TestClient(bool ordered = false) { options_.ordered = ordered; }

  void start(std::unique_ptr<net::Transport> transport) {
    connection_ = std::make_shared<net::Connection>(std::move(transport), *this, net::ConnectionOptions{});
    connection_->start([this](session::SessionOwner& owner) {
      net::Loop& loop = connection_->loop();
      return session::native::make_native_session(session::Role::client, options_, loop.timers(), owner, loop.now());
    });
  }

  /// Begins a call with `payload` as a message of `codec`; "" for no message.
  session::CallId call(std::string_view method, std::string_view payload, std::string_view codec = "bytes",
                       session::CallStart start = {}) {
    start.method.name = method;
    session::OutgoingMessage message;
    if (!codec.empty()) message = {.codec = codecs_.find(codec), .payload = Slice::copy_of(payload)};
    message.compressor = compressor_;
    Result<session::CallId> id = connection_->session().start(start, message);
    connection_->flush_soon();
    return id.value();
  }
  void send(session::CallId id, std::string_view payload, bool end, std::string_view codec = "bytes") {
    const Status sent = connection_->session().send(
        id, {.codec = codecs_.find(codec), .compressor = compressor_, .payload = Slice::copy_of(payload)}, nullptr,
        end);
    if (!sent.is_ok()) throw StatusError(sent);
    connection_->flush_soon();
  }
  void cancel(session::CallId id) {
    connection_->session().cancel(id, StatusCode::cancelled);
    connection_->flush_soon();
  }
  /// Before start().
  void add_compressor(std::shared_ptr<const Compressor> compressor) { compressors_.add(std::move(compressor)); }
  /// Compresses the messages of the calls that follow.
  void compress_with(std::string_view name) { compressor_ = compressors_.find(name); }
  /// Withholds the credit of received messages until release_messages().
  void hold_messages() { holds_ = true; }
  void release_messages() {
    holds_ = false;
    for (const auto& [id, credit] : held_) connection_->session().release(id, credit);
    held_.clear();
    connection_->flush_soon();
  }
  void close() { connection_->close(Status()); }
  /// Takes no events from now on, and answers no pings, as a client does whose loop nobody runs.
  void fall_silent() { is_silent_ = true; }
  /// Ends the connection as a crash would.
  void reset() { connection_.reset(); }

  bool has(session::CallId id) const { return responses_.count(id) != 0; }
  const ReceivedResponse& response(session::CallId id) const { return responses_.at(id); }
  const ReceivedResponse& only_response() const { return responses_.begin()->second; }
  std::size_t response_count() const { return responses_.size(); }
  const std::vector<std::string>& messages(session::CallId id) { return messages_[id]; }
  /// Returns the compressor of the last message; "" if it was not compressed.
  std::string_view compressor_of_messages(session::CallId id) const { return compressors_of_messages_.at(id); }
  bool has_goaway() const { return going_away_; }
  bool is_closed() const { return closed_; }
  session::Session& session() { return connection_->session(); }

 private:
  void on_events(net::Connection& connection) override {
    session::Event event;
    while (!is_silent_ && connection.session().next(event)) {
      if (Status corrupt = connection.session().decompress(event); !corrupt.is_ok()) event.status = std::move(corrupt);
      take(event);
    }
  }
  void take(session::Event& event) {
    if (event.type == session::EventType::going_away) going_away_ = true;
    if (event.type == session::EventType::message) {
      for (const auto& entry : event.metadata) leading_[event.id].add(entry.name, entry.value);
      if (event.has_message && holds_) {
        event.is_retained = true;
        held_.emplace_back(event.id, event.credit);
      }
      if (event.has_message) messages_[event.id].emplace_back(as_text(event.payload));
      if (event.has_message) compressors_of_messages_[event.id] = name_of(event.compressor);
    }
    if (event.type == session::EventType::finished) {
      ReceivedResponse& received = responses_[event.id];
      received.order = responses_.size() - 1;
      received.status = event.status;
      received.has_message = event.has_message;
      received.payload = std::string(as_text(event.payload));
      received.compressor = name_of(event.compressor);
      received.leading = leading_[event.id];
      received.trailing = event.metadata;
      received.pushback = event.pushback;
    }
  }
  void on_closed(net::Connection&) override { closed_ = true; }
  static std::string_view name_of(const Compressor* compressor) noexcept {
    return compressor != nullptr ? compressor->name() : std::string_view();
  }

  CodecRegistry codecs_ = CodecRegistry::with_defaults();
  CompressorRegistry compressors_ = CompressorRegistry::with_defaults();
  session::SessionOptions options_{.codecs = &codecs_, .compressors = &compressors_};
  std::shared_ptr<net::Connection> connection_;
  std::map<session::CallId, ReceivedResponse> responses_;
  std::map<session::CallId, Metadata> leading_;
  std::map<session::CallId, std::vector<std::string>> messages_;
  std::map<session::CallId, std::string_view> compressors_of_messages_;
  std::vector<std::pair<session::CallId, session::MessageCredit>> held_;
  bool holds_ = false;
  const Compressor* compressor_ = nullptr;
  bool going_away_ = false;
  bool closed_ = false;
  bool is_silent_ = false;
};

}  // namespace trunkline::server
