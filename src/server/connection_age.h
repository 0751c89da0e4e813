// SPDX-License-Identifier: MIT
// ConnectionAge: how old a connection may become, and how long its calls may then go on.
#pragma once

#include "base/timer_wheel.h"

#include <chrono>
#include <cstdint>

namespace trunkline::server {

/// One timer, for the age first and for the grace afterwards. All calls come from the thread of the wheel.
class ConnectionAge {
 public:
  struct Limits {
    /// 0: no limit.
    std::chrono::milliseconds age{0};
    /// 0: no limit.
    std::chrono::milliseconds grace{0};
  };
  enum class Expired : std::uint8_t { age, grace };

  /// `callback` is called with `owner` when the timer fires; it has to call expire().
  ConnectionAge(const Limits& limits, base::Timer::Callback callback, void* owner) noexcept
      : limits_(limits), timer_(callback, owner) {}

  /// The connection was accepted at `since`. Its age is the limit and up to 10 % more or less, by `random`, so that
  /// connections which were made together do not end together.
  void begin(base::TimerWheel& timers, base::TimePoint since, std::uint64_t random) noexcept;
  /// The timer has fired. After `age` no further calls should begin; after `grace` those that are left end.
  Expired expire(base::TimerWheel& timers, base::TimePoint now) noexcept;
  void cancel() noexcept { timer_.cancel(); }

 private:
  const Limits limits_;
  base::Timer timer_;
  bool is_over_ = false;
};

}  // namespace trunkline::server
