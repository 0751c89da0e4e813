// SPDX-License-Identifier: MIT
// TimerWheel: when timers fire, what their callbacks may do, and how long a loop may sleep.
#include "base/timer_wheel.h"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace trunkline::base {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr TimePoint start{std::chrono::hours(24)};

/// A timer that runs a function.
class Alarm {
 public:
  explicit Alarm(std::function<void()> action) : action_(std::move(action)), timer_(&Alarm::fire, this) {}
  Timer& timer() { return timer_; }

 private:
  static void fire(Timer& timer, void* owner, TimePoint) {
    EXPECT_EQ(timer.owner(), owner);
    EXPECT_FALSE(timer.is_scheduled());
    static_cast<Alarm*>(owner)->action_();
  }
  std::function<void()> action_;
  Timer timer_;
};

class TimerWheelTest : public ::testing::Test {
 protected:
  TimerWheel wheel_{start};
  std::vector<std::string> fired_;
  Alarm a_{[this] { fired_.push_back("a"); }};
  Alarm b_{[this] { fired_.push_back("b"); }};
  Alarm c_{[this] { fired_.push_back("c"); }};
};

TEST_F(TimerWheelTest, IsEmptyAtFirst) {
  wheel_.advance(start + 1h);

  EXPECT_EQ(wheel_.size(), 0u);
  EXPECT_EQ(wheel_.next_wakeup(), never);
  EXPECT_FALSE(a_.timer().is_scheduled());
}

TEST_F(TimerWheelTest, FiresAtItsDeadlineAndNotBefore) {
  wheel_.schedule(a_.timer(), start + 10ms);
  EXPECT_TRUE(a_.timer().is_scheduled());
  EXPECT_EQ(a_.timer().deadline(), start + 10ms);

  wheel_.advance(start + 10ms - 1ns);
  EXPECT_THAT(fired_, IsEmpty());
  wheel_.advance(start + 10ms);

  EXPECT_THAT(fired_, ElementsAre("a"));
  EXPECT_EQ(wheel_.size(), 0u);
}

TEST_F(TimerWheelTest, NeverFiresEarlyAndAtMostOneTickLate) {
  wheel_.schedule(a_.timer(), start + 10ms + 1ns);

  wheel_.advance(start + 10ms);
  wheel_.advance(start + 11ms - 1ns);
  EXPECT_THAT(fired_, IsEmpty());
  wheel_.advance(start + 11ms);

  EXPECT_THAT(fired_, ElementsAre("a"));
}

TEST_F(TimerWheelTest, FiresInTickOrderAndWithinATickInOrderOfScheduling) {
  wheel_.schedule(c_.timer(), start + 7h);
  wheel_.schedule(b_.timer(), start + 300ms);
  wheel_.schedule(a_.timer(), start + 300ms - 1us);

  wheel_.advance(start + 24h);

  EXPECT_THAT(fired_, ElementsAre("b", "a", "c"));
}

TEST_F(TimerWheelTest, PastDeadlinesFireAtTheNextAdvanceEvenAtTheSameTime) {
  wheel_.advance(start + 50ms);
  wheel_.schedule(a_.timer(), start + 20ms);
  wheel_.schedule(b_.timer(), start + 50ms);
  wheel_.schedule(c_.timer(), start - 1h);
  EXPECT_LE(wheel_.next_wakeup(), start + 50ms);

  wheel_.advance(start + 50ms);

  EXPECT_THAT(fired_, ElementsAre("a", "b", "c"));
}

TEST_F(TimerWheelTest, TimeThatStandsStillOrRunsBackwardsFiresNothingEarly) {
  wheel_.advance(start + 50ms);
  wheel_.schedule(a_.timer(), start + 60ms);

  wheel_.advance(start + 50ms);
  wheel_.advance(start + 10ms);
  wheel_.advance(start - 1h);
  EXPECT_THAT(fired_, IsEmpty());
  wheel_.advance(start + 60ms);

  EXPECT_THAT(fired_, ElementsAre("a"));
}

TEST_F(TimerWheelTest, CancelledTimersDoNotFire) {
  wheel_.schedule(a_.timer(), start + 10ms);
  wheel_.schedule(b_.timer(), start + 10ms);

  a_.timer().cancel();
  a_.timer().cancel();
  EXPECT_FALSE(a_.timer().is_scheduled());
  EXPECT_EQ(wheel_.size(), 1u);
  wheel_.advance(start + 1s);

  EXPECT_THAT(fired_, ElementsAre("b"));
}

