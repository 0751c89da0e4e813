// SPDX-License-Identifier: MIT
// FineHistogram against quantiles of sorted values.
#include "base/histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <vector>

namespace trunkline::base {
namespace {

constexpr double error = 0x1p-10;

std::uint64_t exact(std::vector<std::uint64_t> values, double q) {
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::max(1.0, std::ceil(q * static_cast<double>(values.size()))));
  return values[rank - 1];
}

template <class Draw>
void expect_near_exact(Draw draw) {
  const auto histogram = std::make_unique<FineHistogram>();
  std::vector<std::uint64_t> values;
  std::mt19937_64 generator(20261122);
  for (int count = 0; count < 200000; ++count) {
    values.push_back(draw(generator));
    histogram->record(values.back());
  }

  for (const double q : {0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.999, 0.9999, 1.0}) {
    const auto wanted = static_cast<double>(exact(values, q));
    EXPECT_GE(static_cast<double>(histogram->quantile(q)), wanted) << q;
    EXPECT_LE(static_cast<double>(histogram->quantile(q)), wanted * (1 + error)) << q;
  }
  EXPECT_EQ(histogram->max(), *std::max_element(values.begin(), values.end()));
  EXPECT_EQ(histogram->min(), *std::min_element(values.begin(), values.end()));
}

TEST(FineHistogram, IsWithinAThousandthOfExactQuantilesOfExponentialLatencies) {
  expect_near_exact([](std::mt19937_64& generator) {
    return static_cast<std::uint64_t>(std::exponential_distribution<double>(1e-5)(generator));
  });
}

TEST(FineHistogram, IsWithinAThousandthOfExactQuantilesOverNineOrdersOfMagnitude) {
  expect_near_exact([](std::mt19937_64& generator) {
    return static_cast<std::uint64_t>(std::exp(std::uniform_real_distribution<double>(0, 20.7)(generator)));
  });
}

TEST(FineHistogram, IsExactBelowATwoThousandthPart) {
  const auto histogram = std::make_unique<FineHistogram>();
  for (std::uint64_t value = 0; value < 1024; ++value) histogram->record(value);

  EXPECT_EQ(histogram->quantile(0.5), 511U);
  EXPECT_EQ(histogram->quantile(1.0), 1023U);
}

TEST(FineHistogram, CountsAValueManyTimesAtOnce) {
  const auto one_by_one = std::make_unique<FineHistogram>(), at_once = std::make_unique<FineHistogram>();
  for (int count = 0; count < 7; ++count) one_by_one->record(123456);
  at_once->record(123456, 7);
  at_once->record(1, 0);

  EXPECT_EQ(at_once->count(), 7U);
  EXPECT_EQ(at_once->sum(), one_by_one->sum());
  EXPECT_EQ(at_once->min(), 123456U);
}

TEST(FineHistogram, IsTheSameAfterMergingAndClearing) {
  const auto left = std::make_unique<FineHistogram>(), right = std::make_unique<FineHistogram>();
  const auto both = std::make_unique<FineHistogram>(), empty = std::make_unique<FineHistogram>();
  for (std::uint64_t value = 1; value < 1000000; value = value * 3 + 1) {
    left->record(value), both->record(value);
    right->record(value * 7), both->record(value * 7);
  }

  left->merge(*right);
  left->merge(*empty);

  for (const double q : {0.1, 0.5, 0.9, 1.0}) EXPECT_EQ(left->quantile(q), both->quantile(q));
  left->clear();
  EXPECT_EQ(left->count(), 0U);
  left->record(5);
  EXPECT_EQ(left->quantile(0.5), 5U);
  EXPECT_EQ(left->max(), 5U);
}

}  // namespace
}  // namespace trunkline::base
