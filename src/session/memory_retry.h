// SPDX-License-Identifier: MIT
// MemoryRetry: when a session that waits for memory looks again whether there is some.
#pragma once

#include "base/timer_wheel.h"

#include <algorithm>
#include <chrono>

namespace trunkline::session {

/// Owns the timer; its callback belongs to the session. Nobody tells a session that others have returned memory, so it
/// asks when the timer fires. The longer it has waited, the less often it does: thousands of sessions that wait must
/// not keep their loop busy, and the wait becomes little longer.
class MemoryRetry {
 public:
  static constexpr std::chrono::milliseconds shortest{5};
  static constexpr std::chrono::milliseconds longest{100};

  /// `timers` outlives the object. `callback` is called with `owner`.
  MemoryRetry(base::TimerWheel& timers, base::Timer::Callback callback, void* owner) noexcept
      : timers_(timers), timer_(callback, owner) {}

  /// The session waits for memory: the timer will fire, unless it is scheduled already.
  void wait(base::TimePoint now) noexcept {
    if (!timer_.is_scheduled()) timers_.schedule(timer_, now + pause(now));
  }
  /// The session has ended.
  void stop() noexcept { timer_.cancel(); }
  /// Returns how long to wait before the next look.
  base::Duration pause(base::TimePoint now) noexcept {
    if (!is_waiting_ || now - asked_ > 2 * longest) began_ = now;
    is_waiting_ = true;
    asked_ = now;
    return std::clamp<base::Duration>((now - began_) / 8, shortest, longest);
  }
  /// The session has found memory, so it does not wait any longer.
  void end() noexcept { is_waiting_ = false; }

 private:
  base::TimerWheel& timers_;
  base::Timer timer_;
  bool is_waiting_ = false;
  base::TimePoint began_{};
  /// The last pause began then.
  base::TimePoint asked_{};
};

}  // namespace trunkline::session