TEST_F(TimerWheelTest, SchedulingAgainMovesTheTimer) {
  wheel_.schedule(a_.timer(), start + 10ms);
  wheel_.schedule(a_.timer(), start + 20s);

  wheel_.advance(start + 19s);
  EXPECT_THAT(fired_, IsEmpty());
  EXPECT_EQ(wheel_.size(), 1u);
  wheel_.schedule(a_.timer(), start + 19s + 5ms);
  wheel_.advance(start + 19s + 5ms);

  EXPECT_THAT(fired_, ElementsAre("a"));
}

TEST_F(TimerWheelTest, SchedulingForNeverCancels) {
  wheel_.schedule(a_.timer(), start + 10ms);

  wheel_.schedule(a_.timer(), never);

  EXPECT_FALSE(a_.timer().is_scheduled());
  EXPECT_EQ(a_.timer().deadline(), never);
  EXPECT_EQ(wheel_.next_wakeup(), never);
}

TEST_F(TimerWheelTest, ADestroyedTimerDoesNotFire) {
  {
    Alarm gone([] { FAIL() << "fired"; });
    wheel_.schedule(gone.timer(), start + 10ms);
  }
  EXPECT_EQ(wheel_.size(), 0u);
  EXPECT_EQ(wheel_.next_wakeup(), never);

  wheel_.advance(start + 1s);
}

TEST_F(TimerWheelTest, ATimerMayMoveBetweenWheels) {
  TimerWheel other(start);
  wheel_.schedule(a_.timer(), start + 10ms);

  other.schedule(a_.timer(), start + 20ms);
  wheel_.advance(start + 1s);
  EXPECT_THAT(fired_, IsEmpty());
  EXPECT_EQ(wheel_.size(), 0u);
  other.advance(start + 1s);

  EXPECT_THAT(fired_, ElementsAre("a"));
}

TEST_F(TimerWheelTest, DeadlinesBeyondTheTopLevelFireOnTime) {
  for (const Duration far : {Duration(24h * 13), Duration(24h * 400), Duration(24h * 365 * 20)}) {
    TimerWheel wheel(start);
    wheel.schedule(a_.timer(), start + far);
    int wakeups = 0;

    for (TimePoint wakeup = wheel.next_wakeup(); wakeup < start + far; wakeup = wheel.next_wakeup()) {
      wheel.advance(wakeup);
      ASSERT_THAT(fired_, IsEmpty());
      ASSERT_LT(++wakeups, 100000);
    }
    wheel.advance(start + far);

    EXPECT_THAT(fired_, ElementsAre("a"));
    fired_.clear();
  }
}

TEST(TimerWheel, NeedsAsManyAdvancesForManyEqualDeadlinesAsForOne) {
  const auto advances_for = [](std::size_t count) {
    TimerWheel wheel(start);
    std::size_t fired = 0;
    std::vector<std::unique_ptr<Alarm>> alarms;
    for (std::size_t i = 0; i < count; ++i) {
      alarms.push_back(std::make_unique<Alarm>([&fired] { ++fired; }));
      wheel.schedule(alarms.back()->timer(), start + 10h + 20min + 30s + 40ms);
    }
    int advances = 0;
    for (; wheel.size() > 0; ++advances) {
      EXPECT_EQ(fired, 0u) << "all fire in the last one";
      wheel.advance(wheel.next_wakeup());
    }
    EXPECT_EQ(fired, count);
    return advances;
  };

  // Each of them moves a timer to a lower level once, or fires it.
  const int of_one = advances_for(1);
  EXPECT_LE(of_one, 5);
  EXPECT_EQ(advances_for(60000), of_one);
}

TEST_F(TimerWheelTest, ALongSleepSkipsManyTurnsOfTheWheel) {
  wheel_.schedule(a_.timer(), start + 24h * 3650);

  wheel_.advance(start + 24h * 3650 - 1ms);
  EXPECT_THAT(fired_, IsEmpty());
  wheel_.advance(start + 24h * 3650);

  EXPECT_THAT(fired_, ElementsAre("a"));
}

