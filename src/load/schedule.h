// SPDX-License-Identifier: MIT
// Schedule: computes when the calls of an open loop are due.
#pragma once

#include "load/load_plan.h"
#include "load/random.h"

#include <cstdint>

namespace trunkline::load {

/// A schedule, which does not read a clock. Even times follow from the call's number, so rounding errors do not add up.
class Schedule {
 public:
  /// Makes a schedule without calls.
  Schedule() = default;
  /// Makes the times of one of `shares` generators, which together make `rate` calls per second from `start` on.
  Schedule(Clock::time_point start, double rate, Arrivals arrivals, std::size_t index = 0, std::size_t shares = 1);

  Clock::time_point due() const noexcept { return due_; }
  /// Advances to the next call.
  void advance() noexcept;

 private:
  Clock::time_point start_{};
  Clock::time_point due_ = Clock::time_point::max();
  /// The time of the first call, in nanoseconds after the start.
  double offset_ = 0;
  /// The mean gap, in nanoseconds.
  double gap_ = 0;
  double passed_ = 0;
  std::uint64_t number_ = 0;
  Random random_{0};
  Arrivals arrivals_ = Arrivals::even;
};

/// Returns false if the plan has a rate at which no call is due during the measurement.
bool has_due_calls(const LoadPlan& plan);

}  // namespace trunkline::load
