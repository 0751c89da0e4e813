// SPDX-License-Identifier: MIT
// ConnectionAge: limits how old a connection may become, and how long its calls may then go on.
#pragma once

#include "base/timer_wheel.h"

#include <chrono>
#include <cstdint>

namespace trunkline::server {

/// One timer, which runs first for the age and then for the grace. All calls come from the thread of the wheel.
class ConnectionAge {
 public:
  struct Limits {
    /// The greatest age; 0: there is no limit.
    std::chrono::milliseconds age{0};
    /// The time that the calls of such a connection have; 0: there is no limit.
    std::chrono::milliseconds grace{0};
  };
  enum class Expired : std::uint8_t { age, grace };

  /// Makes the timer, which calls `callback` with `owner` when it fires. The callback has to call expire().
  ConnectionAge(const Limits& limits, base::Timer::Callback callback, void* owner) noexcept
      : limits_(limits), timer_(callback, owner) {}

  /// Begins with a connection that was accepted at `since`. Its age is the limit and up to 10 % more or less, by
  /// `random`, so that connections which were made together do not end together.
  void begin(base::TimerWheel& timers, base::TimePoint since, std::uint64_t random) noexcept;
  /// Handles the timer's end. After `age` no further calls should begin; after `grace` those that are left end.
  Expired expire(base::TimerWheel& timers, base::TimePoint now) noexcept;
  void cancel() noexcept { timer_.cancel(); }

 private:
  const Limits limits_;
  base::Timer timer_;
  bool is_over_ = false;
};

}  // namespace trunkline::server
