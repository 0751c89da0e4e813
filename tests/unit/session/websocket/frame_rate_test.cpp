// SPDX-License-Identifier: MIT
// FrameRate: a flood within a second, and as many over a longer time.
#include "session/websocket/frame_rate.h"

#include <gtest/gtest.h>

namespace trunkline::session::websocket {
namespace {

TEST(WebSocketFrameRate, EndsAFlood) {
  FrameRate rate;
  const base::TimePoint now{std::chrono::hours(1)};
  for (std::uint32_t i = 0; i < FrameRate::max_per_second; ++i) EXPECT_TRUE(rate.add(now));

  EXPECT_FALSE(rate.add(now));
}

TEST(WebSocketFrameRate, AllowsAsManyInEachSecond) {
  FrameRate rate;
  base::TimePoint now{std::chrono::hours(1)};
  for (int second = 0; second < 3; ++second) {
    for (std::uint32_t i = 0; i < FrameRate::max_per_second; ++i) EXPECT_TRUE(rate.add(now));
    now += std::chrono::seconds(1);
  }
}

}  // namespace
}  // namespace trunkline::session::websocket