TEST_F(TimerWheelTest, WakeupIsExactForNearDeadlinesAndNeverLateForFarOnes) {
  wheel_.schedule(a_.timer(), start + 5ms - 1us);
  EXPECT_EQ(wheel_.next_wakeup(), start + 5ms);

  for (const Duration far : {Duration(64ms), Duration(4096ms), Duration(5h), Duration(24h * 30)}) {
    wheel_.schedule(a_.timer(), start + far);
    EXPECT_GT(wheel_.next_wakeup(), start) << far.count();
    EXPECT_LE(wheel_.next_wakeup(), start + far) << far.count();
  }
}

TEST_F(TimerWheelTest, ACallbackMayScheduleItselfAgain) {
  int count = 0;
  std::unique_ptr<Alarm> repeating;
  repeating = std::make_unique<Alarm>([&] {
    ++count;
    wheel_.schedule(repeating->timer(), repeating->timer().deadline() + 10ms);
  });
  wheel_.schedule(repeating->timer(), start + 10ms);

  for (int ms = 1; ms <= 100; ++ms) wheel_.advance(start + std::chrono::milliseconds(ms));

  EXPECT_EQ(count, 10);
}

TEST_F(TimerWheelTest, WhatACallbackSchedulesFiresAtALaterCall) {
  int count = 0;
  std::unique_ptr<Alarm> eager;
  eager = std::make_unique<Alarm>([&] { ++count, wheel_.schedule(eager->timer(), start); });
  wheel_.schedule(eager->timer(), start + 10ms);

  wheel_.advance(start + 1s);
  EXPECT_EQ(count, 1);
  EXPECT_LE(wheel_.next_wakeup(), start + 1s);
  wheel_.advance(start + 1s);

  EXPECT_EQ(count, 2);
}

TEST_F(TimerWheelTest, ACallbackMayCancelAndMoveTimersOfItsOwnTickAndLaterOnes) {
  Alarm first([this] {
    fired_.push_back("first");
    EXPECT_TRUE(a_.timer().is_scheduled());
    a_.timer().cancel();
    b_.timer().cancel();
    wheel_.schedule(c_.timer(), start + 1h);
  });
  wheel_.schedule(first.timer(), start + 10ms);
  wheel_.schedule(a_.timer(), start + 10ms);
  wheel_.schedule(b_.timer(), start + 11ms);
  wheel_.schedule(c_.timer(), start + 10ms);

  wheel_.advance(start + 20ms);
  EXPECT_THAT(fired_, ElementsAre("first"));
  EXPECT_EQ(wheel_.size(), 1u);
  wheel_.advance(start + 1h);

  EXPECT_THAT(fired_, ElementsAre("first", "c"));
}

TEST_F(TimerWheelTest, ACallbackMayDestroyItselfAndItsNeighbours) {
  std::vector<std::unique_ptr<Alarm>> alarms;
  for (int i = 0; i < 3; ++i) {
    alarms.push_back(std::make_unique<Alarm>([&] {
      fired_.push_back("one");
      const auto doomed = std::move(alarms);  // destroys this closure, which must not be used afterwards
    }));
  }
  for (const auto& alarm : alarms) wheel_.schedule(alarm->timer(), start + 5ms);
  wheel_.schedule(c_.timer(), start + 6ms);

  wheel_.advance(start + 10ms);

  EXPECT_THAT(fired_, ElementsAre("one", "c"));
  EXPECT_EQ(wheel_.size(), 0u);
}

TEST_F(TimerWheelTest, AfterACallbackThrowsTheOthersRemainDue) {
  Alarm bad([] { throw std::runtime_error("bad"); });
  wheel_.schedule(bad.timer(), start + 5ms);
  wheel_.schedule(a_.timer(), start + 5ms);
  wheel_.schedule(b_.timer(), start + 6ms);

  EXPECT_THROW(wheel_.advance(start + 10ms), std::runtime_error);
  EXPECT_THAT(fired_, IsEmpty());
  EXPECT_LE(wheel_.next_wakeup(), start + 10ms);
  b_.timer().cancel();
  wheel_.advance(start + 10ms);

  EXPECT_THAT(fired_, ElementsAre("a"));
}

TEST_F(TimerWheelTest, CallbacksGetTheTimeOfTheAdvance) {
  TimePoint seen{};
  Timer timer([](Timer&, void* owner, TimePoint now) { *static_cast<TimePoint*>(owner) = now; }, &seen);
  wheel_.schedule(timer, start + 5ms);

  wheel_.advance(start + 7ms + 3us);

  EXPECT_EQ(seen, start + 7ms + 3us);
}

}  // namespace
}  // namespace trunkline::base
