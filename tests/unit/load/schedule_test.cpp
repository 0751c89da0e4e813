// SPDX-License-Identifier: MIT
// The times at which calls of an open loop are due.
#include "load/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace trunkline::load {
namespace {

using std::chrono::nanoseconds;

const Clock::time_point start{std::chrono::seconds(1000)};

std::vector<std::int64_t> times_of(Schedule schedule, std::size_t count) {
  std::vector<std::int64_t> times;
  for (; count > 0; --count) {
    times.push_back((schedule.due() - start).count());
    schedule.advance();
  }
  return times;
}

TEST(Schedule, HasNoCallsWithoutARate) { EXPECT_EQ(Schedule().due(), Clock::time_point::max()); }

TEST(Schedule, BeginsAtTheStartWithEvenGaps) {
  const auto times = times_of(Schedule(start, 1000, Arrivals::even), 4);

  EXPECT_EQ(times, (std::vector<std::int64_t>{0, 1000000, 2000000, 3000000}));
}

TEST(Schedule, DoesNotDriftOverAMillionCalls) {
  // A third of a nanosecond each.
  Schedule schedule(start, 3e6, Arrivals::even);
  for (int count = 0; count < 3000000; ++count) schedule.advance();

  EXPECT_EQ(schedule.due() - start, std::chrono::seconds(1));
}

TEST(Schedule, SharesAddUpToTheRate) {
  std::vector<std::int64_t> all;
  for (std::size_t index = 0; index < 3; ++index) {
    const auto times = times_of(Schedule(start, 1000, Arrivals::even, index, 3), 100);
    all.insert(all.end(), times.begin(), times.end());
  }
  std::sort(all.begin(), all.end());

  EXPECT_EQ(all, times_of(Schedule(start, 1000, Arrivals::even), 300));
}

TEST(Schedule, OfAPoissonProcessKeepsTheRateAndSpreadsTheGaps) {
  const std::size_t count = 100000;
  const auto times = times_of(Schedule(start, 10000, Arrivals::poisson), count);

  double sum = 0, squares = 0;
  for (std::size_t index = 1; index < count; ++index) {
    const double gap = static_cast<double>(times[index] - times[index - 1]);
    sum += gap, squares += gap * gap;
  }
  const double mean = sum / static_cast<double>(count - 1);
  const double deviation = std::sqrt(squares / static_cast<double>(count - 1) - mean * mean);
  EXPECT_NEAR(mean, 1e5, 1e3);
  // The standard deviation of exponential gaps is their mean.
  EXPECT_NEAR(deviation, 1e5, 2e3);
}

TEST(HasDueCalls, IsFalseIfNoCallIsDueInTheMeasurement) {
  using namespace std::chrono_literals;
  LoadPlan plan;
  plan.warmup = 300ms;
  plan.duration = 1s;
  plan.rate = 0.5;

  EXPECT_FALSE(has_due_calls(plan));
  // The first call is due at once.
  plan.warmup = 0ms;
  EXPECT_TRUE(has_due_calls(plan));
  plan.warmup = 1999ms;
  EXPECT_TRUE(has_due_calls(plan));
  plan.duration = 1ms;
  EXPECT_FALSE(has_due_calls(plan));
  plan.arrivals = Arrivals::poisson;
  plan.duration = 60s;
  EXPECT_TRUE(has_due_calls(plan));
  plan.rate = 1e-3;
  plan.duration = 1ms;
  EXPECT_FALSE(has_due_calls(plan));
  plan.duration = 0ms;
  plan.total = 1;
  EXPECT_TRUE(has_due_calls(plan));
}

}  // namespace
}  // namespace trunkline::load
