// SPDX-License-Identifier: MIT
// Threads that wait for a channel: timeouts, and lists of waiters that end together.
#include "client/channel_waiter.h"

#include "kit/manual_clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

namespace trunkline::client {

namespace {

using namespace std::chrono_literals;

class ChannelWaiterTest : public ::testing::Test {
 protected:
  kit::ManualClock clock;
  net::Loop loop{{}, &clock};
  LoopDriver driver{loop, false, {.work_left = [] { return nullptr; }, .on_exception = [] {}}};
  WaiterList list;
};

TEST_F(ChannelWaiterTest, FinishingEndsTheWaitAndStopsTheTimer) {
  int timeouts = 0;
  ChannelWaiter waiter(driver, [&](ChannelWaiter&) { ++timeouts; });
  waiter.start_timer(loop.timers(), loop.now() + 1s);
  EXPECT_FALSE(waiter.is_finished());

  waiter.finish({StatusCode::cancelled, "closed"});
  clock.advance(2s);
  loop.poll();

  EXPECT_TRUE(waiter.is_finished());
  EXPECT_EQ(waiter.status().message(), "closed");
  EXPECT_EQ(timeouts, 0);
}

TEST_F(ChannelWaiterTest, ATimeoutLeavesTheOutcomeToItsCallback) {
  ChannelWaiter waiter(driver, [](ChannelWaiter& expired) { expired.finish({StatusCode::deadline_exceeded, "late"}); });
  list.add(waiter);
  waiter.start_timer(loop.timers(), loop.now() + 1s);

  clock.advance(2s);
  loop.poll();

  EXPECT_TRUE(waiter.is_finished());
  EXPECT_EQ(waiter.status().code(), StatusCode::deadline_exceeded);
  EXPECT_TRUE(list.empty());
}

TEST_F(ChannelWaiterTest, AListFinishesAllOfItsWaiters) {
  ChannelWaiter first(driver, nullptr);
  ChannelWaiter second(driver, nullptr);
  ChannelWaiter removed(driver, nullptr);
  for (ChannelWaiter* const waiter : {&first, &removed, &second}) list.add(*waiter);
  list.remove(removed);
  list.remove(removed);

  list.finish_all({StatusCode::cancelled, "closed"});

  EXPECT_TRUE(list.empty());
  EXPECT_TRUE(first.is_finished());
  EXPECT_TRUE(second.is_finished());
  EXPECT_FALSE(removed.is_finished());
}

TEST_F(ChannelWaiterTest, LeavesItsListWhenItIsDestroyed) {
  {
    ChannelWaiter waiter(driver, nullptr);
    list.add(waiter);
    EXPECT_FALSE(list.empty());
  }

  EXPECT_TRUE(list.empty());
}

}  // namespace

}  // namespace trunkline::client
