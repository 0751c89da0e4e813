// SPDX-License-Identifier: MIT
// SessionDriver: a session, its peer and the layer above it, all driven by the bytes of a fuzzer.
#pragma once

#include "kit/credit_watch.h"
#include "kit/manual_clock.h"
#include "kit/session_end.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace trunkline::fuzz {

/// The bytes of the input, read from the front; zeros after its end.
class Tape {
 public:
  Tape(const std::uint8_t* data, std::size_t size) noexcept : data_(data), size_(size) {}
  bool empty() const noexcept { return size_ == 0; }
  std::uint8_t byte() noexcept;
  std::uint32_t number(int bytes) noexcept;
  std::string text(std::size_t size);
  /// How many of `size` bytes the session gets at a time: single bytes too, but of a long text none so small that the
  /// fuzzer would do little else.
  std::size_t part_of(std::size_t size) noexcept;

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

/// Requires for every input: events come only before `closed` and only for calls that are open for the layer above,
/// each call ends once, the output keeps the rules of frames and of credit, and nothing is open after the end.
class SessionDriver {
 public:
  SessionDriver(session::Role role, const std::uint8_t* data, std::size_t size);
  void run();

 private:
  struct Call {
    session::CallId id = 0;
    bool is_open = true;
  };

  void step();
  void send_frame();
  void feed(std::string_view bytes);
  void take_output(std::size_t most);
  void check_output(std::string_view bytes);
  void on_event(session::Event& event);
  void on_call(session::Event& event);
  void on_end(session::Event& event);
  void start_call();
  void send_message();
  void end_call();
  void release_one();
  void advance(base::Duration by);
  Call* pick();
  session::OutgoingMessage draw_message();
  session::Session& session() noexcept { return end_->session(); }

  const session::Role role_;
  Tape tape_;
  kit::ManualClock clock_;
  base::TimerWheel timers_{clock_.now()};
  std::unique_ptr<kit::SessionEnd> end_;
  kit::CreditWatch watch_;
  std::string output_;
  bool past_preface_ = false;
  bool closed_ = false;
  std::vector<std::unique_ptr<Call>> calls_;
  std::vector<std::pair<session::CallId, session::MessageCredit>> retained_;
};

}  // namespace trunkline::fuzz
