// SPDX-License-Identifier: MIT
// Tasks in front of a loop: their order, turns of their own, and what is left when the channel leaves the loop.
#include "client/posted_tasks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace trunkline::client {

namespace {

class PostedTasksTest : public ::testing::Test {
 protected:
  bool push(PostedTasks::Task task) { return posted->push(task, posted); }
  void run() {
    while (loop.poll()) {
    }
  }

  net::Loop loop;
  std::shared_ptr<PostedTasks> posted = std::make_shared<PostedTasks>(loop);
  std::string order;
};

TEST_F(PostedTasksTest, RunInOrderOnTheLoop) {
  bool is_on_loop = false;
  EXPECT_TRUE(push([&] { order += "first, "; }));
  EXPECT_TRUE(push([&] {
    order += "second";
    is_on_loop = loop.is_current();
  }));
  EXPECT_EQ(order, "");

  run();

  EXPECT_EQ(order, "first, second");
  EXPECT_TRUE(is_on_loop);
}

TEST_F(PostedTasksTest, KeepTheirOwnerAliveUntilTheyHaveRun) {
  const std::weak_ptr<PostedTasks> alive = posted;
  push([] {});

  posted.reset();
  EXPECT_FALSE(alive.expired());
  run();

  EXPECT_TRUE(alive.expired());
}

TEST_F(PostedTasksTest, ATaskThatIsPushedByATaskWaitsForTheLoopsOtherWork) {
  push([&] {
    order += "task, ";
    loop.post([&] { order += "loop, "; });
    push([&] { order += "pushed"; });
  });

  run();

  EXPECT_EQ(order, "task, loop, pushed");
}

TEST_F(PostedTasksTest, AnExceptionLeavesTheOthersToTheLoop) {
  push([] { throw std::runtime_error("against its contract"); });
  push([&] { order += "next"; });

  EXPECT_THROW(run(), std::runtime_error);
  run();

  EXPECT_EQ(order, "next");
}

TEST_F(PostedTasksTest, ANestedRunOfTheLoopGoesOnWithTheOthers) {
  push([&] {
    order += "outer begins, ";
    loop.run_until([&] { return order.size() > 20; }, base::never);
    order += "outer ends";
  });
  push([&] { order += "nested, "; });

  run();

  EXPECT_EQ(order, "outer begins, nested, outer ends");
}

TEST_F(PostedTasksTest, CloseHandsOverWhatHasNotRun) {
  push([&] { order += "left"; });

  PostedTasks::Queue left = posted->close();
  run();

  EXPECT_EQ(order, "");
  ASSERT_EQ(left.size(), 1u);
  left.pop_front()();
  EXPECT_EQ(order, "left");
}

TEST_F(PostedTasksTest, AClosedQueueTakesNothing) {
  static_cast<void>(posted->close());
  PostedTasks::Task task = [&] { order += "taken"; };

  EXPECT_FALSE(posted->push(task, posted));
  posted->post_after_pending([&] { order += "posted"; });
  run();

  EXPECT_TRUE(task) << "the caller still has it";
  EXPECT_EQ(order, "");
}

TEST_F(PostedTasksTest, PostBehindRunsBehindWhatTheLoopHolds) {
  push([&] { order += "pushed, "; });
  loop.post([&] { order += "posted, "; });

  posted->post_after_pending([&] { order += "behind"; });
  run();

  EXPECT_EQ(order, "pushed, posted, behind");
}

TEST_F(PostedTasksTest, EveryTaskOfManyThreadsRunsOrIsHandedOver) {
  constexpr int per_thread = 5000;
  int run_here = 0;
  std::vector<std::thread> threads;
  std::atomic<int> refused{0};
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < per_thread; ++n) {
        if (!push([&] { ++run_here; })) ++refused;
      }
    });
  }
  while (run_here < per_thread) run();

  PostedTasks::Queue left = posted->close();
  for (std::thread& thread : threads) thread.join();
  const int handed_over = static_cast<int>(left.size());
  run();

  EXPECT_EQ(run_here + handed_over + refused, 3 * per_thread);
}

}  // namespace

}  // namespace trunkline::client
