// SPDX-License-Identifier: MIT
// Histogram: exact small values, the error bound of large values, and merging.
#include "base/histogram.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace trunkline::base {
namespace {

constexpr std::uint64_t largest = (std::uint64_t{1} << 40) - 1;

TEST(Histogram, IsEmptyAtFirst) {
  const Histogram histogram;

  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.min(), 0u);
  EXPECT_EQ(histogram.max(), 0u);
  EXPECT_EQ(histogram.mean(), 0.0);
  EXPECT_EQ(histogram.quantile(0.5), 0u);
}

TEST(Histogram, IsExactBelow64) {
  for (std::uint64_t value = 0; value < 64; ++value) {
    Histogram histogram;
    histogram.record(value);
    histogram.record(100);  // so that the quantile is not limited by the largest value

    EXPECT_EQ(histogram.quantile(0.5), value);
  }
}

TEST(Histogram, BucketsAreNoWiderThanA32ndOfTheirValue) {
  std::uint64_t checked = 0;
  for (int bits = 6; bits <= 40; ++bits) {
    const std::uint64_t power = std::uint64_t{1} << (bits - 1);
    for (const std::uint64_t value :
         {power - 1, power, power + 1, power + power / 3, power + power / 32, 2 * power - 1}) {
      Histogram histogram;
      histogram.record(value);
      histogram.record(largest);
      const std::uint64_t edge = histogram.quantile(0.5);

      EXPECT_GE(edge, value);
      EXPECT_LE(edge - value, value / 32) << value;
      ++checked;
    }
  }
  EXPECT_EQ(checked, 35u * 6);
}

TEST(Histogram, CountsLargerValuesAsTheLargest) {
  Histogram histogram;

  histogram.record(largest + 1);
  histogram.record(UINT64_MAX);

  EXPECT_EQ(histogram.count(), 2u);
  EXPECT_EQ(histogram.min(), largest);
  EXPECT_EQ(histogram.max(), largest);
  EXPECT_EQ(histogram.quantile(1.0), largest);
  EXPECT_DOUBLE_EQ(histogram.mean(), static_cast<double>(largest));
}

TEST(Histogram, QuantilesAreLimitedToTheMaximumAndTheirRange) {
  Histogram histogram;
  histogram.record(1000);
  histogram.record(1001);

  EXPECT_EQ(histogram.quantile(1.0), 1001u);
  EXPECT_EQ(histogram.quantile(2.0), 1001u);
  EXPECT_GE(histogram.quantile(-1.0), 1000u);
  EXPECT_EQ(histogram.quantile(-1.0), histogram.quantile(0.0));
}

TEST(Histogram, QuantileOfNaNIsARecordedValue) {
  Histogram histogram;
  histogram.record(5);
  histogram.record(9);

  const std::uint64_t value = histogram.quantile(std::nan(""));

  EXPECT_TRUE(value == 5 || value == 9) << value;
}

TEST(Histogram, QuantilesTakeTheNearestRank) {
  Histogram histogram;
  for (const std::uint64_t value : {1, 2, 3, 4}) histogram.record(value);

  EXPECT_EQ(histogram.quantile(0.0), 1u);
  EXPECT_EQ(histogram.quantile(0.25), 1u);
  EXPECT_EQ(histogram.quantile(0.26), 2u);
  EXPECT_EQ(histogram.quantile(0.5), 2u);
  EXPECT_EQ(histogram.quantile(0.75), 3u);
  EXPECT_EQ(histogram.quantile(0.99), 4u);
}

std::vector<std::uint64_t> random_values(std::uint64_t seed, std::size_t count) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(0.0, 40.0);
  std::vector<std::uint64_t> values(count);
  std::generate(values.begin(), values.end(),
                [&] { return std::min(largest, static_cast<std::uint64_t>(std::exp2(exponent(random)))); });
  return values;
}

TEST(Histogram, AgreesWithSortedValuesWithinTheErrorBound) {
  const char* given = std::getenv("TRUNKLINE_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  SCOPED_TRACE("TRUNKLINE_SEED=" + std::to_string(seed));
  std::vector<std::uint64_t> values = random_values(seed, 5000);

  Histogram histogram;
  for (const std::uint64_t value : values) histogram.record(value);
  std::sort(values.begin(), values.end());

  EXPECT_EQ(histogram.min(), values.front());
  EXPECT_EQ(histogram.max(), values.back());
  for (const double q : {0.0, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto rank = std::max<std::size_t>(1, static_cast<std::size_t>(std::ceil(q * 5000.0)));
    const std::uint64_t exact = values[rank - 1];
    EXPECT_GE(histogram.quantile(q), exact) << q;
    EXPECT_LE(histogram.quantile(q) - exact, exact / 32) << q;
  }
}

TEST(Histogram, MergeIsTheSameAsRecordingEverything) {
  Histogram first, second, both;
  for (std::uint64_t value = 1; value < 100000; value = value * 3 + 1) {
    (value % 2 == 0 ? first : second).record(value);
    both.record(value);
  }

  first.merge(second);
  first.merge(Histogram());

  EXPECT_EQ(first.count(), both.count());
  EXPECT_EQ(first.min(), both.min());
  EXPECT_EQ(first.max(), both.max());
  EXPECT_DOUBLE_EQ(first.mean(), both.mean());
  for (const double q : {0.1, 0.5, 0.9}) EXPECT_EQ(first.quantile(q), both.quantile(q)) << q;
}

TEST(Histogram, IsEmptyAfterClear) {
  Histogram histogram;
  histogram.record(7);

  histogram.clear();

  EXPECT_EQ(histogram.count(), 0u);
  EXPECT_EQ(histogram.max(), 0u);
  EXPECT_EQ(histogram.quantile(1.0), 0u);
}

}  // namespace
}  // namespace trunkline::base
