// SPDX-License-Identifier: MIT
// How often a session that waits for memory looks for some.
#include "session/memory_retry.h"

#include <gtest/gtest.h>

namespace trunkline::session {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr base::TimePoint start{std::chrono::hours(1)};

/// A session that counts how often it is told to look.
struct Waiting {
  static void look(base::Timer&, void* owner, base::TimePoint) { ++static_cast<Waiting*>(owner)->looks; }

  int looks = 0;
  base::TimerWheel timers{start};
  MemoryRetry retry{timers, &look, this};
};

/// How many looks a session takes that waits for `time`, and when the last one was.
int looks_during(MemoryRetry& retry, base::Duration time, base::TimePoint& now) {
  int looks = 0;
  for (const base::TimePoint end = now + time; now < end; ++looks) now += retry.pause(now);
  return looks;
}

TEST(MemoryRetry, LooksSoonAtFirst) {
  Waiting waiting;
  MemoryRetry& retry = waiting.retry;

  EXPECT_EQ(retry.pause(start), MemoryRetry::shortest);
  EXPECT_EQ(retry.pause(start + MemoryRetry::shortest), MemoryRetry::shortest);
}

TEST(MemoryRetry, LooksLessOftenTheLongerItWaits) {
  Waiting waiting;
  MemoryRetry& retry = waiting.retry;
  base::TimePoint now = start;

  EXPECT_LE(looks_during(retry, seconds(10), now), 150);
  EXPECT_EQ(retry.pause(now), MemoryRetry::longest);
}

TEST(MemoryRetry, BeginsAnewOnceThereWasSome) {
  Waiting waiting;
  MemoryRetry& retry = waiting.retry;
  base::TimePoint now = start;
  looks_during(retry, seconds(10), now);

  retry.end();

  EXPECT_EQ(retry.pause(now), MemoryRetry::shortest);
}

TEST(MemoryRetry, BeginsAnewIfNobodyHasAskedForLong) {
  Waiting waiting;
  MemoryRetry& retry = waiting.retry;
  base::TimePoint now = start;
  looks_during(retry, seconds(10), now);

  EXPECT_EQ(retry.pause(now + seconds(1)), MemoryRetry::shortest);
}

TEST(MemoryRetry, FiresOnceForEachWait) {
  Waiting waiting;
  waiting.retry.wait(start);
  waiting.retry.wait(start);
  waiting.timers.advance(start + milliseconds(4));
  EXPECT_EQ(waiting.looks, 0);
  waiting.timers.advance(start + seconds(1));
  EXPECT_EQ(waiting.looks, 1);
  waiting.timers.advance(start + seconds(2));
  EXPECT_EQ(waiting.looks, 1);

  waiting.retry.wait(start + seconds(2));
  waiting.timers.advance(start + seconds(3));
  EXPECT_EQ(waiting.looks, 2);
}

TEST(MemoryRetry, FiresNoMoreOnceItIsStopped) {
  Waiting waiting;
  waiting.retry.wait(start);
  waiting.retry.stop();
  waiting.timers.advance(start + seconds(1));
  EXPECT_EQ(waiting.looks, 0);
}

}  // namespace
}  // namespace trunkline::session
