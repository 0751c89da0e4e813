// SPDX-License-Identifier: MIT
// SharedHistogram: a Histogram that one thread fills while other threads read it.
#pragma once

#include "base/counter.h"
#include "base/histogram.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace trunkline::base {

/// One thread may call record(), and any thread add_to(). Neither needs a locked instruction.
class SharedHistogram {
 public:
  void record(std::uint64_t value) noexcept;
  /// Adds what has been recorded so far to `out`. If a value is being recorded, its count, sum, minimum and maximum may
  /// not all be there yet.
  void add_to(Histogram& out) const noexcept;

 private:
  std::array<std::atomic<std::uint64_t>, Histogram::buckets> counts_{};
  Counter sum_;
  std::atomic<std::uint64_t> min_{UINT64_MAX};
  std::atomic<std::uint64_t> max_{0};
};

}  // namespace trunkline::base
