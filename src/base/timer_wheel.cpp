// SPDX-License-Identifier: MIT
// TimerWheel: slots of doubly linked timers. The level of a timer is the highest group of tick bits in which its tick
// differs from the current tick, so that every timer on a lower level is due before any timer on a higher one.
#include "base/timer_wheel.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace trunkline::base {

void Timer::cancel() noexcept {
  if (wheel_ != nullptr) wheel_->unlink(*this);
}

TimerWheel::TimerWheel(TimePoint start) noexcept : start_(start) {
  const auto make_empty = [](Timer& head) { head.previous_ = head.next_ = &head; };
  for (auto& level : heads_) std::for_each(std::begin(level), std::end(level), make_empty);
  make_empty(expired_);
}

std::uint64_t TimerWheel::to_tick_up(TimePoint time) const noexcept {
  return to_tick_down(time) + (time > start_ && (time - start_) % tick != Duration::zero() ? 1 : 0);
}

std::uint64_t TimerWheel::to_tick_down(TimePoint time) const noexcept {
  return time <= start_ ? 0 : static_cast<std::uint64_t>((time - start_) / tick);
}

void TimerWheel::schedule(Timer& timer, TimePoint deadline) noexcept {
  timer.cancel();
  timer.deadline_ = deadline;
  if (deadline == never) return;
  timer.wheel_ = this;
  ++size_;
  link(timer);
}

void TimerWheel::link(Timer& timer) noexcept {
  // A timer beyond the top level waits in its last slot, and is linked again when that slot is due.
  constexpr std::uint64_t farthest = (slots - 1) << (slot_bits * (levels - 1));
  const std::uint64_t expiry = std::clamp(to_tick_up(timer.deadline_), current_tick_, current_tick_ + farthest);
  const std::uint64_t difference = expiry ^ current_tick_;
  const int level =
      difference == 0 ? 0 : std::min(levels - 1, (static_cast<int>(std::bit_width(difference)) - 1) / slot_bits);
  const std::uint64_t slot = (expiry >> (level * slot_bits)) & (slots - 1);
  append(heads_[static_cast<std::size_t>(level)][slot], timer);
  occupied_[static_cast<std::size_t>(level)] |= std::uint64_t{1} << slot;
}

void TimerWheel::append(Timer& head, Timer& timer) noexcept {
  timer.previous_ = head.previous_;
  timer.next_ = &head;
  head.previous_->next_ = &timer;
  head.previous_ = &timer;
}

void TimerWheel::unlink(Timer& timer) noexcept {
  Timer* const neighbour = timer.next_;
  timer.previous_->next_ = timer.next_;
  timer.next_->previous_ = timer.previous_;
  timer.previous_ = timer.next_ = nullptr;
  timer.wheel_ = nullptr;
  --size_;
  // The list has only the head of the slot.
  if (neighbour->next_ == neighbour && neighbour != &expired_) {
    const auto index = static_cast<std::uint64_t>(neighbour - &heads_[0][0]);
    occupied_[index / slots] &= ~(std::uint64_t{1} << (index % slots));
  }
}

TimerWheel::Slot TimerWheel::first_slot() const noexcept {
  for (int level = 0; level < levels; ++level) {
    const std::uint64_t occupied = occupied_[static_cast<std::size_t>(level)];
    if (occupied == 0) continue;
    const std::uint64_t here = current_tick_ >> (level * slot_bits);
    const int distance = std::countr_zero(std::rotr(occupied, static_cast<int>(here & (slots - 1))));
    return {level, (here + static_cast<std::uint64_t>(distance)) << (level * slot_bits)};
  }
  return {levels, UINT64_MAX};
}

void TimerWheel::empty_slot(Slot from) noexcept {
  const auto level = static_cast<std::size_t>(from.level);
  const std::uint64_t slot = (from.tick >> (from.level * slot_bits)) & (slots - 1);
  Timer& head = heads_[level][slot];
  Timer* timer = head.next_;
  head.previous_ = head.next_ = &head;
  occupied_[level] &= ~(std::uint64_t{1} << slot);
  while (timer != &head) {
    Timer* const next = timer->next_;
    if (to_tick_up(timer->deadline_) <= current_tick_) {
      append(expired_, *timer);
    } else {
      link(*timer);
    }
    timer = next;
  }
}

void TimerWheel::advance(TimePoint now) {
  const std::uint64_t target = std::max(current_tick_, to_tick_down(now));
  for (Slot slot = first_slot(); slot.level < levels && slot.tick <= target; slot = first_slot()) {
    current_tick_ = slot.tick;
    empty_slot(slot);
  }
  current_tick_ = target;
  // All due timers were gathered before the first callback runs. What a callback schedules waits for the next call, so
  // that this loop ends whatever the callbacks do.
  while (expired_.next_ != &expired_) {
    Timer& timer = *expired_.next_;
    unlink(timer);
    timer.callback_(timer, timer.owner_, now);
  }
}

TimePoint TimerWheel::next_wakeup() const noexcept {
  if (size_ == 0) return never;
  const std::uint64_t at = expired_.next_ != &expired_ ? current_tick_ : first_slot().tick;
  return start_ + static_cast<Duration::rep>(at) * tick;
}

}  // namespace trunkline::base
