// SPDX-License-Identifier: MIT
// StallWatch: how long a peer may leave output waiting.
#pragma once

#include "base/timer_wheel.h"

#include <trunkline/connection_limits.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace trunkline::session {

/// Owns the timer; its callback belongs to the session, which calls on_timer() and does what that returns. A peer makes
/// progress if it takes bytes that wait for its credit or, while everything waits for the socket, any bytes. Without
/// progress it may leave more than max_unsent_bytes waiting for stall_timeout, and less for ever, but while others want
/// the memory only for a short time. What its application has to make room for does not count, unless others want it.
class StallWatch {
 public:
  enum class Action : std::uint8_t { none, time_out };
  /// Holds what the session knows when the timer fires.
  struct Seen {
    /// This many bytes wait.
    std::size_t unsent = 0;
    /// This many of them wait until the peer's application reads earlier messages of their calls, which may take any
    /// time.
    std::size_t held_back = 0;
    /// Others are refused calls for want of memory.
    bool is_wanted = false;
    /// The peer has taken this many bytes so far.
    std::uint64_t taken = 0;
  };
  /// This many bytes may wait for ever.
  static constexpr std::size_t least_bytes = 16 << 10;
  /// This replaces a longer stall_timeout while others want the memory.
  static constexpr std::chrono::milliseconds short_timeout{10000};

  /// `limits` and `timers` outlive the object. `callback` is called with `owner`.
  StallWatch(const ConnectionLimits& limits, base::TimerWheel& timers, base::Timer::Callback callback,
             void* owner) noexcept
      : limits_(limits), timers_(timers), timer_(callback, owner) {}

  /// More than least_bytes wait. `now` may be in the past. Does nothing if stall_timeout is 0.
  void start(base::TimePoint now) noexcept {
    if (timer_.is_scheduled() || limits_.stall_timeout.count() == 0) return;
    is_marked_ = false;
    wanted_ = 0;
    schedule(now);
  }
  void stop() noexcept { timer_.cancel(); }
  /// The timer has fired. Schedules it again as long as least_bytes wait.
  Action on_timer(base::TimePoint now, const Seen& seen) noexcept {
    if (seen.unsent <= least_bytes) return Action::none;
    wanted_ = seen.is_wanted ? wanted_ + 1 : 0;
    if (!is_marked_ || seen.taken != mark_) {
      is_marked_ = true;
      marked_ = now;
      mark_ = seen.taken;
      looks_ = 0;
    } else if (++looks_ >= least_looks && now - marked_ >= time_allowed(seen)) {
      return Action::time_out;
    }
    schedule(now);
    return Action::none;
  }

 private:
  /// A loop that a handler has held for long sees nothing of the peer meanwhile, and a short want of memory is nobody's
  /// fault: both last for one look at most.
  static constexpr int least_looks = 2;

  base::Duration time_allowed(const Seen& seen) const noexcept {
    if (wanted_ >= least_looks) return std::min(short_timeout, limits_.stall_timeout);
    return seen.unsent - seen.held_back > limits_.max_unsent_bytes ? base::Duration(limits_.stall_timeout)
                                                                   : base::Duration::max();
  }
  void schedule(base::TimePoint now) noexcept {
    const base::Duration longest = short_timeout / least_looks;
    timers_.schedule(timer_, now + std::min(longest, base::Duration(limits_.stall_timeout) / least_looks));
  }

  const ConnectionLimits& limits_;
  base::TimerWheel& timers_;
  base::Timer timer_;
  /// The mark is valid: it was made when the peer last took something, as far as the timer has seen.
  bool is_marked_ = false;
  base::TimePoint marked_{};
  std::uint64_t mark_ = 0;
  /// The timer has fired this many times since the mark was made.
  int looks_ = 0;
  /// Others have wanted the memory this many times in a row.
  int wanted_ = 0;
};

}  // namespace trunkline::session
