// SPDX-License-Identifier: MIT
// When a call is sent a second time, and how often at most.
#include "balance/hedge_policy.h"

namespace trunkline::balance {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr base::TimePoint start{std::chrono::hours(1)};

/// Of a hundred answers, the n-th takes n ms.
void answer_hundred(HedgePolicy& policy, base::TimePoint now, int factor = 1) {
  for (int ms = 1; ms <= 100; ++ms) policy.on_answered(milliseconds(ms * factor), now);
}

TEST(HedgePolicy, WaitsForTheFixedDelay) {
  const HedgePolicy policy({.max_attempts = 3, .delay = milliseconds(20)});

  EXPECT_EQ(policy.delay(), milliseconds(20));
  EXPECT_EQ(policy.max_attempts(), 3);
}

TEST(HedgePolicy, KeepsTheFixedDelayWhateverIsMeasured) {
  HedgePolicy policy({.delay = milliseconds(20)});

  for (int i = 0; i < 10; ++i) answer_hundred(policy, start);

  EXPECT_EQ(policy.delay(), milliseconds(20));
}

TEST(HedgePolicy, HasNoDelayUntilEnoughIsMeasured) {
  HedgePolicy policy({.percentile = 0.95});

  for (int ms = 1; ms <= 99; ++ms) policy.on_answered(milliseconds(ms), start);
  EXPECT_FALSE(policy.delay().has_value());
  policy.on_answered(milliseconds(100), start);

  ASSERT_TRUE(policy.delay().has_value());
  EXPECT_GE(*policy.delay(), milliseconds(95));
  EXPECT_LE(*policy.delay(), milliseconds(99));
}

TEST(HedgePolicy, ForgetsAfterTwoWindows) {
  HedgePolicy policy({.percentile = 0.95});
  for (int i = 0; i < 10; ++i) answer_hundred(policy, start, 10);
  ASSERT_GE(policy.delay().value_or(base::Duration::zero()), milliseconds(900));

  for (int i = 1; i <= 2; ++i) {
    for (int j = 0; j < 10; ++j) answer_hundred(policy, start + i * HedgePolicy::window);
  }

  EXPECT_LE(*policy.delay(), milliseconds(99));
}

TEST(HedgePolicy, KeepsAWindowOfFewSamples) {
  HedgePolicy policy({.percentile = 0.5});
  base::TimePoint now = start;

  for (int i = 0; i < 150; ++i) policy.on_answered(milliseconds(10), now += seconds(30));

  EXPECT_GE(policy.delay().value_or(base::Duration::zero()), milliseconds(10));
}

TEST(HedgePolicy, AllowsAShareOfTheCalls) {
  HedgePolicy policy({.delay = milliseconds(1), .max_extra = 0.05});
  int taken = 0;

  for (int call = 0; call < 10000; ++call) {
    policy.on_started();
    if (policy.try_take()) ++taken;
  }

  EXPECT_GE(taken, 500);
  EXPECT_LE(taken, 500 + static_cast<int>(HedgePolicy::most_saved));
}

TEST(HedgePolicy, SavesNoMoreThanABurst) {
  HedgePolicy policy({.delay = milliseconds(1), .max_extra = 1});
  for (int call = 0; call < 1000; ++call) policy.on_started();

  int taken = 0;
  while (policy.try_take()) ++taken;

  EXPECT_EQ(taken, static_cast<int>(HedgePolicy::most_saved));
}

}  // namespace
}  // namespace trunkline::balance
