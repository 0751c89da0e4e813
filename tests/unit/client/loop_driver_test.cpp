// SPDX-License-Identifier: MIT
// Who runs a loop: hand-over, threads that the system refuses, the end, and others' exceptions.
#include "client/loop_driver.h"

#include "kit/refused_threads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace trunkline::client {

namespace {

struct Driven {
  explicit Driven(bool is_own)
      : driver(loop, is_own,
               {.work_left = [this]() -> std::shared_ptr<void> {
                  ++handed_over;
                  return has_work ? std::make_shared<int>() : nullptr;
                },
                .on_exception = [this] { ++logged; },
                .on_stopped = [this] { ++over; }}) {}
  ~Driven() { driver.stop(); }

  net::Loop loop;
  std::atomic<bool> has_work{false};
  std::atomic<int> handed_over{0};
  std::atomic<int> logged{0};
  std::atomic<int> over{0};
  LoopDriver driver;
};

void post(net::Loop& loop, std::function<void()> task) { loop.post(std::move(task)); }

TEST(LoopDriver, WorkIsNotLeftToAWaiterThatIsDone) {
  Driven driven(true);
  driven.has_work = true;
  BlockedCall call;
  post(driven.loop, [&] { driven.driver.finish(call); });

  driven.driver.wait(call);  // leads, as nobody else does

  EXPECT_TRUE(driven.driver.has_thread());
}

TEST(LoopDriver, ACallBeginsBehindWhatWasPostedBefore) {
  Driven driven(true);
  BlockedCall first;
  driven.driver.drive(first, [&] { driven.driver.finish(first); });
  BlockedCall second;
  std::vector<std::string> order;
  post(driven.loop, [&] { order.push_back("posted"); });
  post(driven.loop, [] { throw std::runtime_error("of another handler"); });
  post(driven.loop, [&] { order.push_back("posted behind one that throws"); });

  driven.driver.drive(second, [&] {
    order.push_back("begun");
    driven.driver.finish(second);
  });

  EXPECT_THAT(order, testing::ElementsAre("posted", "posted behind one that throws", "begun"));
  EXPECT_EQ(driven.logged, 1);
}

TEST(LoopDriver, ATaskThatPostsItselfAgainDoesNotKeepACallFromBeginning) {
  Driven driven(true);
  BlockedCall call;
  std::function<void()> again = [&] {
    if (!call.is_done()) post(driven.loop, again);
  };
  post(driven.loop, again);

  driven.driver.drive(call, [&] { driven.driver.finish(call); });

  EXPECT_TRUE(call.is_done());
}

TEST(LoopDriver, AThreadThatTheSystemRefusesIsAStatus) {
  Driven driven(true);
  const kit::RefusedThreads refused;

  const Status status = driven.driver.start_thread(nullptr);

  EXPECT_EQ(status.code(), StatusCode::resource_exhausted);
  EXPECT_TRUE(status.may_have_run()) << "it does not say for what the thread was wanted";
  EXPECT_FALSE(driven.driver.has_thread());
}

TEST(LoopDriver, ACallEndsWellThoughThereIsNoThreadForTheWorkItLeaves) {
  Driven driven(true);
  driven.has_work = true;
  const kit::RefusedThreads refused;
  BlockedCall call;
  BlockedCall failing;

  driven.driver.drive(call, [&] { driven.driver.finish(call); });
  EXPECT_THROW(driven.driver.drive(failing, [] { throw std::runtime_error("begin"); }), std::runtime_error);

  EXPECT_TRUE(call.is_done());
}

TEST(LoopDriver, StoppingTakesTheLoopFromWhoeverLeads) {
  Driven driven(true);
  BlockedCall led;
  std::atomic<bool> leads{false};
  std::thread leader([&] { driven.driver.drive(led, [&] { leads = true; }); });
  while (!leads) std::this_thread::yield();

  driven.driver.stop();
  const int handed_over = driven.handed_over;
  std::thread::id ran_on;
  post(driven.loop, [&] { ran_on = std::this_thread::get_id(); });
  driven.loop.poll();
  driven.driver.finish(led);
  leader.join();

  EXPECT_EQ(handed_over, 1);
  EXPECT_EQ(ran_on, std::this_thread::get_id());
  EXPECT_EQ(driven.over, 0);
}

TEST(LoopDriver, NobodyLeadsOnceItIsStopped) {
  Driven driven(true);
  driven.driver.stop();
  BlockedCall call;
  bool as_the_loop = true;

  driven.driver.drive(call, [&] {
    as_the_loop = driven.loop.is_current();
    driven.driver.finish(call);
  });

  EXPECT_FALSE(as_the_loop);
  EXPECT_TRUE(driven.driver.start_thread(nullptr).is_ok());
  EXPECT_FALSE(driven.driver.has_thread());
}

TEST(LoopDriver, StoppedFromInsideItSaysWhenItIsOver) {
  Driven driven(true);
  BlockedCall call;

  driven.driver.drive(call, [&] {
    post(driven.loop, [&] {
      EXPECT_TRUE(driven.driver.start_thread(nullptr).is_ok());  // and it waits for its turn
      driven.driver.stop();
      EXPECT_EQ(driven.over, 0);
      driven.driver.finish(call);
    });
  });

  EXPECT_EQ(driven.over, 1);
}

TEST(LoopDriver, OthersExceptionsComeOutOfANestedCallOnAUsersLoop) {
  Driven driven(false);
  BlockedCall call;
  std::string caught;

  post(driven.loop, [&] {
    post(driven.loop, [] { throw std::runtime_error("of another handler"); });
    post(driven.loop, [] { throw std::runtime_error("and of one more"); });
    post(driven.loop, [&] { driven.driver.finish(call); });
    try {
      driven.driver.drive(call, [] {});
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
  });
  while (driven.loop.poll()) {
  }

  EXPECT_TRUE(call.is_done());
  EXPECT_EQ(caught, "of another handler");
  EXPECT_EQ(driven.logged, 1);
}

TEST(LoopDriver, OnAnOwnLoopTheyGoToTheLog) {
  Driven driven(true);
  BlockedCall outer;
  BlockedCall inner;

  driven.driver.drive(outer, [&] {
    post(driven.loop, [] { throw std::runtime_error("of another handler"); });
    post(driven.loop, [&] { driven.driver.finish(inner); });
    driven.driver.drive(inner, [] {});
    driven.driver.finish(outer);
  });

  EXPECT_EQ(driven.logged, 1);
}

}  // namespace

}  // namespace trunkline::client
