// SPDX-License-Identifier: MIT
// SharedHistogram: agrees with Histogram, and can be read while it is filled.
#include "base/shared_histogram.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

namespace trunkline::base {
namespace {

TEST(SharedHistogram, AgreesWithAHistogram) {
  Histogram expected;
  SharedHistogram shared;
  for (std::uint64_t value = 1; value < (std::uint64_t{1} << 42); value = value * 3 + 1) {
    expected.record(value);
    shared.record(value);
  }

  Histogram read;
  shared.add_to(read);

  EXPECT_EQ(read.count(), expected.count());
  EXPECT_EQ(read.sum(), expected.sum());
  EXPECT_EQ(read.min(), expected.min());
  EXPECT_EQ(read.max(), expected.max());
  for (const double q : {0.0, 0.25, 0.5, 0.9, 1.0}) EXPECT_EQ(read.quantile(q), expected.quantile(q));
}

TEST(SharedHistogram, IsEmptyAtFirst) {
  Histogram read;
  SharedHistogram().add_to(read);

  EXPECT_EQ(read.count(), 0u);
  EXPECT_EQ(read.min(), 0u);
  EXPECT_EQ(read.max(), 0u);
}

TEST(SharedHistogram, IsReadWhileItIsFilled) {
  SharedHistogram shared;
  std::atomic<bool> done = false;
  std::thread writer([&] {
    for (std::uint64_t value = 1; value <= 100'000; ++value) shared.record(value);
    done = true;
  });

  std::uint64_t last = 0;
  while (!done) {
    Histogram read;
    shared.add_to(read);
    ASSERT_GE(read.count(), last);
    last = read.count();
    ASSERT_LE(read.count(), 100'000u);
    ASSERT_LE(read.min(), read.max());
  }
  writer.join();

  Histogram read;
  shared.add_to(read);
  EXPECT_EQ(read.count(), 100'000u);
}

TEST(Histogram, VisitsItsBucketsInAscendingOrder) {
  Histogram histogram;
  for (const std::uint64_t value : {5u, 1000u, 5u}) histogram.record(value);

  std::vector<std::pair<std::uint64_t, std::uint64_t>> visited;
  histogram.visit_buckets([&](std::uint64_t edge, std::uint64_t count) { visited.emplace_back(edge, count); });

  ASSERT_EQ(visited.size(), 2u);
  EXPECT_EQ(visited[0], (std::pair<std::uint64_t, std::uint64_t>(5, 2)));
  EXPECT_GE(visited[1].first, 1000u);
  EXPECT_LE(visited[1].first, 1031u);
  EXPECT_EQ(visited[1].second, 1u);
}

}  // namespace
}  // namespace trunkline::base
