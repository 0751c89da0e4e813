// SPDX-License-Identifier: MIT
// ConnectionTimeouts: limits the time of a connection's handshake, and then the time without calls.
#pragma once

#include "base/timer_wheel.h"
#include "session/session.h"

#include <chrono>
#include <cstdint>

namespace trunkline::net {

/// One timer, which serves the handshake first and the idle time afterwards. It knows the session by is_open() and
/// open_calls() alone. All calls come from the thread of the wheel.
class ConnectionTimeouts {
 public:
  struct Limits {
    /// The time for the handshake; 0: there is no limit.
    std::chrono::milliseconds handshake{0};
    /// The time without calls; 0: there is no limit.
    std::chrono::milliseconds idle{0};
  };
  enum class Expired : std::uint8_t { nothing, handshake, idle };

  /// Makes the timer, which calls `callback` with `owner` when it fires. The callback has to call check().
  ConnectionTimeouts(const Limits& limits, base::Timer::Callback callback, void* owner) noexcept
      : limits_(limits), timer_(callback, owner) {}

  const Limits& limits() const noexcept { return limits_; }

  /// Begins a handshake at `since`. It is called again for a further one, with another session.
  void begin_handshake(base::TimerWheel& timers, base::TimePoint since) noexcept;
  bool is_in_handshake() const noexcept { return phase_ == Phase::handshake; }
  /// Ends the handshake, as the session is open; the idle time counts from `now`.
  void end_handshake(base::TimerWheel& timers, base::TimePoint now) noexcept;
  bool has_idle_limit() const noexcept { return limits_.idle > limits_.idle.zero(); }
  /// Notes that a call has begun or ended at `now`.
  void note_activity(base::TimePoint now) noexcept { last_active_ = now; }
  /// Sets how many of the open calls do not keep the connection from being idle.
  void set_background_calls(std::uint32_t count) noexcept { background_calls_ = count; }
  /// Says which limit has expired at `now`, and schedules the timer for the next check. An expired idle limit is
  /// reported again after each further idle time.
  Expired check(base::TimerWheel& timers, const session::Session& session, base::TimePoint now) noexcept;
  void cancel() noexcept;

 private:
  enum class Phase : std::uint8_t { none, handshake, open };

  const Limits limits_;
  base::Timer timer_;
  base::TimePoint last_active_{};
  std::uint32_t background_calls_ = 0;
  Phase phase_ = Phase::none;
};

}  // namespace trunkline::net
