// SPDX-License-Identifier: MIT
// InputWatch: how long a peer may leave what it has begun to send incomplete.
#pragma once

#include "base/timer_wheel.h"

#include <trunkline/connection_limits.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace trunkline::session {

/// Owns the timer; its callback belongs to the session, which calls on_timer() and does what that returns. A peer that
/// has begun a frame, or long messages for which there is room, must send a stretch of them within each stall_timeout,
/// however much else it sends: one that sends a byte now and then would keep their memory for ever. While others wait
/// for memory it has less time.
class InputWatch {
 public:
  enum class Action : std::uint8_t { none, time_out };
  /// Holds what the session knows when the timer fires.
  struct Seen {
    /// A frame, or a long message that has room, is incomplete.
    bool is_incomplete = false;
    /// A long message that has room is incomplete.
    bool has_message = false;
    /// Others wait for memory.
    bool is_wanted = false;
    /// This many bytes of long messages with room have come so far.
    std::uint64_t message_bytes = 0;
  };
  /// The peer must send this many bytes in time, unless everything is complete before.
  static constexpr std::uint64_t stretch_bytes = 64 << 10;
  /// This replaces a longer stall_timeout while others wait for memory. A peer is looked at once in this time at least.
  static constexpr std::chrono::milliseconds short_timeout{10000};

  /// `limits` and `timers` outlive the object. `callback` is called with `owner`.
  InputWatch(const ConnectionLimits& limits, base::TimerWheel& timers, base::Timer::Callback callback,
             void* owner) noexcept
      : limits_(limits), timers_(timers), timer_(callback, owner) {}

  /// Something is incomplete at the end of a turn. `now` may be in the past. Does nothing if stall_timeout is 0.
  void start(base::TimePoint now) noexcept {
    if (timer_.is_scheduled() || limits_.stall_timeout.count() == 0) return;
    is_marked_ = false;
    schedule(now);
  }
  /// Nothing is incomplete at the end of a turn.
  void settle() noexcept { is_marked_ = false; }
  void stop() noexcept { timer_.cancel(); }
  void received(std::size_t bytes) noexcept { received_ += bytes; }
  /// This side does not read, or lets the peer send nothing: the time until the timer fires does not count.
  void hold_up() noexcept { is_held_up_ = true; }
  /// The timer has fired. Schedules it again as long as something is incomplete.
  Action on_timer(base::TimePoint now, const Seen& seen) noexcept {
    if (!seen.is_incomplete) return Action::none;
    const bool was_held_up = std::exchange(is_held_up_, false);
    // An incomplete frame counts with its header block, and a complete one without, so the sum may fall.
    const std::uint64_t message_bytes = std::max(seen.message_bytes, message_mark_);
    const std::uint64_t came = seen.has_message ? message_bytes - message_mark_ : received_ - received_mark_;
    if (!is_marked_ || was_held_up || came >= stretch_bytes) {
      is_marked_ = true;
      marked_ = now;
      received_mark_ = received_;
      message_mark_ = seen.message_bytes;
    } else if (now - marked_ >= (seen.is_wanted ? interval() : limits_.stall_timeout)) {
      return Action::time_out;
    }
    schedule(now);
    return Action::none;
  }

 private:
  std::chrono::milliseconds interval() const noexcept { return std::min(short_timeout, limits_.stall_timeout); }
  void schedule(base::TimePoint now) noexcept { timers_.schedule(timer_, base::deadline_after(now, interval())); }

  const ConnectionLimits& limits_;
  base::TimerWheel& timers_;
  base::Timer timer_;
  /// The marks are valid, because something has been incomplete since they were made.
  bool is_marked_ = false;
  bool is_held_up_ = false;
  base::TimePoint marked_{};
  std::uint64_t received_ = 0;
  std::uint64_t received_mark_ = 0;
  std::uint64_t message_mark_ = 0;
};

}  // namespace trunkline::session
