// SPDX-License-Identifier: MIT
// Time as the library sees it: a steady clock that tests can replace.
#pragma once

#include <chrono>

namespace trunkline::base {

using Clock = std::chrono::steady_clock;
using TimePoint = Clock::time_point;
using Duration = Clock::duration;

/// The deadline of a call or timer that has none.
inline constexpr TimePoint never = TimePoint::max();

/// The clock of an event loop, which only the loop's thread calls.
class ClockSource {
 public:
  virtual ~ClockSource() = default;
  virtual TimePoint now() const noexcept = 0;
};

class SteadyClock final : public ClockSource {
 public:
  TimePoint now() const noexcept override { return Clock::now(); }
};

/// Returns now + timeout without overflow; `never` for a timeout that reaches past the clock's range.
constexpr TimePoint deadline_after(TimePoint now, Duration timeout) noexcept {
  return timeout >= never - now ? never : now + timeout;
}

}  // namespace trunkline::base
