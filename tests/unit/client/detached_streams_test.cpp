// SPDX-License-Identifier: MIT
// Tasks and handlers without a loop: on which thread they run, in which order, and under which lock.
#include "client/detached_streams.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace trunkline::client {

namespace {

/// An operation that a task ends at once, and its handler.
struct Operation : detail::StreamOperation {
  explicit Operation(std::function<void()> on_ended = {})
      : StreamOperation([](StreamOperation& self) {
          auto& operation = static_cast<Operation&>(self);
          operation.is_done = true;
          if (operation.handler) operation.handler();
        }),
        handler(std::move(on_ended)) {}
  std::function<void()> handler;
  bool is_done = false;
};

class DetachedStreamsTest : public ::testing::Test {
 protected:
  /// What beginning an operation of a stream is: a task that ends it.
  void begin(Operation& operation) {
    streams.run([&] { streams.ended().push(operation); });
  }

  std::vector<std::string> logged;
  LogCallback callback = [this](const LogRecord& record) { logged.emplace_back(record.message); };
  ExceptionLog log{callback};
  DetachedStreams streams{log};
};

using DetachedTasks = DetachedStreamsTest;
using DetachedHandlers = DetachedStreamsTest;

TEST_F(DetachedTasks, RunOnTheCallingThreadBeforeRunReturns) {
  std::thread::id ran_on;

  streams.run([&] { ran_on = std::this_thread::get_id(); });

  EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST_F(DetachedTasks, BegunInsideATaskWaitForItsEnd) {
  std::string order;

  streams.run([&] {
    order += "outer begins, ";
    streams.run([&] { order += "inner, "; });
    order += "outer ends, ";
  });

  EXPECT_EQ(order, "outer begins, outer ends, inner, ");
}

TEST_F(DetachedTasks, RunOneAtATime) {
  constexpr int rounds = 2000;
  int count = 0;  // guarded by nothing but the tasks
  std::atomic<bool> is_inside{false};
  std::atomic<int> overlaps{0};
  const auto use = [&] {
    for (int i = 0; i < rounds; ++i) {
      streams.run([&] {
        if (is_inside.exchange(true)) ++overlaps;
        ++count;
        is_inside = false;
      });
    }
  };

  std::thread other(use);
  use();
  other.join();

  EXPECT_EQ(count, 2 * rounds);
  EXPECT_EQ(overlaps, 0);
}

TEST_F(DetachedTasks, AnExceptionIsLoggedAndTheNextTaskRuns) {
  bool has_run = false;

  streams.run([&] {
    streams.run([&] { has_run = true; });
    throw std::runtime_error("against its contract");
  });

  EXPECT_TRUE(has_run);
  ASSERT_EQ(logged.size(), 1u);
  EXPECT_EQ(logged[0], "run loop: a handler has thrown: against its contract");
}

TEST_F(DetachedTasks, RunUntilInsideATaskDoesNotWaitForItsEnd) {
  std::string order;
  Operation blocking([&] { order += "ended, "; });

  streams.run([&] {
    order += "outer begins, ";
    streams.run_until([&] { streams.ended().push(blocking); }, [&] { return blocking.is_done; });
    order += "outer ends";
  });

  EXPECT_EQ(order, "outer begins, ended, outer ends");
}

TEST_F(DetachedTasks, ATaskThatBlocksLetsOtherThreadsIn) {
  std::mutex mutex;
  std::condition_variable changed;
  bool other_has_run = false;
  Operation blocking([&] {
    // Another thread's task runs although this thread is inside one.
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return other_has_run; });
  });
  std::thread other;

  streams.run([&] {
    other = std::thread([&] {
      streams.run([&] {
        const std::lock_guard lock(mutex);
        other_has_run = true;
        changed.notify_one();
      });
    });
    streams.run_until([&] { streams.ended().push(blocking); }, [&] { return blocking.is_done; });
  });
  other.join();

  EXPECT_TRUE(blocking.is_done);
}

TEST_F(DetachedHandlers, RunInsideTheFunctionThatBeginsTheOperation) {
  std::thread::id ran_on;
  Operation operation([&] { ran_on = std::this_thread::get_id(); });

  begin(operation);

  EXPECT_EQ(ran_on, std::this_thread::get_id());
  EXPECT_TRUE(operation.is_initiating);
}

TEST_F(DetachedHandlers, RunWithoutTheMutex) {
  bool other_has_run = false;
  Operation operation([&] { std::thread([&] { streams.run([&] { other_has_run = true; }); }).join(); });

  begin(operation);

  EXPECT_TRUE(other_has_run);
}

TEST_F(DetachedHandlers, RunOnTheThreadThatBeganTheOperation) {
  std::atomic<int> elsewhere{0};
  const auto use = [&] {
    for (int i = 0; i < 2000; ++i) {
      const auto here = std::this_thread::get_id();
      Operation operation([&] {
        if (std::this_thread::get_id() != here) ++elsewhere;
      });
      begin(operation);
      if (!operation.is_done) ++elsewhere;
    }
  };

  std::thread other(use);
  use();
  other.join();

  EXPECT_EQ(elsewhere, 0);
}

TEST_F(DetachedHandlers, DoNotNestHoweverLongTheChain) {
  constexpr int count = 100000;
  std::vector<std::unique_ptr<Operation>> operations;
  bool is_inside = false;
  int nested = 0;
  std::function<void()> next = [&] {
    nested += is_inside ? 1 : 0;
    is_inside = true;
    if (static_cast<int>(operations.size()) < count) {
      operations.push_back(std::make_unique<Operation>(next));
      begin(*operations.back());
    }
    is_inside = false;
  };
  Operation first(next);

  begin(first);

  EXPECT_EQ(nested, 0);
  EXPECT_EQ(static_cast<int>(operations.size()), count);
  EXPECT_TRUE(operations.back()->is_done);
}

TEST_F(DetachedHandlers, BlockingRunsWhatWasBegunBeforeFirst) {
  std::string order;
  Operation before([&] { order += "before, "; });
  Operation blocking([&] { order += "blocking, "; });
  Operation behind([&] { order += "behind, "; });
  Operation outer([&] {
    order += "outer begins, ";
    begin(before);
    streams.run_until(
        [&] {
          streams.ended().push(blocking);
          streams.ended().push(behind);
        },
        [&] { return blocking.is_done; });
    order += "outer ends, ";
  });

  begin(outer);

  EXPECT_EQ(order, "outer begins, before, blocking, outer ends, behind, ");
}

TEST_F(DetachedHandlers, AnExceptionIsLoggedAndTheNextHandlerRuns) {
  Operation thrower([] { throw std::runtime_error("against its contract"); });
  Operation next;

  streams.run([&] {
    streams.ended().push(thrower);
    streams.ended().push(next);
  });

  EXPECT_TRUE(next.is_done);
  EXPECT_EQ(logged.size(), 1u);
}

TEST_F(DetachedHandlers, OfOneChannelMayUseAnother) {
  DetachedStreams other(log);
  std::string order;
  Operation inner([&] { order += "inner, "; });
  Operation outer([&] {
    other.run([&] { other.ended().push(inner); });
    order += "outer, ";
  });

  begin(outer);

  EXPECT_EQ(order, "inner, outer, ");
}

}  // namespace

}  // namespace trunkline::client
