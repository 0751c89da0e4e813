// SPDX-License-Identifier: MIT
// StreamPeer: one end of a connection under test, with what it has received and has yet to send.
#pragma once

#include "net/loop.h"
#include "net/transport.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <random>
#include <string>
#include <thread>

namespace trunkline::net {

class StreamPeer final : public TransportObserver {
 public:
  explicit StreamPeer(std::unique_ptr<Transport> transport) : transport_(std::move(transport)) {
    transport_->set_observer(this);
  }

  Transport& transport() { return *transport_; }
  const std::string& received() const { return received_; }
  bool is_ended() const { return is_ended_; }
  const Status& error() const { return error_; }
  bool is_all_sent() const { return unsent_.empty(); }
  int readable_calls() const { return readable_calls_; }
  int writable_calls() const { return writable_calls_; }

  /// Reads all bytes that arrive from now on, in pieces of at most `piece_bytes`.
  void receive_all(std::size_t piece_bytes = 8192) {
    piece_bytes_ = piece_bytes;
    transport_->wait_readable();
  }
  void send(std::string_view text) {
    unsent_ += text;
    write_some();
  }
  /// Writes until the transport would block. Returns how much that was, including what the transport has not taken and
  /// what is sent next.
  std::size_t fill() {
    std::size_t taken = 0;
    for (;;) {
      unsent_.resize(16384, 'f');
      const ByteSpan span = as_bytes(unsent_);
      const IoResult result = transport_->write({&span, 1});
      if (result.state != IoState::ok) return taken + unsent_.size();
      taken += result.bytes;
      unsent_.erase(0, result.bytes);
    }
  }
  void destroy() { transport_.reset(); }

 private:
  void on_readable() override {
    ++readable_calls_;
    std::string piece(piece_bytes_, '\0');
    // Two parts, like those of a ring buffer.
    const std::size_t half = piece.size() / 2;
    auto* const data = reinterpret_cast<std::byte*>(piece.data());
    for (;;) {
      const std::array<MutableByteSpan, 2> spans{MutableByteSpan(data, half),
                                                 MutableByteSpan(data + half, piece.size() - half)};
      IoResult result = transport_->read(spans);
      if (result.state == IoState::ok) {
        received_.append(piece, 0, result.bytes);
      } else if (result.state == IoState::would_block) {
        return transport_->wait_readable();
      } else {
        is_ended_ = true;
        error_ = std::move(result.error);
        return;
      }
    }
  }
  void on_writable() override {
    ++writable_calls_;
    write_some();
  }
  void write_some() {
    while (!unsent_.empty()) {
      const std::string_view text = unsent_;
      const std::array<ByteSpan, 2> spans{as_bytes(text.substr(0, text.size() / 3)),
                                          as_bytes(text.substr(text.size() / 3))};
      IoResult result = transport_->write(spans);
      if (result.state == IoState::ok) {
        unsent_.erase(0, result.bytes);
      } else if (result.state == IoState::would_block) {
        return transport_->wait_writable();
      } else {
        error_ = std::move(result.error);
        return;
      }
    }
  }

  std::unique_ptr<Transport> transport_;
  std::string received_;
  std::string unsent_;
  std::size_t piece_bytes_ = 8192;
  bool is_ended_ = false;
  Status error_;
  int readable_calls_ = 0;
  int writable_calls_ = 0;
};

/// Runs `loop` until `done()`, with time enough for a busy machine.
template <class Predicate>
bool run_until(Loop& loop, Predicate done) {
  const base::TimePoint end = base::Clock::now() + std::chrono::seconds(30);
  // In virtual time a loop does not wait, while bytes take an unknown time to cross the loopback.
  while (!loop.run_until(done, loop.now() + std::chrono::seconds(30))) {
    if (base::Clock::now() >= end) return false;
    std::this_thread::yield();
  }
  return true;
}

/// Runs everything that is ready.
inline void settle(Loop& loop) {
  while (loop.poll()) {
  }
}

}  // namespace trunkline::net
