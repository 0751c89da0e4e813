// SPDX-License-Identifier: MIT
// ConnectionTest: a connection over the memory transport, with a fake session and the end of its peer.
#pragma once

#include "fake_session.h"
#include "kit/manual_clock.h"
#include "net/connection.h"
#include "net/memory_transport.h"
#include "stream_peer.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

namespace trunkline::net {

/// Counts reads and writes, and fails or shortens writes on demand.
class TappedTransport final : public Transport {
 public:
  explicit TappedTransport(std::unique_ptr<Transport> inner) : inner_(std::move(inner)) {}

  void set_observer(TransportObserver* observer) noexcept override { inner_->set_observer(observer); }
  IoResult read(std::span<const MutableByteSpan> into) override {
    ++reads;
    return inner_->read(into);
  }
  IoResult write(std::span<const ByteSpan> from) override {
    ++writes;
    if (is_broken)
      return {IoState::failed, 0, Status(StatusCode::unavailable, "write: broken pipe", StatusOrigin::transport)};
    if (longest_write == 0) return inner_->write(from);
    const ByteSpan head = from[0].empty() ? from[1] : from[0];
    const ByteSpan part = head.first(std::min(head.size(), longest_write));
    return inner_->write({&part, 1});
  }
  void wait_readable() override {
    writes_before_wait = writes;
    inner_->wait_readable();
  }
  void wait_writable() override { inner_->wait_writable(); }
  void shutdown_send() override {
    ++shutdowns;
    inner_->shutdown_send();
  }
  void close() override { inner_->close(); }
  void reset() override {
    ++resets;
    inner_->reset();
  }
  bool is_peer_gone() noexcept override {
    ++looks_for_peer;
    return is_gone || inner_->is_peer_gone();
  }
  bool has_input() const noexcept override {
    ++looks_for_input;
    return holds_input;
  }
  const PeerInfo& peer() const noexcept override { return inner_->peer(); }
  Loop& loop() const noexcept override { return inner_->loop(); }

  int reads = 0;
  int writes = 0;
  int shutdowns = 0;
  int resets = 0;
  int looks_for_peer = 0;
  mutable int looks_for_input = 0;
  bool holds_input = false;
  bool is_gone = false;
  /// At the last wait_readable().
  int writes_before_wait = 0;
  bool is_broken = false;
  std::size_t longest_write = 0;

 private:
  std::unique_ptr<Transport> inner_;
};

class RecordingHandler final : public ConnectionHandler {
 public:
  void on_events(Connection& connection) override {
    ++turns;
    EXPECT_FALSE(is_inside_) << "a handler was called inside itself";
    is_inside_ = true;
    session::Event event;
    while (connection.session().next(event)) {
      if (event.type == session::EventType::closed) {
        ++closed_events;
        reason = event.status;
      } else if (on_message) {
        on_message(event.payload_slice().to_string());
      }
    }
    is_inside_ = false;
  }
  void on_idle(Connection& connection) override {
    ++idles;
    if (when_idle) when_idle(connection);
  }
  void on_input_taken(Connection&) override { ++inputs_taken; }
  void on_closed(Connection&) override {
    EXPECT_EQ(closed_events, 1) << "the last event of the session comes first";
    ++closed;
    if (when_closed) when_closed();
  }

  /// To be called after on_message has thrown.
  void recover() { is_inside_ = false; }

  std::function<void(std::string)> on_message;
  std::function<void()> when_closed;
  std::function<void(Connection&)> when_idle;
  int idles = 0;
  int inputs_taken = 0;
  int turns = 0;
  int closed_events = 0;
  int closed = 0;
  Status reason;

 private:
  bool is_inside_ = false;
};

class ConnectionTest : public testing::Test {
 protected:
  void start(std::string_view first_bytes = {}, const MemoryOptions& memory = {}) {
    auto [near, far] = make_memory_pair(loop_, loop_, memory);
    peer_.emplace(std::move(far));
    auto tapped = std::make_unique<TappedTransport>(std::move(near));
    transport_ = tapped.get();
    connection_ = std::make_shared<Connection>(std::move(tapped), handler_, options_);
    connection_->start(
        [this](session::SessionOwner& owner) {
          auto made = std::make_unique<FakeSession>(owner);
          made->set_open(starts_open_);
          session_ = made.get();
          return made;
        },
        as_bytes(first_bytes));
    peer_->receive_all();
    settle(loop_);
    handler_.turns = 0;
    transport_->reads = transport_->writes = 0;
  }
  void advance(base::Duration time) {
    clock_.advance(time);
    settle(loop_);
  }
  void echo() {
    handler_.on_message = [this](const std::string& text) { session_->say(text); };
  }

  /// Whether the handshake of a session is complete from the beginning.
  bool starts_open_ = true;
  kit::ManualClock clock_;
  Loop loop_{{}, &clock_};
  ConnectionOptions options_;
  RecordingHandler handler_;
  std::optional<StreamPeer> peer_;
  std::shared_ptr<Connection> connection_;
  TappedTransport* transport_ = nullptr;
  FakeSession* session_ = nullptr;
};

}  // namespace trunkline::net
