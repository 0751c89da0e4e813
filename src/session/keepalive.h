// SPDX-License-Identifier: MIT
// Keepalive: when a silent peer is pinged, and when its silence ends the connection.
#pragma once

#include "base/timer_wheel.h"
#include "session/session_options.h"

#include <trunkline/connection_limits.h>

#include <chrono>
#include <cstdint>
#include <optional>

namespace trunkline::session {

/// Owns the timer; its callback belongs to the session, which calls on_timer() and does what that returns. Any byte
/// from the peer counts as a sign of life, not only a pong.
class Keepalive {
 public:
  enum class Action : std::uint8_t {
    none,
    /// Write a ping.
    ping,
    /// The peer has been silent for keepalive_timeout after a ping.
    time_out,
  };
  /// Holds what the session knows of the connection when the timer fires.
  struct Observation {
    /// This side reads and writes at present. Otherwise the peer's silence means nothing.
    bool is_listening = true;
    /// This side reads nothing until the peer has taken some output, so a pong may be waiting in the socket.
    bool is_stalled = false;
    /// Calls of the application are open.
    bool has_calls = true;
    /// The peer need not answer while no call is open: a client that only blocks has no thread then.
    bool may_rest = false;
  };

  /// `limits` and `timers` outlive the object. `callback` is called with `owner`.
  Keepalive(Role role, const ConnectionLimits& limits, base::TimerWheel& timers, base::Timer::Callback callback,
            void* owner, base::TimePoint now) noexcept
      : limits_(limits),
        timeout_(limits.keepalive_timeout.value_or(role == Role::server ? timeout_of_servers : timeout_of_clients)),
        timers_(timers),
        timer_(callback, owner),
        last_received_(now) {}

  /// Takes another interval than that of `limits`. Call it before start().
  void set_interval(std::chrono::milliseconds interval) noexcept { own_interval_ = interval; }
  /// The connection is open. Does nothing if the interval is 0.
  void start(base::TimePoint now) noexcept;
  void stop() noexcept { timer_.cancel(); }
  void received(base::TimePoint now) noexcept { last_received_ = now; }
  void wrote() noexcept { wrote_since_ping_ = true; }
  /// Returns ConnectionLimits::keepalive_timeout, or its default for this side.
  std::chrono::milliseconds timeout() const noexcept { return timeout_; }
  /// The timer has fired. Schedules it again, except for `time_out`.
  Action on_timer(base::TimePoint now, Observation seen) noexcept;

 private:
  static constexpr std::chrono::milliseconds timeout_of_clients = std::chrono::seconds(20);
  static constexpr std::chrono::milliseconds timeout_of_servers = std::chrono::minutes(5);

  std::chrono::milliseconds interval() const noexcept { return own_interval_.value_or(limits_.keepalive_interval); }

  const ConnectionLimits& limits_;
  std::optional<std::chrono::milliseconds> own_interval_;
  const std::chrono::milliseconds timeout_;
  base::TimerWheel& timers_;
  base::Timer timer_;
  base::TimePoint last_received_;
  base::TimePoint ping_sent_{};
  bool awaits_pong_ = false;
  bool wrote_since_ping_ = false;
};

}  // namespace trunkline::session
