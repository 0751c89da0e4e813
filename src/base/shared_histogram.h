// SPDX-License-Identifier: MIT
// SharedHistogram: a Histogram that one thread fills while others read it.
#pragma once

#include "base/counter.h"
#include "base/histogram.h"

#include <array>
#include <atomic>
#include <cstdint>

namespace trunkline::base {

/// record() is for one thread, add_to() for any. No locked instruction.
class SharedHistogram {
 public:
  void record(std::uint64_t value) noexcept;
  /// What has been recorded so far. A value that is being recorded may show in a part of it.
  void add_to(Histogram& out) const noexcept;

 private:
  std::array<std::atomic<std::uint64_t>, Histogram::buckets> counts_{};
  Counter sum_;
  std::atomic<std::uint64_t> min_{UINT64_MAX};
  std::atomic<std::uint64_t> max_{0};
};

}  // namespace trunkline::base
