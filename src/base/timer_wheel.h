// SPDX-License-Identifier: MIT
// TimerWheel: the deadlines of one event loop, kept in a hierarchical wheel of one-millisecond ticks.
// After G. Varghese, A. Lauck, "Hashed and hierarchical timing wheels", SOSP 1987.
#pragma once

#include "base/clock.h"

#include <array>
#include <cstdint>

namespace trunkline::base {

class TimerWheel;

/// A node that its owner embeds; destroying or rescheduling it takes it out of the wheel.
class Timer {
 public:
  using Callback = void (*)(Timer& timer, void* owner, TimePoint now);

  Timer(Callback callback, void* owner) noexcept : callback_(callback), owner_(owner) {}
  ~Timer() { cancel(); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  bool is_scheduled() const noexcept { return previous_ != nullptr; }
  TimePoint deadline() const noexcept { return deadline_; }
  void cancel() noexcept;
  void* owner() const noexcept { return owner_; }

 private:
  friend class TimerWheel;
  Timer() noexcept = default;

  Timer* previous_ = nullptr;
  Timer* next_ = nullptr;
  TimePoint deadline_{};
  TimerWheel* wheel_ = nullptr;
  Callback callback_ = nullptr;
  void* owner_ = nullptr;
};

/// Insertion and cancellation are O(1). Timers never fire early; they fire up to one tick late. One thread.
/// All timers must be cancelled before the wheel is destroyed.
class TimerWheel {
 public:
  static constexpr Duration tick = std::chrono::milliseconds(1);

  explicit TimerWheel(TimePoint start) noexcept;
  TimerWheel(const TimerWheel&) = delete;
  TimerWheel& operator=(const TimerWheel&) = delete;

  /// Moves the timer if it is scheduled already. A deadline in the past fires at the next advance(); `never` cancels.
  void schedule(Timer& timer, TimePoint deadline) noexcept;
  /// Fires every timer whose tick, its deadline rounded up, is at or before `now`, in tick order; within a tick, in the
  /// order of scheduling. A callback may schedule, cancel and destroy any timer, its own and those due in the same call
  /// included. What it schedules fires at a later call, so this ends. After a callback throws, the rest stays due.
  void advance(TimePoint now);
  /// A time at which advance() must be called at the latest; never later than the earliest deadline's tick,
  /// possibly earlier (a level is to be unfolded then). `never` if nothing is scheduled.
  TimePoint next_wakeup() const noexcept;
  std::size_t size() const noexcept { return size_; }

 private:
  friend class Timer;
  static constexpr int levels = 5;
  static constexpr int slot_bits = 6;
  static constexpr std::uint64_t slots = 1u << slot_bits;

  /// A slot and the first tick it covers; level is `levels` if there is none.
  struct Slot {
    int level;
    std::uint64_t tick;
  };

  std::uint64_t to_tick_up(TimePoint time) const noexcept;
  std::uint64_t to_tick_down(TimePoint time) const noexcept;
  void link(Timer& timer) noexcept;
  void unlink(Timer& timer) noexcept;
  static void append(Timer& head, Timer& timer) noexcept;
  Slot first_slot() const noexcept;
  void empty_slot(Slot from) noexcept;

  TimePoint start_;
  std::uint64_t current_tick_ = 0;
  std::size_t size_ = 0;
  std::array<std::uint64_t, levels> occupied_{};
  Timer heads_[levels][slots];  // not std::array, which could not construct them
  Timer expired_;               ///< head of what advance() has still to fire
};

}  // namespace trunkline::base
