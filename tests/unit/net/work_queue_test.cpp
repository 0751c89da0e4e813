// SPDX-License-Identifier: MIT
// The order of deferred and posted work: moments, rounds, nested runs, exceptions, removal, and the end of the queue.
#include "net/work_queue.h"

#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace trunkline::net {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class WorkQueueTest : public testing::Test {
 protected:
  /// A deferred task that runs a function.
  struct Deferred {
    explicit Deferred(std::function<void()> work) : function(std::move(work)) {}
    std::function<void()> function;
    DeferredTask task{[](void* self) { static_cast<Deferred*>(self)->function(); }, this};
  };
  /// A posted task that runs a function, and notes that it is dropped.
  struct Posted : PostedTask {
    Posted(
        WorkQueueTest& owner, std::string text, std::function<void()> work = [] {})
        : test(owner), name(std::move(text)), function(std::move(work)) {
      run = [](PostedTask* task) {
        auto& self = *static_cast<Posted*>(task);
        self.test.order_.push_back(self.name);
        self.function();
      };
      drop = [](PostedTask* task) {
        auto& self = *static_cast<Posted*>(task);
        self.test.order_.push_back("dropped " + self.name);
        self.function();
      };
    }
    WorkQueueTest& test;
    std::string name;
    std::function<void()> function;
  };

  std::unique_ptr<Deferred> note(const std::string& name) {
    return std::make_unique<Deferred>([this, name] { order_.push_back(name); });
  }
  /// Everything that the loop would do behind one handler.
  void run_all() {
    queue_.resume();
    queue_.run_after_handler();
    queue_.run_end_of_turn();
  }

  WorkQueue queue_;
  std::vector<std::string> order_;
};

TEST_F(WorkQueueTest, AnEmptyQueueHasNothingToDo) {
  EXPECT_FALSE(queue_.resume());
  EXPECT_FALSE(queue_.run_after_handler());
  EXPECT_FALSE(queue_.has_end_of_turn());
  queue_.run_end_of_turn();
  queue_.run_posted();
  queue_.drop_posted();
}

TEST_F(WorkQueueTest, RunsTasksAtTheMomentUntilWhichTheyWereDeferred) {
  const auto end = note("end of turn");
  const auto poll = note("before poll");
  const auto handler = note("handler returns");
  EXPECT_EQ(queue_.defer(end->task, DeferUntil::end_of_turn), DeferUntil::end_of_turn);
  EXPECT_EQ(queue_.defer(poll->task, DeferUntil::before_poll), DeferUntil::before_poll);
  EXPECT_EQ(queue_.defer(handler->task, DeferUntil::handler_returns), DeferUntil::handler_returns);

  EXPECT_TRUE(queue_.run_after_handler());
  EXPECT_THAT(order_, ElementsAre("handler returns", "before poll"));
  EXPECT_TRUE(queue_.has_end_of_turn());
  queue_.run_end_of_turn();

  EXPECT_THAT(order_, ElementsAre("handler returns", "before poll", "end of turn"));
  EXPECT_FALSE(queue_.has_end_of_turn());
}

TEST_F(WorkQueueTest, RunsTasksOfOneMomentInOrderOfAdding) {
  for (const DeferUntil until : {DeferUntil::handler_returns, DeferUntil::before_poll, DeferUntil::end_of_turn}) {
    order_.clear();
    const auto first = note("first");
    const auto second = note("second");
    const auto third = note("third");
    queue_.defer(first->task, until);
    queue_.defer(second->task, until);
    queue_.defer(third->task, until);

    run_all();

    EXPECT_THAT(order_, ElementsAre("first", "second", "third"));
  }
}

TEST_F(WorkQueueTest, ATaskThatIsDeferredTwiceRunsOnce) {
  const auto task = note("task");
  queue_.defer(task->task, DeferUntil::handler_returns);
  queue_.defer(task->task, DeferUntil::handler_returns);
  queue_.defer(task->task, DeferUntil::end_of_turn);

  run_all();
  run_all();

  EXPECT_THAT(order_, ElementsAre("task"));
}

TEST_F(WorkQueueTest, WhatATaskOfHandlerReturnsDefersRunsAheadOfBeforePoll) {
  const auto poll = note("before poll");
  const auto sent = note("written");
  const auto again = note("follows");
  Deferred first([&] {
    order_.push_back("first");
    EXPECT_EQ(queue_.defer(sent->task, DeferUntil::end_of_turn), DeferUntil::handler_returns);
    EXPECT_EQ(queue_.defer(again->task, DeferUntil::handler_returns), DeferUntil::handler_returns);
  });
  queue_.defer(poll->task, DeferUntil::before_poll);
  queue_.defer(first.task, DeferUntil::handler_returns);

  queue_.run_after_handler();

  EXPECT_THAT(order_, ElementsAre("first", "written", "follows", "before poll"));
}

