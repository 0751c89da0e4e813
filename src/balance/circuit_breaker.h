// SPDX-License-Identifier: MIT
// CircuitBreaker: decides whether a method of a server that has failed lately may be called, as a table.
#pragma once

#include "balance/server_load.h"
#include "base/clock.h"

#include <trunkline/breaker_options.h>

#include <cstddef>
#include <cstdint>

namespace trunkline::balance {

/// A breaker after M. Nygard, "Release It!", 2007. It knows neither connections nor timers. One thread may use it.
class CircuitBreaker {
 public:
  enum class State : std::uint8_t {
    /// Calls go through, and are counted.
    closed,
    /// No call goes through until open_until().
    open,
    /// A few calls go through as probes.
    half_open,
  };
  static constexpr std::size_t state_count = 3;

  enum class Event : std::uint8_t {
    served,
    /// The call that was served is the last of the probes.
    recovered,
    failed,
    /// The failure reaches a limit.
    tripped,
    /// The call has ended without saying anything about the server.
    abandoned,
    /// A call has ended that began before the present state did.
    late,
    /// A call begins after open_until().
    rested,
  };
  static constexpr std::size_t event_count = 7;

  enum class Action : std::uint8_t {
    none,
    count_served,
    count_failure,
    /// The time open_time begins.
    open,
    begin_probing,
    count_probe,
    return_probe,
    /// The breaker begins to count anew.
    close,
  };

  struct Transition {
    Action action;
    State next;
  };
  static const Transition& transition(State state, Event event) noexcept;

  /// `options` must outlive the breaker.
  explicit CircuitBreaker(const BreakerOptions& options) noexcept : options_(&options) {}

  State state() const noexcept { return state_; }
  /// Returns true if a call may begin.
  bool admits(base::TimePoint now) const noexcept;
  /// Returns true if a call that began at `started` and has not ended is one of the probes.
  bool is_probe(base::TimePoint started) const noexcept { return state_ == State::half_open && started >= since_; }
  /// Returns the time at which it makes sense to try again, if the breaker does not admit a call.
  base::TimePoint retry_at(base::TimePoint now) const noexcept;
  /// Notes that a call which the breaker admits begins.
  void on_started(base::TimePoint now) noexcept;
  /// Notes that a call has ended that began at `started`.
  void on_ended(Outcome outcome, base::TimePoint started, base::TimePoint now) noexcept;
  /// Returns true if the breaker is closed, and nothing has failed lately: a new one would do the same.
  bool is_forgettable(base::TimePoint now) const noexcept {
    return state_ == State::closed && now - failed_at_ >= options_->window;
  }

 private:
  Event event_of(Outcome outcome, base::TimePoint started, base::TimePoint now) const noexcept;
  bool would_trip(base::TimePoint now) const noexcept;
  bool is_window_over(base::TimePoint now) const noexcept {
    return failures_ == 0 || now - window_began_ >= options_->window;
  }
  void on(Event event, base::TimePoint now) noexcept;
  void act(Action action, base::TimePoint now) noexcept;

  const BreakerOptions* options_;
  State state_ = State::closed;
  /// The time when the state began.
  base::TimePoint since_ = base::TimePoint::min();
  /// The last failure, and what was counted since the window began. Used while the breaker is closed.
  base::TimePoint failed_at_{};
  base::TimePoint window_began_{};
  std::uint32_t failures_in_a_row_ = 0;
  std::uint32_t calls_ = 0;
  std::uint32_t failures_ = 0;
  /// The number of probes that are under way, and of those that were served. Used while the breaker is half open.
  std::uint32_t probes_ = 0;
  std::uint32_t served_probes_ = 0;
};

}  // namespace trunkline::balance
