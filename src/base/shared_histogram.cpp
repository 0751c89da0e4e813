// SPDX-License-Identifier: MIT
// Recording beside readers: the bounds first, so that whoever sees a value counted finds it within them.
#include "base/shared_histogram.h"

#include <algorithm>

namespace trunkline::base {

void SharedHistogram::record(std::uint64_t value) noexcept {
  value = std::min(value, Histogram::max_value);
  if (value < min_.load(std::memory_order_relaxed)) min_.store(value, std::memory_order_relaxed);
  if (value > max_.load(std::memory_order_relaxed)) max_.store(value, std::memory_order_relaxed);
  std::atomic<std::uint64_t>& count = counts_[Histogram::bucket_of(value)];
  count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  sum_.add(static_cast<std::int64_t>(value));
}

void SharedHistogram::add_to(Histogram& out) const noexcept {
  for (std::size_t bucket = 0; bucket < Histogram::buckets; ++bucket) {
    const std::uint64_t count = counts_[bucket].load(std::memory_order_acquire);
    out.counts_[bucket] += count;
    out.count_ += count;
  }
  out.sum_ += sum_.value();
  out.min_ = std::min(out.min_, min_.load(std::memory_order_relaxed));
  out.max_ = std::max(out.max_, max_.load(std::memory_order_relaxed));
}

}  // namespace trunkline::base
