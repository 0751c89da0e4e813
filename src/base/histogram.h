// SPDX-License-Identifier: MIT
// Histogram: counts of durations in buckets of bounded relative error, after HdrHistogram.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace trunkline::base {

/// Records values from 0 to 2^40 - 1, which is 18 minutes in nanoseconds; a larger value counts as the largest. A
/// bucket is no wider than 2^-SubBits of its values. One thread at a time may use it; merge() combines the histograms
/// of several threads.
template <int SubBits>
class BasicHistogram {
 public:
  void record(std::uint64_t value) noexcept { record(value, 1); }
  void record(std::uint64_t value, std::uint64_t count) noexcept;
  void merge(const BasicHistogram& other) noexcept;
  void clear() noexcept;

  std::uint64_t count() const noexcept { return count_; }
  std::uint64_t min() const noexcept { return count_ ? min_ : 0; }
  std::uint64_t max() const noexcept { return max_; }
  double mean() const noexcept { return count_ ? static_cast<double>(sum_) / static_cast<double>(count_) : 0.0; }
  /// Returns the upper edge of the bucket with the q-th quantile, 0 <= q <= 1, but at most max(); 0 when empty.
  std::uint64_t quantile(double q) const noexcept;
  std::uint64_t sum() const noexcept { return sum_; }

  /// Calls `visit(upper edge, count)` for each bucket that is not empty, in ascending order.
  template <class Visit>
  void visit_buckets(Visit visit) const {
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      if (counts_[bucket] != 0) visit(upper_edge(bucket), counts_[bucket]);
    }
  }

 private:
  friend class SharedHistogram;
  static constexpr int sub_bits = SubBits;
  static constexpr int max_bits = 40;
  static constexpr std::uint64_t max_value = (std::uint64_t{1} << max_bits) - 1;
  static constexpr std::size_t buckets = (max_bits - sub_bits + 1) << sub_bits;
  static std::size_t bucket_of(std::uint64_t value) noexcept;
  static std::uint64_t upper_edge(std::size_t bucket) noexcept;

  std::array<std::uint64_t, buckets> counts_{};
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t min_ = UINT64_MAX;
  std::uint64_t max_ = 0;
};

extern template class BasicHistogram<5>;
extern template class BasicHistogram<10>;

/// A histogram of 9 KiB, with an error of 3 %, for statistics that are always on.
using Histogram = BasicHistogram<5>;
/// A histogram of 248 KiB, with an error of 0.1 %, for measurements.
using FineHistogram = BasicHistogram<10>;

}  // namespace trunkline::base
