// SPDX-License-Identifier: MIT
// Loop: timers, deadlines, stops, nested runs.
#include "kit/manual_clock.h"
#include "net/loop.h"

#include <gmock/gmock.h>
#include <asio/post.hpp>

#include <vector>

namespace trunkline::net {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST(Loop, ManualClockFiresTimersWhenPolled) {
  kit::ManualClock clock;
  Loop loop({}, &clock);
  int fired = 0;
  base::Timer timer([](base::Timer&, void* count, base::TimePoint) { ++*static_cast<int*>(count); }, &fired);
  loop.timers().schedule(timer, loop.now() + 30s);

  clock.advance(29s);
  while (loop.poll()) {
  }
  EXPECT_EQ(fired, 0);

  clock.advance(1s);
  while (loop.poll()) {
  }
  EXPECT_EQ(fired, 1);
}

TEST(Loop, ManualClockDoesNotWait) {
  kit::ManualClock clock;
  Loop loop({}, &clock);

  EXPECT_FALSE(loop.run_until([] { return false; }, base::never));
}

TEST(Loop, SteadyClockFiresTimersInOrder) {
  Loop loop;
  std::vector<int> order;
  struct Entry {
    std::vector<int>* order;
    int number;
  };
  Entry late{&order, 2};
  Entry early{&order, 1};
  const auto note = [](base::Timer&, void* pointer, base::TimePoint) {
    const Entry& entry = *static_cast<Entry*>(pointer);
    entry.order->push_back(entry.number);
  };
  base::Timer late_timer(note, &late);
  base::Timer early_timer(note, &early);
  const base::TimePoint now = loop.now();
  loop.timers().schedule(late_timer, now + 20ms);
  loop.timers().schedule(early_timer, now + 5ms);

  EXPECT_TRUE(loop.run_until([&] { return order.size() == 2; }, base::never));

  EXPECT_THAT(order, ElementsAre(1, 2));
}

TEST(Loop, TimerScheduledByAHandlerMovesTheWakeUpEarlier) {
  Loop loop;
  bool fired = false;
  base::Timer far([](base::Timer&, void*, base::TimePoint) {}, nullptr);
  base::Timer near([](base::Timer&, void* flag, base::TimePoint) { *static_cast<bool*>(flag) = true; }, &fired);
  loop.timers().schedule(far, loop.now() + 1h);
  asio::post(loop.context(), [&] { loop.timers().schedule(near, loop.now() + 5ms); });

  EXPECT_TRUE(loop.run_until([&] { return fired; }, loop.now() + 30s));
  EXPECT_LT(loop.now(), near.deadline() + 20s);
}

TEST(Loop, RunUntilGivesUpAtItsDeadline) {
  Loop loop;
  const base::TimePoint deadline = loop.now() + 5ms;

  EXPECT_FALSE(loop.run_until([] { return false; }, deadline));

  EXPECT_GE(loop.now(), deadline);
}

TEST(Loop, RunUntilSeesWhatDeferredWorkHasDone) {
  Loop loop;
  bool done = false;
  DeferredTask deferred([](void* flag) { *static_cast<bool*>(flag) = true; }, &done);
  loop.defer(deferred);

  EXPECT_TRUE(loop.run_until([&] { return done; }, loop.now() + 30s));
}

TEST(Loop, RunUntilLeavesAStopForRun) {
  Loop loop;
  bool done = false;
  loop.stop();
  loop.post([&] { done = true; });

  EXPECT_TRUE(loop.run_until([&] { return done; }, loop.now() + 30s));

  loop.run();
}

TEST(Loop, RunUntilInsideAHandlerRunsWhatTheHandlerPosted) {
  Loop loop;
  bool inner = false;
  bool next_task = false;
  bool result = false;
  loop.post([&] {
    asio::post(loop.context(), [&] { inner = true; });
    result = loop.run_until([&] { return inner && next_task; }, loop.now() + 30s);
  });
  loop.post([&] { next_task = true; });

  loop.poll();

  EXPECT_TRUE(result);
}

TEST(Loop, RunForReturnsAfterItsTimeOrAStop) {
  Loop loop;
  const base::TimePoint start = loop.now();

  loop.run_for(5ms);
  EXPECT_GE(loop.now() - start, 5ms);

  loop.post([&] { loop.stop(); });
  loop.run_for(10h);
  EXPECT_LT(loop.now() - start, 9h);
}

}  // namespace
}  // namespace trunkline::net
