// SPDX-License-Identifier: MIT
// BandwidthEstimator: when a window grows, and where that ends.
#include "http/http2/bandwidth_estimator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace trunkline::http::http2 {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kib = 1024;

class BandwidthEstimatorTest : public testing::Test {
 protected:
  BandwidthEstimatorTest() = default;

  /// `bytes` come, and after `time` the answer to the ping that was sent before them or with them.
  bool sample(std::uint32_t bytes, std::chrono::nanoseconds time, bool may_grow = true) {
    static_cast<void>(estimator_.add(bytes, now_));
    now_ += time;
    return estimator_.end(now_, may_grow);
  }

  BandwidthEstimator estimator_{64 * kib, 1024 * kib};
  BandwidthEstimator::TimePoint now_{};
};

TEST_F(BandwidthEstimatorTest, DoublesAWindowThatIsUsedUp) {
  EXPECT_TRUE(sample(64 * kib, 100ms));
  EXPECT_EQ(estimator_.window(), 128 * kib);
  EXPECT_TRUE(sample(100 * kib, 100ms));
  EXPECT_EQ(estimator_.window(), 200 * kib);
}

TEST_F(BandwidthEstimatorTest, KeepsAWindowThatIsNotUsedUp) {
  EXPECT_FALSE(sample(42 * kib, 100ms));

  EXPECT_EQ(estimator_.window(), 64 * kib);
}

TEST_F(BandwidthEstimatorTest, StopsWhereTheBandwidthDoesNotGrow) {
  sample(64 * kib, 100ms);

  EXPECT_FALSE(sample(128 * kib, 200ms)) << "more waits on the way";

  EXPECT_EQ(estimator_.window(), 128 * kib);
}

TEST_F(BandwidthEstimatorTest, StopsAtItsLimit) {
  while (estimator_.window() < 1000 * kib) ASSERT_TRUE(sample(estimator_.window(), 100ms));
  EXPECT_EQ(estimator_.window(), 1024 * kib);
  EXPECT_FALSE(estimator_.is_sampling());

  EXPECT_FALSE(estimator_.add(1024 * kib, now_));
}

TEST_F(BandwidthEstimatorTest, KeepsTheWindowWithoutMemory) {
  EXPECT_FALSE(sample(64 * kib, 100ms, false));
  EXPECT_EQ(estimator_.window(), 64 * kib);
  EXPECT_TRUE(sample(64 * kib, 100ms)) << "the sample did not count";
}

TEST_F(BandwidthEstimatorTest, SendsOnePingAtATime) {
  EXPECT_TRUE(estimator_.add(16 * kib, now_));
  EXPECT_FALSE(estimator_.add(16 * kib, now_));
  EXPECT_FALSE(estimator_.add(16 * kib, now_));

  EXPECT_TRUE(estimator_.end(now_ + 100ms, true)) << "all three count";
  EXPECT_EQ(estimator_.window(), 96 * kib);
  EXPECT_TRUE(estimator_.is_sampling()) << "the next one follows without a gap";
}

TEST_F(BandwidthEstimatorTest, SendsNoPingForShortMessages) {
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(estimator_.add(4 * kib - 1, now_)) << i;
}

TEST_F(BandwidthEstimatorTest, SendsFewerPingsWhereTheWindowDoesNotGrow) {
  std::vector<std::uint32_t> frames;
  for (int i = 0; i < 10; ++i) {
    std::uint32_t count = 1;
    while (!estimator_.add(4 * kib, now_)) ++count;
    frames.push_back(count);
    for (int answer = 0; answer < 3; ++answer) {
      EXPECT_TRUE(estimator_.is_sampling()) << answer;
      if (answer > 0) static_cast<void>(estimator_.add(4 * kib, now_));
      EXPECT_FALSE(estimator_.end(now_ += 100ms, true));
    }
    EXPECT_FALSE(estimator_.is_sampling());
  }

  EXPECT_THAT(frames, testing::ElementsAre(1, 16, 32, 64, 128, 256, 512, 1024, 1024, 1024));
}

TEST_F(BandwidthEstimatorTest, EndsWithTheTransfer) {
  sample(64 * kib, 100ms);
  ASSERT_TRUE(estimator_.is_sampling());

  EXPECT_FALSE(estimator_.end(now_ += 100ms, true));

  EXPECT_FALSE(estimator_.is_sampling());
  EXPECT_TRUE(estimator_.add(4 * kib, now_)) << "the next transfer is sampled at once";
}

TEST_F(BandwidthEstimatorTest, IgnoresAnAnswerToNothing) {
  EXPECT_FALSE(estimator_.end(now_ + 100ms, true));
  EXPECT_FALSE(estimator_.is_sampling());
}

TEST_F(BandwidthEstimatorTest, TakesAnAnswerWithoutDelay) { EXPECT_TRUE(sample(64 * kib, 0ms)); }

TEST(BandwidthEstimator, NeverMakesAWindowSmallerThanItWas) {
  BandwidthEstimator estimator(64 * kib, 0);

  EXPECT_FALSE(estimator.add(100 * kib, {}));
  EXPECT_EQ(estimator.window(), 64 * kib);
}

}  // namespace
}  // namespace trunkline::http::http2
