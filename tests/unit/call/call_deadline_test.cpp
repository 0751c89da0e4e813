// SPDX-License-Identifier: MIT
// Which time limit applies, and what the calls of a handler inherit.
#include "call/call_deadline.h"
#include "call/inherited_deadline.h"

#include <gtest/gtest.h>

#include <thread>

namespace trunkline::call {

namespace {

using namespace std::chrono_literals;
const base::TimePoint now{1h};

TEST(CallDeadline, IsNeverWithoutAnyLimit) { EXPECT_EQ(call_deadline({}, {}, {}, base::never, now), base::never); }

TEST(CallDeadline, TimeoutCountsFromNow) { EXPECT_EQ(call_deadline(5s, {}, {}, base::never, now), now + 5s); }

TEST(CallDeadline, NegativeTimeoutsAreNow) { EXPECT_EQ(call_deadline(-5s, {}, {}, base::never, now), now); }

TEST(CallDeadline, HugeTimeoutsAreNever) {
  EXPECT_EQ(call_deadline(std::chrono::nanoseconds::max(), {}, {}, base::never, now), base::never);
}

TEST(CallDeadline, TheEarlierOfTimeoutAndDeadlineCounts) {
  EXPECT_EQ(call_deadline(5s, now + 3s, {}, base::never, now), now + 3s);
  EXPECT_EQ(call_deadline(2s, now + 3s, {}, base::never, now), now + 2s);
}

TEST(CallDeadline, OwnLimitsOverrideDefaultAndInherited) {
  EXPECT_EQ(call_deadline(50s, {}, 1s, now + 2s, now), now + 50s);
  EXPECT_EQ(call_deadline({}, {}, 1s, now + 2s, now), now + 1s);
  EXPECT_EQ(call_deadline({}, {}, 3s, now + 2s, now), now + 2s);
}

TEST(InheritedDeadline, NestsAndBelongsToTheThread) {
  EXPECT_EQ(InheritedDeadline::current(), base::never);
  {
    const InheritedDeadline::Scope outer(now);
    base::TimePoint elsewhere{};
    std::thread([&] { elsewhere = InheritedDeadline::current(); }).join();
    EXPECT_EQ(elsewhere, base::never);
    {
      const InheritedDeadline::Scope inner(now + 1s);
      EXPECT_EQ(InheritedDeadline::current(), now + 1s);
    }
    EXPECT_EQ(InheritedDeadline::current(), now);
  }

  EXPECT_EQ(InheritedDeadline::current(), base::never);
}

}  // namespace

}  // namespace trunkline::call
