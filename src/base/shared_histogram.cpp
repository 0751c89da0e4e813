// SPDX-License-Identifier: MIT
// SharedHistogram: one thread records while readers read, within the bounds that they find.
#include "base/shared_histogram.h"

#include <algorithm>
#include <cstddef>

namespace trunkline::base {

void SharedHistogram::record(std::uint64_t value) noexcept {
  value = std::min(value, Histogram::max_value);
  if (value < min_.load(std::memory_order_relaxed)) min_.store(value, std::memory_order_relaxed);
  if (value > max_.load(std::memory_order_relaxed)) max_.store(value, std::memory_order_relaxed);
  std::atomic<std::uint64_t>& count = counts_[Histogram::bucket_of(value)];
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  sum_.add(static_cast<std::int64_t>(value));
}

void SharedHistogram::add_to(Histogram& out) const noexcept {
  const std::uint64_t min = min_.load(std::memory_order_relaxed);
  const std::uint64_t max = max_.load(std::memory_order_relaxed);
  if (min > max) return;
  // A value that is recorded meanwhile beyond these bounds shows up in a later call.
  for (std::size_t bucket = Histogram::bucket_of(min); bucket <= Histogram::bucket_of(max); ++bucket) {
    const std::uint64_t count = counts_[bucket].load(std::memory_order_relaxed);
    out.counts_[bucket] += count;
    out.count_ += count;
  }
  out.sum_ += sum_.value();
  out.min_ = std::min(out.min_, min);
  out.max_ = std::max(out.max_, max);
}

}  // namespace trunkline::base
