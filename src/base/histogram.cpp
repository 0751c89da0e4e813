// SPDX-License-Identifier: MIT
// BasicHistogram: every power of two has 2^SubBits buckets, so that a bucket is no wider than 2^-SubBits of its values.
#include "base/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace trunkline::base {

template <int SubBits>
std::size_t BasicHistogram<SubBits>::bucket_of(std::uint64_t value) noexcept {
  constexpr std::uint64_t exact = std::uint64_t{1} << sub_bits;
  if (value < exact) return static_cast<std::size_t>(value);
  const int shift = static_cast<int>(std::bit_width(value)) - 1 - sub_bits;
  return (static_cast<std::size_t>(shift + 1) << sub_bits) + static_cast<std::size_t>((value >> shift) - exact);
}

template <int SubBits>
std::uint64_t BasicHistogram<SubBits>::upper_edge(std::size_t bucket) noexcept {
  constexpr std::uint64_t exact = std::uint64_t{1} << sub_bits;
  if (bucket < exact) return bucket;
  const auto shift = (bucket >> sub_bits) - 1;
  const std::uint64_t leading = exact + (bucket & (exact - 1));
  return ((leading + 1) << shift) - 1;
}

template <int SubBits>
void BasicHistogram<SubBits>::record(std::uint64_t value, std::uint64_t count) noexcept {
  if (count == 0) return;
  value = std::min(value, max_value);
  counts_[bucket_of(value)] += count;
  count_ += count;
  sum_ += value * count;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
}

template <int SubBits>
void BasicHistogram<SubBits>::merge(const BasicHistogram& other) noexcept {
  if (other.count_ == 0) return;
  const std::size_t end = bucket_of(other.max_) + 1;
  for (std::size_t bucket = bucket_of(other.min_); bucket < end; ++bucket) counts_[bucket] += other.counts_[bucket];
  count_ += other.count_;
  sum_ += other.sum_;
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
}

template <int SubBits>
void BasicHistogram<SubBits>::clear() noexcept {
  if (count_ == 0) return;
  std::fill(counts_.data() + bucket_of(min_), counts_.data() + bucket_of(max_) + 1, 0);
  count_ = sum_ = max_ = 0;
  min_ = UINT64_MAX;
}

template <int SubBits>
std::uint64_t BasicHistogram<SubBits>::quantile(double q) const noexcept {
  if (count_ == 0) return 0;
  const double wanted = q > 0.0 ? std::ceil(std::min(q, 1.0) * static_cast<double>(count_)) : 1.0;
  const std::uint64_t rank = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, count_);
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    seen += counts_[bucket];
    if (seen >= rank) return std::min(upper_edge(bucket), max_);
  }
  return max_;
}

template class BasicHistogram<5>;
template class BasicHistogram<10>;

}  // namespace trunkline::base