TEST_F(WorkQueueTest, WhatTheSecondRoundDefersWaitsForTheEndOfTheTurn) {
  int runs = 0;
  Deferred endless([&] {
    ++runs;
    queue_.defer(endless.task, DeferUntil::handler_returns);
  });
  queue_.defer(endless.task, DeferUntil::handler_returns);

  queue_.run_after_handler();
  EXPECT_EQ(runs, 2);
  EXPECT_FALSE(queue_.run_after_handler());
  EXPECT_TRUE(queue_.has_end_of_turn());

  queue_.run_end_of_turn();
  EXPECT_EQ(runs, 3);
  EXPECT_FALSE(queue_.has_end_of_turn()) << "outside of a round it waits for the next handler";
  EXPECT_TRUE(queue_.run_after_handler());
  endless.task.cancel();
}

TEST_F(WorkQueueTest, ATaskOfBeforePollDefersToTheEndOfTheTurn) {
  const auto later = note("later");
  Deferred poll([&] { queue_.defer(later->task, DeferUntil::handler_returns); });
  queue_.defer(poll.task, DeferUntil::before_poll);

  queue_.run_after_handler();

  EXPECT_THAT(order_, IsEmpty());
  EXPECT_TRUE(queue_.has_end_of_turn());
}

TEST_F(WorkQueueTest, WhatATaskOfTheEndOfTheTurnDefersWaitsForTheNext) {
  const auto later = note("later");
  Deferred first([&] { queue_.defer(later->task, DeferUntil::end_of_turn); });
  queue_.defer(first.task, DeferUntil::end_of_turn);

  queue_.run_end_of_turn();
  EXPECT_THAT(order_, IsEmpty());

  queue_.run_end_of_turn();
  EXPECT_THAT(order_, ElementsAre("later"));
}

TEST_F(WorkQueueTest, CancelledAndDestroyedTasksDoNotRun) {
  for (const DeferUntil until : {DeferUntil::handler_returns, DeferUntil::before_poll, DeferUntil::end_of_turn}) {
    order_.clear();
    const auto kept = note("kept");
    const auto cancelled = note("cancelled");
    auto destroyed = note("destroyed");
    queue_.defer(cancelled->task, until);
    queue_.defer(destroyed->task, until);
    queue_.defer(kept->task, until);

    cancelled->task.cancel();
    destroyed.reset();
    run_all();

    EXPECT_THAT(order_, ElementsAre("kept"));
    EXPECT_FALSE(cancelled->task.is_scheduled());
  }
}

TEST_F(WorkQueueTest, ATaskMayRemoveThoseBehindIt) {
  auto destroyed = note("destroyed");
  const auto cancelled = note("cancelled");
  const auto kept = note("kept");
  Deferred first([&] {
    destroyed.reset();
    cancelled->task.cancel();
  });
  queue_.defer(first.task, DeferUntil::end_of_turn);
  queue_.defer(destroyed->task, DeferUntil::end_of_turn);
  queue_.defer(cancelled->task, DeferUntil::end_of_turn);
  queue_.defer(kept->task, DeferUntil::end_of_turn);

  queue_.run_end_of_turn();

  EXPECT_THAT(order_, ElementsAre("kept"));
}

TEST_F(WorkQueueTest, ATaskMayDestroyItself) {
  auto task = std::make_unique<Deferred>([] {});
  task->function = [&] {
    order_.push_back("ran");
    task.reset();
  };
  queue_.defer(task->task, DeferUntil::end_of_turn);

  queue_.run_end_of_turn();

  EXPECT_THAT(order_, ElementsAre("ran"));
}

TEST_F(WorkQueueTest, ANestedRunBeginsWithWhatTheOuterHasNotReached) {
  for (const DeferUntil until : {DeferUntil::handler_returns, DeferUntil::before_poll, DeferUntil::end_of_turn}) {
    order_.clear();
    const auto next = note("next");
    Deferred nesting([&] {
      order_.push_back("begins");
      EXPECT_TRUE(queue_.resume());
      EXPECT_FALSE(queue_.resume());
      order_.push_back("ends");
    });
    queue_.defer(nesting.task, until);
    queue_.defer(next->task, until);

    run_all();

    EXPECT_THAT(order_, ElementsAre("begins", "next", "ends"));
  }
}

TEST_F(WorkQueueTest, ANestedRunLeavesTheOuterItsRound) {
  const auto after = note("after the nested run");
  Deferred nesting([&] {
    queue_.run_after_handler();
    EXPECT_EQ(queue_.defer(after->task, DeferUntil::end_of_turn), DeferUntil::handler_returns);
  });
  const auto poll = note("before poll");
  queue_.defer(nesting.task, DeferUntil::handler_returns);
  queue_.defer(poll->task, DeferUntil::before_poll);

  queue_.run_after_handler();

  EXPECT_THAT(order_, ElementsAre("before poll", "after the nested run")) << "the nested run has reached `poll`";
}

