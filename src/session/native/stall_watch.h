// SPDX-License-Identifier: MIT
// StallWatch: how long a peer may leave output waiting.
#pragma once

#include "base/timer_wheel.h"

#include <trunkline/connection_limits.h>

#include <cstdint>

namespace trunkline::session::native {

/// Owns the timer; its callback belongs to the session, which calls on_timer() and does what that returns. A peer makes
/// progress if it takes bytes that wait for its credit or, while the socket is full, any bytes.
class StallWatch {
 public:
  enum class Action : std::uint8_t { none, time_out };

  /// `limits` and `timers` outlive the object. `callback` is called with `owner`.
  StallWatch(const ConnectionLimits& limits, base::TimerWheel& timers, base::Timer::Callback callback,
             void* owner) noexcept
      : limits_(limits), timers_(timers), timer_(callback, owner) {}

  /// More than max_unsent_bytes wait. `now` may be in the past. Does nothing if stall_timeout is 0.
  void start(base::TimePoint now) noexcept {
    if (timer_.is_scheduled() || limits_.stall_timeout.count() == 0) return;
    is_marked_ = false;
    timers_.schedule(timer_, base::deadline_after(now, limits_.stall_timeout));
  }
  void stop() noexcept { timer_.cancel(); }
  /// The timer has fired. `is_waiting`: more than max_unsent_bytes still wait; `taken`: all bytes that the peer has
  /// taken so far. Schedules the timer again as long as they wait.
  Action on_timer(base::TimePoint now, bool is_waiting, std::uint64_t taken) noexcept {
    if (!is_waiting) return Action::none;
    if (is_marked_ && taken == mark_) return Action::time_out;
    is_marked_ = true;
    mark_ = taken;
    timers_.schedule(timer_, base::deadline_after(now, limits_.stall_timeout));
    return Action::none;
  }

 private:
  const ConnectionLimits& limits_;
  base::TimerWheel& timers_;
  base::Timer timer_;
  /// mark_ was set when the timer fired last.
  bool is_marked_ = false;
  std::uint64_t mark_ = 0;
};

}  // namespace trunkline::session::native
