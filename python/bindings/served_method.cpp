// SPDX-License-Identifier: MIT
// ServedMethod: tells slow handlers from quick ones.
#include "served_method.h"

namespace trunkline::python {

namespace {

/// A handler that takes this long makes its method a slow one.
constexpr std::chrono::microseconds slow_from{500};
/// This many calls in a row must be quick before a slow method is a quick one again.
constexpr int quick_calls_needed = 100;

}  // namespace

void ServedMethod::took(std::chrono::nanoseconds duration) const noexcept {
  if (duration >= slow_from) {
    slow_.store(quick_calls_needed, std::memory_order_relaxed);
  } else if (is_slow()) {
    slow_.fetch_sub(1, std::memory_order_relaxed);
  }
}

}  // namespace trunkline::python
