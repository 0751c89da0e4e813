// SPDX-License-Identifier: MIT
// FloodLimit: what a peer may send for nothing.
#include "http/http2/flood_limit.h"

#include <gtest/gtest.h>

namespace trunkline::http::http2 {
namespace {

constexpr FloodLimit::TimePoint begin{};

TEST(FloodLimit, EndsAFlood) {
  FloodLimit limit(begin);

  for (std::uint32_t i = 0; i < FloodLimit::max_frames; ++i) EXPECT_TRUE(limit.add(begin)) << i;
  EXPECT_FALSE(limit.add(begin));
}

TEST(FloodLimit, CountsWhatAFrameCosts) {
  FloodLimit limit(begin);

  EXPECT_TRUE(limit.add(begin, FloodLimit::max_frames - 1));
  EXPECT_TRUE(limit.add(begin, 0));
  EXPECT_TRUE(limit.add(begin));
  EXPECT_FALSE(limit.add(begin));
}

TEST(FloodLimit, AllowsForMoreWithWork) {
  FloodLimit limit(begin);

  for (int i = 0; i < 100000; ++i) {
    if (i % FloodLimit::per_work == 0) limit.worked();
    ASSERT_TRUE(limit.add(begin)) << i;
  }
}

TEST(FloodLimit, AllowsForMoreWithTime) {
  FloodLimit limit(begin);

  for (int i = 0; i < 100000; ++i) ASSERT_TRUE(limit.add(begin + i * FloodLimit::per_frame)) << i;
}

}  // namespace
}  // namespace trunkline::http::http2
