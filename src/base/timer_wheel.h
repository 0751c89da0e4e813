// SPDX-License-Identifier: MIT
// TimerWheel: the deadlines of one event loop, kept in a hierarchical wheel of one-millisecond ticks.
// After G. Varghese, A. Lauck, "Hashed and hierarchical timing wheels", SOSP 1987.
#pragma once

#include "base/clock.h"

#include <array>
#include <cstdint>

namespace trunkline::base {

class TimerWheel;

/// A timer, which its owner embeds. Destroying it cancels it.
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

/// A wheel that one thread uses. Insertion and cancellation are O(1). Timers never fire early; they fire up to one tick
/// late. All timers must be cancelled before the wheel is destroyed.
class TimerWheel {
 public:
  static constexpr Duration tick = std::chrono::milliseconds(1);

  explicit TimerWheel(TimePoint start) noexcept;
  TimerWheel(const TimerWheel&) = delete;
  TimerWheel& operator=(const TimerWheel&) = delete;

  /// Moves the timer if it is scheduled already. A timer whose deadline has passed fires at the next advance(); the
  /// deadline `never` cancels it.
  void schedule(Timer& timer, TimePoint deadline) noexcept;
  /// Fires every timer whose deadline, rounded up to a tick, is at or before `now`, in the order of their ticks, and
  /// within a tick in the order of scheduling. A callback may schedule, cancel and destroy any timer, including its own
  /// and those due in the same call. A timer that it schedules fires in a later call. If a callback throws, the timers
  /// behind it remain due.
  void advance(TimePoint now);
  /// Returns the latest time at which advance() must be called next: the tick of the earliest deadline, or earlier,
  /// when timers have to move to a lower level. It is `never` if nothing is scheduled.
  TimePoint next_wakeup() const noexcept;
  std::size_t size() const noexcept { return size_; }

 private:
  friend class Timer;
  static constexpr int levels = 5;
  static constexpr int slot_bits = 6;
  static constexpr std::uint64_t slots = 1u << slot_bits;

  /// A slot and the first tick it covers. `level` is `levels` if there is no such slot.
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
  /// The heads of the slots' circular lists. They are no std::array, which could not construct them.
  Timer heads_[levels][slots];
  /// The head of the list that advance() has still to fire.
  Timer expired_;
};

}  // namespace trunkline::base
