// SPDX-License-Identifier: MIT
// How often a session that waits for memory looks for some.
#include "session/memory_retry.h"

#include <gtest/gtest.h>

namespace trunkline::session {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr base::TimePoint start{std::chrono::hours(1)};

/// How many looks a session takes that waits for `time`, and when the last one was.
int looks_during(MemoryRetry& retry, base::Duration time, base::TimePoint& now) {
  int looks = 0;
  for (const base::TimePoint end = now + time; now < end; ++looks) now += retry.pause(now);
  return looks;
}

TEST(MemoryRetry, LooksSoonAtFirst) {
  MemoryRetry retry;

  EXPECT_EQ(retry.pause(start), MemoryRetry::shortest);
  EXPECT_EQ(retry.pause(start + MemoryRetry::shortest), MemoryRetry::shortest);
}

TEST(MemoryRetry, LooksLessOftenTheLongerItWaits) {
  MemoryRetry retry;
  base::TimePoint now = start;

  EXPECT_LE(looks_during(retry, seconds(10), now), 150);
  EXPECT_EQ(retry.pause(now), MemoryRetry::longest);
}

TEST(MemoryRetry, BeginsAnewOnceThereWasSome) {
  MemoryRetry retry;
  base::TimePoint now = start;
  looks_during(retry, seconds(10), now);

  retry.end();

  EXPECT_EQ(retry.pause(now), MemoryRetry::shortest);
}

TEST(MemoryRetry, BeginsAnewIfNobodyHasAskedForLong) {
  MemoryRetry retry;
  base::TimePoint now = start;
  looks_during(retry, seconds(10), now);

  EXPECT_EQ(retry.pause(now + seconds(1)), MemoryRetry::shortest);
}

}  // namespace
}  // namespace trunkline::session
