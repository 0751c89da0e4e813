// SPDX-License-Identifier: MIT
// FakeSession: a session that records what its connection does with it.
#pragma once

#include "session/session.h"

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

namespace trunkline::net {

/// Hands out the received bytes as `message` events, one for each piece, and sends the text given to say().
class FakeSession : public session::Session {
 public:
  explicit FakeSession(session::SessionOwner& owner) : owner_(owner) {}

  // --- for the test ---
  void say(std::string_view text) { output_ += text; }
  void wake() { owner_.on_session_wake(); }
  void set_open(bool is_open) { is_open_ = is_open; }
  void set_open_calls(std::size_t count) { open_calls_ = count; }
  void set_wants_reset() { wants_reset_ = true; }
  void set_owes_response(bool owes) { owes_response_ = owes; }
  /// What it says when it asks whether the peer is there.
  std::string question;
  bool has_input_ended() const { return has_input_ended_; }
  void set_room(std::size_t first, std::size_t second) { room_ = {first, second}; }
  const std::string& input() const { return input_; }
  const std::vector<std::size_t>& pieces() const { return pieces_; }
  const std::vector<Status>& transport_ends() const { return transport_ends_; }
  int gathers() const { return gathers_; }
  bool was_fed_after_close() const { return was_fed_after_close_; }
  /// Ends by itself, as after an error of the peer in the protocol.
  void end(const Status& reason) { close(reason); }

  // --- bytes ---
  std::size_t prepare_receive(std::array<MutableByteSpan, 2>& out) override {
    first_.resize(room_[0]);
    second_.resize(room_[1]);
    out = {MutableByteSpan(first_), MutableByteSpan(second_)};
    return room_[1] > 0 ? 2 : room_[0] > 0 ? 1 : 0;
  }
  void received(std::size_t size, base::TimePoint now) override {
    was_fed_after_close_ |= is_closed_;
    last_time_ = now;
    pieces_.push_back(size);
    const std::size_t in_first = std::min(size, first_.size());
    std::string piece(as_text(ByteSpan(first_).first(in_first)));
    piece += as_text(ByteSpan(second_).first(size - in_first));
    input_ += piece;
    unread_.push_back(piece);
  }
  bool next(session::Event& event) override {
    if (!unread_.empty()) {
      current_ = std::move(unread_.front());
      unread_.pop_front();
      event.type = session::EventType::message;
      event.payload = as_bytes(current_);
      return true;
    }
    if (!is_closed_ || std::exchange(is_closed_told_, true)) return false;
    event.type = session::EventType::closed;
    event.status = close_reason_;
    return true;
  }
  std::size_t gather(std::span<ByteSpan> out) override {
    ++gathers_;
    const std::string_view text = output_;
    const std::size_t half = text.size() / 2;
    out[0] = as_bytes(text.substr(0, half));
    out[1] = as_bytes(text.substr(half));
    return 2;
  }
  void wrote(std::size_t size) override { output_.erase(0, size); }
  bool has_output() const noexcept override { return !output_.empty(); }
  std::size_t unsent_bytes() const noexcept override { return output_.size(); }

  // --- the connection ---
  void close(const Status& reason) override {
    if (is_closed_) return;
    is_closed_ = true;
    close_reason_ = reason;
  }
  void input_ended() override { has_input_ended_ = true; }
  void ask_peer() override { say(question); }
  bool owes_response() const noexcept override { return owes_response_ && !is_closed_; }
  void transport_closed(const Status& reason) override {
    transport_ends_.push_back(reason);
    close(reason);
  }
  bool is_closed() const noexcept override { return is_closed_; }
  bool wants_reset() const noexcept override { return wants_reset_; }
  const Status& close_reason() const noexcept override { return close_reason_; }

  // --- what a connection never calls ---
  bool can_start() const noexcept override { return false; }
  Result<session::CallId> start(const session::CallStart&, const session::OutgoingMessage&) override {
    return not_faked();
  }
  void cancel(session::CallId, StatusCode) override {}
  void attach(session::CallId, void*) override {}
  Status finish(session::CallId, const Status&, const session::OutgoingMessage&, const Metadata*, bool) override {
    return not_faked();
  }
  Status send(session::CallId, const session::OutgoingMessage&, const Metadata*, bool) override { return not_faked(); }
  bool is_writable(session::CallId) const noexcept override { return false; }
  void release(session::CallId, const session::MessageCredit&) override {}
  void drain() override {}
  bool is_drained() const noexcept override { return false; }
  bool is_open() const noexcept override { return is_open_; }
  std::size_t open_calls() const noexcept override { return open_calls_; }
  std::uint64_t payload_bytes_accepted() const noexcept override { return 0; }
  bool is_ordered() const noexcept override { return false; }

 private:
  static Status not_faked() { return {StatusCode::unimplemented, "not faked"}; }

  session::SessionOwner& owner_;
  std::array<std::size_t, 2> room_{4096, 4096};
  std::vector<std::byte> first_;
  std::vector<std::byte> second_;
  std::string input_;
  std::string output_;
  std::string current_;
  std::deque<std::string> unread_;
  std::vector<std::size_t> pieces_;
  std::vector<Status> transport_ends_;
  base::TimePoint last_time_{};
  Status close_reason_;
  int gathers_ = 0;
  bool is_open_ = true;
  bool owes_response_ = false;
  bool wants_reset_ = false;
  bool has_input_ended_ = false;
  std::size_t open_calls_ = 0;
  bool is_closed_ = false;
  bool is_closed_told_ = false;
  bool was_fed_after_close_ = false;
};

}  // namespace trunkline::net
