// SPDX-License-Identifier: MIT
// Even gaps, or those of a Poisson process.
#include "load/schedule.h"

#include <cmath>

namespace trunkline::load {

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

}  // namespace trunkline::load
