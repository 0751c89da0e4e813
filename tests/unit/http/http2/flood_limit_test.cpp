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

/// How many WINDOW_UPDATE frames a peer may send at once.
std::uint64_t updates_for(std::uint64_t data_frames, std::uint64_t data_bytes) {
  FloodLimit limit(begin);
  std::uint64_t updates = 0;
  while (limit.add_window_update(begin, data_frames, data_bytes)) ++updates;
  return updates;
}

TEST(FloodLimit, DoesNotCountWhatReturnsTheWindowsOfData) {
  EXPECT_EQ(updates_for(0, 0), FloodLimit::max_frames);
  EXPECT_EQ(updates_for(5000, 5000), FloodLimit::max_frames + 10000);
  EXPECT_EQ(updates_for(0, 16 << 20), FloodLimit::max_frames + 4096);
}

TEST(FloodLimit, BoundsWhatReturnsWindowsLate) {
  EXPECT_EQ(updates_for(std::uint64_t{1} << 40, 0), FloodLimit::max_frames + FloodLimit::max_late_updates);
}

}  // namespace
}  // namespace trunkline::http::http2
