// SPDX-License-Identifier: MIT
// deadline_after: sums within and beyond the range of the clock. wall_time_after: times as text.
#include "base/clock.h"

#include "base/wall_time.h"

#include <gmock/gmock.h>

#include <string>

namespace trunkline::base {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint now{std::chrono::hours(1000)};

TEST(DeadlineAfter, AddsTheTimeout) {
  EXPECT_EQ(deadline_after(now, 5ms), now + 5ms);
  EXPECT_EQ(deadline_after(now, 0ms), now);
  EXPECT_EQ(deadline_after(now, -5ms), now - 5ms);
}

TEST(DeadlineAfter, IsNeverWhereTheSumOverflows) {
  EXPECT_EQ(deadline_after(now, Duration::max()), never);
  EXPECT_EQ(deadline_after(now, never - now), never);
  EXPECT_LT(deadline_after(now, never - now - Duration(1)), never);
}

TEST(SteadyClock, DoesNotRunBackwards) {
  const SteadyClock clock;

  const TimePoint first = clock.now();

  EXPECT_LE(first, clock.now());
}

TEST(WallTimeAfter, IsTheTimeOfDayInUtc) {
  EXPECT_THAT(wall_time_after(0s), testing::MatchesRegex("20..-..-..T..:..:..Z"));
  // Each later time is made after the earlier one.
  const std::string past = wall_time_after(-48h);
  const std::string now_then = wall_time_after(0s);
  EXPECT_LT(past, now_then);
  EXPECT_LT(now_then, wall_time_after(2s));
}

}  // namespace
}  // namespace trunkline::base
