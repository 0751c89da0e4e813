// SPDX-License-Identifier: MIT
// Schedule: when the calls of an open loop are meant to begin.
#pragma once

#include "load/load_plan.h"
#include "load/random.h"

#include <cstdint>

namespace trunkline::load {

/// Time is passed in. The n-th time is computed from n, so that rounding does not add up.
class Schedule {
 public:
  /// Nothing is ever due.
  Schedule() = default;
  /// The share of one of `shares` generators, the `index`-th; together they make `rate` calls a second from `start` on.
  Schedule(Clock::time_point start, double rate, Arrivals arrivals, std::size_t index = 0, std::size_t shares = 1);

  Clock::time_point due() const noexcept { return due_; }
  /// To the next one.
  void advance() noexcept;

 private:
  Clock::time_point start_{};
  Clock::time_point due_ = Clock::time_point::max();
  double offset_ = 0;  ///< of the first, in nanoseconds
  double gap_ = 0;     ///< the mean, in nanoseconds
  double passed_ = 0;
  std::uint64_t number_ = 0;
  Random random_{0};
  Arrivals arrivals_ = Arrivals::even;
};

/// False: a plan with a rate has none in the time that it measures.
bool has_due_calls(const LoadPlan& plan);

}  // namespace trunkline::load
