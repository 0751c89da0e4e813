// SPDX-License-Identifier: MIT
// UpgradableSession: a connection of HTTP/1.1, which any of its requests may turn into a WebSocket.
#pragma once

#include "base/timer_wheel.h"
#include "http/http1/request_reader.h"
#include "session/http1/http1_server_session.h"
#include "session/memory_share.h"
#include "session/protocol.h"
#include "session/session.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace trunkline::session::http1 {

/// Servers use this session. It reads the head of the first request, makes the session that serves the connection, and
/// hands it all bytes. From then on it passes everything on. A GET that asks for a WebSocket gets one, or is told what
/// it lacks. Browsers open a connection of its own for each WebSocket, but a proxy may send such a request behind
/// others. Then Http1ServerSession leaves it in its input, and a WebSocket takes over once the others are answered.
class UpgradableSession final : public Session {
 public:
  explicit UpgradableSession(const SessionParameters& parameters);
  ~UpgradableSession() override;

  std::size_t prepare_receive(std::array<MutableByteSpan, 2>& out) override;
  void received(std::size_t size, base::TimePoint now) override;
  void received_nothing() noexcept override;
  bool next(Event& event) override {
    if (inner_ == nullptr) return false;
    return inner_->next(event) || (size_ > 0 && next_after_rest(event)) || (is_upgrade_due() && upgrade(event));
  }

  std::size_t gather(std::span<ByteSpan> out) override { return inner_ != nullptr ? inner_->gather(out) : 0; }
  void wrote(std::size_t size) override { inner_->wrote(size); }
  bool has_output() const noexcept override { return inner_ != nullptr && inner_->has_output(); }
  std::size_t unsent_bytes() const noexcept override { return inner_ != nullptr ? inner_->unsent_bytes() : 0; }

  bool can_start() const noexcept override { return false; }
  Result<CallId> start(const CallStart& start, const OutgoingMessage& message) override;
  void cancel(CallId id, StatusCode reason) override;

  void attach(CallId id, void* context) override { inner_->attach(id, context); }
  Status finish(CallId id, const Status& status, const OutgoingMessage& message, const Metadata* trailing,
                bool unprocessed) override {
    return inner_->finish(id, status, message, trailing, unprocessed);
  }
  Status send(CallId id, const OutgoingMessage& message, const Metadata* leading, bool end) override {
    return inner_->send(id, message, leading, end);
  }
  bool is_writable(CallId id) const noexcept override { return inner_ != nullptr && inner_->is_writable(id); }
  Status decompress(Event& event) override { return inner_->decompress(event); }
  std::uint64_t received_of_message(CallId id) const noexcept override {
    return inner_ != nullptr ? inner_->received_of_message(id) : 0;
  }
  void release(CallId id, const MessageCredit& credit) override { inner_->release(id, credit); }
  void release_queued(CallId id, const MessageCredit& credit) override { inner_->release_queued(id, credit); }

  void drain() override;
  bool is_drained() const noexcept override { return inner_ != nullptr ? inner_->is_drained() : is_drain_requested_; }
  void input_ended() override {
    if (inner_ != nullptr) inner_->input_ended();
  }
  void ask_peer() override {
    if (inner_ != nullptr) inner_->ask_peer();
  }
  bool owes_response() const noexcept override { return inner_ != nullptr && (size_ > 0 || inner_->owes_response()); }
  void close(const Status& reason) override { become_plain().close(reason); }
  void transport_closed(const Status& reason) override { become_plain().transport_closed(reason); }
  bool is_closed() const noexcept override { return inner_ != nullptr && inner_->is_closed(); }
  const Status& close_reason() const noexcept override;
  bool is_open() const noexcept override { return inner_ != nullptr && inner_->is_open(); }
  std::size_t open_calls() const noexcept override { return inner_ != nullptr ? inner_->open_calls() : 0; }
  std::string_view protocol_name() const noexcept override {
    return inner_ != nullptr ? inner_->protocol_name() : Session::protocol_name();
  }
  std::size_t held_bytes() const noexcept override;
  std::uint64_t payload_bytes_accepted() const noexcept override {
    return bytes_before_upgrade_ + (inner_ != nullptr ? inner_->payload_bytes_accepted() : 0);
  }
  bool is_ordered() const noexcept override { return inner_ != nullptr && inner_->is_ordered(); }

 private:
  void count_held() noexcept;
  void become(std::unique_ptr<Session> session);
  Session& become_plain();
  bool hand_over();
  bool next_after_rest(Event& event);
  bool is_upgrade_due() const noexcept {
    return plain_ != nullptr && plain_->is_done_before_websocket() && !is_drain_requested_;
  }
  bool upgrade(Event& event);
  static void on_hello_timer(base::Timer& timer, void* owner, base::TimePoint now);

  const SessionParameters parameters_;
  base::TimePoint now_;
  http::http1::RequestReader reader_;
  /// Holds what has come and, after size_, room for more. Nothing that has been handed over is kept. Once there is an
  /// inner session, this is what that has no room for yet.
  std::vector<std::byte> bytes_;
  std::size_t size_ = 0;
  /// Counts the memory of bytes_.
  MemoryShare memory_share_;
  bool is_drain_requested_ = false;
  std::unique_ptr<Session> inner_;
  /// Points to the inner session if that serves requests, and is null otherwise.
  Http1ServerSession* plain_ = nullptr;
  /// This was payload_bytes_accepted() of the session that served requests before the WebSocket.
  std::uint64_t bytes_before_upgrade_ = 0;
  /// After an upgrade this limits the time until the client's hello. The owner does so before the first request only.
  base::Timer hello_timer_{&on_hello_timer, this};
  bool is_hello_limited_ = false;
};

}  // namespace trunkline::session::http1
