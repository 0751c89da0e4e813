// SPDX-License-Identifier: MIT
// Schedule: makes even gaps, or the gaps of a Poisson process.
#include "load/schedule.h"

#include <algorithm>
#include <cmath>

namespace trunkline::load {
namespace {

double in_seconds(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

/// The number of expected calls from which on at least one is practically certain to be due with random gaps.
constexpr double enough_calls = 50;
/// The most calls of a warm-up that is simulated; beyond that has_due_calls() returns true.
constexpr double max_simulated_calls = 1e7;

}  // namespace

Schedule::Schedule(Clock::time_point start, double rate, Arrivals arrivals, std::size_t index, std::size_t shares)
    : start_(start), gap_(1e9 / rate * static_cast<double>(shares)), random_(index + 1), arrivals_(arrivals) {
  offset_ = 1e9 / rate * static_cast<double>(index);
  passed_ = offset_;
  due_ = start_ + std::chrono::nanoseconds(std::llround(offset_));
}

void Schedule::advance() noexcept {
  ++number_;
  if (arrivals_ == Arrivals::even) {
    passed_ = offset_ + static_cast<double>(number_) * gap_;
  } else {
    passed_ -= std::log(random_.fraction()) * gap_;
  }
  due_ = start_ + std::chrono::nanoseconds(std::llround(passed_));
}

bool has_due_calls(const LoadPlan& plan) {
  if (plan.rate <= 0 || plan.duration.count() == 0 || plan.rate * in_seconds(plan.duration) >= enough_calls)
    return true;
  const Clock::time_point from = Clock::time_point() + plan.warmup, end = from + plan.duration;
  if (plan.arrivals == Arrivals::even) {
    // The gap between calls of all generators together.
    const double first = std::ceil(in_seconds(plan.warmup) * plan.rate) / plan.rate;
    return first < in_seconds(plan.warmup + plan.duration);
  }
  if (plan.rate * in_seconds(plan.warmup) > max_simulated_calls) return true;
  for (std::size_t index = 0; index < plan.threads; ++index) {
    Schedule schedule(Clock::time_point(), plan.rate, plan.arrivals, index, plan.threads);
    while (schedule.due() < from) schedule.advance();
    if (schedule.due() < end) return true;
  }
  return false;
}

}  // namespace trunkline::load