TEST_F(WorkQueueTest, GoesOnBehindATaskThatThrew) {
  for (const DeferUntil until : {DeferUntil::handler_returns, DeferUntil::before_poll, DeferUntil::end_of_turn}) {
    order_.clear();
    const auto next = note("next");
    Deferred throwing([] { throw std::runtime_error("from a task"); });
    queue_.defer(throwing.task, until);
    queue_.defer(next->task, until);

    EXPECT_THROW(run_all(), std::runtime_error);
    EXPECT_TRUE(queue_.resume());

    EXPECT_THAT(order_, ElementsAre("next"));
    EXPECT_EQ(queue_.defer(next->task, DeferUntil::end_of_turn), DeferUntil::end_of_turn) << "the round is over";
    next->task.cancel();
  }
}

TEST_F(WorkQueueTest, RunsPostedTasksInOrderOfPosting) {
  Posted first(*this, "first");
  Posted second(*this, "second");
  EXPECT_TRUE(queue_.post(first)) << "the loop has to be woken";
  EXPECT_FALSE(queue_.post(second)) << "it has been woken";

  queue_.run_posted();

  EXPECT_THAT(order_, ElementsAre("first", "second"));
}

TEST_F(WorkQueueTest, WhatAPostedTaskPostsWaitsForTheNextRun) {
  Posted later(*this, "later");
  Posted first(*this, "first", [&] { EXPECT_TRUE(queue_.post(later)); });
  queue_.post(first);

  queue_.run_posted();
  EXPECT_THAT(order_, ElementsAre("first"));

  queue_.run_posted();
  EXPECT_THAT(order_, ElementsAre("first", "later"));
}

TEST_F(WorkQueueTest, APostedTaskMayBePostedAgainOnceItRuns) {
  Posted task(*this, "task", [&] {
    if (order_.size() == 1) queue_.post(task);
  });
  queue_.post(task);

  queue_.run_posted();
  queue_.run_posted();

  EXPECT_THAT(order_, ElementsAre("task", "task"));
}

TEST_F(WorkQueueTest, ANestedRunOfPostedTasksBeginsWithThoseBehindTheOneThatRuns) {
  Posted posted_later(*this, "posted later");
  Posted nesting(*this, "begins", [&] {
    queue_.post(posted_later);
    queue_.run_posted();
    order_.push_back("ends");
  });
  Posted next(*this, "next");
  queue_.post(nesting);
  queue_.post(next);

  queue_.run_posted();

  EXPECT_THAT(order_, ElementsAre("begins", "next", "posted later", "ends"));
}

TEST_F(WorkQueueTest, GoesOnBehindAPostedTaskThatThrew) {
  Posted throwing(*this, "throwing", [] { throw std::runtime_error("from a task"); });
  Posted next(*this, "next");
  queue_.post(throwing);
  queue_.post(next);

  EXPECT_THROW(queue_.run_posted(), std::runtime_error);
  EXPECT_TRUE(queue_.resume());

  EXPECT_THAT(order_, ElementsAre("throwing", "next"));
}

TEST_F(WorkQueueTest, DropsPostedTasksAndWhatTheirReleasePosts) {
  Posted released(*this, "second");
  Posted first(*this, "first", [&] { queue_.post(released); });
  PostedTask without_drop;
  queue_.post(first);
  queue_.post(without_drop);

  queue_.drop_posted();

  EXPECT_THAT(order_, ElementsAre("dropped first", "dropped second"));
  EXPECT_FALSE(queue_.resume());
}

TEST_F(WorkQueueTest, DropsTheTasksThatAnExceptionLeftBehind) {
  Posted throwing(*this, "throwing", [] { throw std::runtime_error("from a task"); });
  Posted next(*this, "next");
  queue_.post(throwing);
  queue_.post(next);
  EXPECT_THROW(queue_.run_posted(), std::runtime_error);

  queue_.drop_posted();

  EXPECT_THAT(order_, ElementsAre("throwing", "dropped next"));
}

TEST_F(WorkQueueTest, DeferredTasksOutliveTheQueue) {
  const auto task = note("task");
  {
    WorkQueue queue;
    queue.defer(task->task, DeferUntil::end_of_turn);
  }

  EXPECT_FALSE(task->task.is_scheduled());
  EXPECT_THAT(order_, IsEmpty());
}

TEST_F(WorkQueueTest, TakesPostedTasksFromManyThreads) {
  constexpr int threads = 4;
  constexpr int tasks = 2000;
  struct Counting : PostedTask {
    int* count = nullptr;
  };
  int count = 0;
  std::vector<std::vector<Counting>> posted(threads, std::vector<Counting>(tasks));
  std::vector<std::thread> posters;
  for (std::vector<Counting>& own : posted) {
    posters.emplace_back([this, &own, &count] {
      for (Counting& task : own) {
        task.count = &count;
        task.run = [](PostedTask* ready) { ++*static_cast<Counting*>(ready)->count; };
        queue_.post(task);
      }
    });
  }

  while (count < threads * tasks) queue_.run_posted();
  for (std::thread& poster : posters) poster.join();

  EXPECT_EQ(count, threads * tasks);
}

}  // namespace
}  // namespace trunkline::net
