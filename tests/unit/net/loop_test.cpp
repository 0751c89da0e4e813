// SPDX-License-Identifier: MIT
// Loop: what it runs, and in which order.
#include "net/loop.h"

#include "kit/manual_clock.h"

#include <trunkline/event_loop.h>

#include <gmock/gmock.h>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>

#include <string>
#include <thread>
#include <vector>

namespace trunkline::net {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

TEST(Loop, StopBeforeRunMakesRunReturnAtOnce) {
  Loop loop;
  bool ran = false;
  loop.stop();
  loop.run();
  loop.post([&] {
    ran = true;
    loop.stop();
  });

  loop.run();

  EXPECT_TRUE(ran) << "the second run was stopped by the first stop";
}

TEST(Loop, TimersFireThoughNoSocketHasOpenedItsDescriptors) {
  Loop loop;
  bool fired = false;
  base::Timer timer([](base::Timer&, void* flag, base::TimePoint) { *static_cast<bool*>(flag) = true; }, &fired);
  loop.timers().schedule(timer, loop.now() + 20ms);

  EXPECT_TRUE(loop.run_until([&] { return fired; }, loop.now() + 30s));
}

TEST(Loop, WithoutDescriptorsTimersFireDespiteTraffic) {
  Loop loop;
  bool fired = false;
  base::Timer timer([](base::Timer&, void* flag, base::TimePoint) { *static_cast<bool*>(flag) = true; }, &fired);
  loop.timers().schedule(timer, loop.now() + 20ms);
  std::function<void()> again = [&] { loop.post(again); };
  again();

  EXPECT_TRUE(loop.run_until([&] { return fired; }, base::Clock::now() + 30s));
}

TEST(Loop, WithoutDescriptorsAPostFromAnotherThreadWakesIt) {
  Loop loop;
  bool arrived = false;
  base::Timer late([](base::Timer&, void*, base::TimePoint) {}, nullptr);
  loop.timers().schedule(late, loop.now() + 1h);
  std::thread other([&] {
    std::this_thread::sleep_for(10ms);
    loop.post([&] { arrived = true; });
  });

  EXPECT_TRUE(loop.run_until([&] { return arrived; }, loop.now() + 30s));
  other.join();
}

TEST(Loop, TimersThatWereScheduledBeforeTheDescriptorsFireAfterwards) {
  Loop loop;
  bool fired = false;
  base::Timer timer([](base::Timer&, void* flag, base::TimePoint) { *static_cast<bool*>(flag) = true; }, &fired);
  loop.timers().schedule(timer, loop.now() + 20ms);
  loop.poll();

  EXPECT_TRUE(loop.open().is_ok());
  EXPECT_TRUE(loop.open().is_ok());

  EXPECT_TRUE(loop.run_until([&] { return fired; }, loop.now() + 30s));
}

TEST(Loop, PostedTasksRunInOrder) {
  Loop loop;
  std::vector<int> order;
  for (int i = 0; i < 5; ++i) loop.post([&, i] { order.push_back(i); });

  EXPECT_TRUE(loop.poll());

  EXPECT_THAT(order, ElementsAre(0, 1, 2, 3, 4));
  EXPECT_FALSE(loop.poll());
}

TEST(Loop, TasksPostedByTasksRunLater) {
  Loop loop;
  std::vector<std::string> order;
  loop.post([&] {
    loop.post([&] { order.push_back("posted by the first"); });
    order.push_back("first");
  });
  loop.post([&] { order.push_back("second"); });

  while (loop.poll()) {
  }

  EXPECT_THAT(order, ElementsAre("first", "second", "posted by the first"));
}

TEST(Loop, RunsTheTasksOfEachThreadInOrder) {
  constexpr int threads = 4;
  constexpr int tasks = 5000;
  Loop loop;
  std::vector<std::vector<int>> seen(threads);
  int total = 0;
  std::vector<std::thread> posters;
  for (int thread = 0; thread < threads; ++thread) {
    posters.emplace_back([&, thread] {
      for (int i = 0; i < tasks; ++i) {
        loop.post([&, thread, i] {
          seen[static_cast<std::size_t>(thread)].push_back(i);
          if (++total == threads * tasks) loop.stop();
        });
      }
    });
  }

  loop.run();
  for (std::thread& poster : posters) poster.join();

  for (const std::vector<int>& order : seen) {
    ASSERT_EQ(order.size(), static_cast<std::size_t>(tasks));
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
  }
}

struct CountingTask : PostedTask {
  CountingTask() {
    run = [](PostedTask* task) { ++static_cast<CountingTask*>(task)->runs; };
    drop = [](PostedTask* task) { ++static_cast<CountingTask*>(task)->drops; };
  }
  int runs = 0;
  int drops = 0;
};

TEST(Loop, RunsEmbeddedTasksThatArePostedAgain) {
  Loop loop;
  CountingTask task;

  loop.post(&task);
  loop.poll();
  loop.post(&task);
  loop.poll();

  EXPECT_EQ(task.runs, 2);
  EXPECT_EQ(task.drops, 0);
}

TEST(Loop, DropsPostedTasksWhenDestroyed) {
  CountingTask task;
  const auto owned = std::make_shared<int>(0);
  {
    Loop loop;
    loop.post(&task);
    loop.post([owned] { ADD_FAILURE() << "ran"; });
  }

  EXPECT_EQ(task.runs, 0);
  EXPECT_EQ(task.drops, 1);
  EXPECT_EQ(owned.use_count(), 1);
}

TEST(Loop, GoesOnWithTheNextTaskAfterOneThrew) {
  Loop loop;
  bool ran = false;
  loop.post([] { throw std::runtime_error("from the user"); });
  loop.post([&] { ran = true; });

  EXPECT_THROW(loop.poll(), std::runtime_error);
  loop.poll();

  EXPECT_TRUE(ran);
}

struct DeferredNote {
  DeferredNote(std::vector<std::string>& log, std::string text) : order(log), name(std::move(text)) {}
  std::vector<std::string>& order;
  std::string name;
  DeferredTask deferred{[](void* self) {
                          auto& note = *static_cast<DeferredNote*>(self);
                          note.order.push_back(note.name);
                        },
                        this};
};

TEST(Loop, DeferredTasksRunOnceAfterTheReadyHandlers) {
  Loop loop;
  std::vector<std::string> order;
  DeferredNote note(order, "deferred");
  asio::post(loop.context(), [&] {
    loop.defer(note.deferred);
    order.push_back("first");
  });
  asio::post(loop.context(), [&] {
    loop.defer(note.deferred);
    order.push_back("second");
  });

  loop.poll();

  EXPECT_THAT(order, ElementsAre("first", "second", "deferred"));
}

TEST(Loop, TasksDeferredOutsideOfARunComeFirst) {
  Loop loop;
  std::vector<std::string> order;
  DeferredNote note(order, "deferred");
  asio::post(loop.context(), [&] { order.push_back("handler"); });
  loop.defer(note.deferred);

  loop.poll();

  EXPECT_THAT(order, ElementsAre("deferred", "handler"));
}

TEST(Loop, DestroyedAndCancelledTasksDoNotRun) {
  Loop loop;
  std::vector<std::string> order;
  DeferredNote kept(order, "kept");
  DeferredNote cancelled(order, "cancelled");
  auto destroyed = std::make_unique<DeferredNote>(order, "destroyed");
  loop.defer(cancelled.deferred);
  loop.defer(destroyed->deferred);
  loop.defer(kept.deferred);

  destroyed.reset();
  cancelled.deferred.cancel();
  loop.poll();

  EXPECT_THAT(order, ElementsAre("kept"));
}

TEST(Loop, ATaskThatDefersItselfAlternatesWithHandlers) {
  Loop loop;
  struct Again {
    explicit Again(Loop& owner) : loop(owner) {}
    Loop& loop;
    int runs = 0;
    int handlers = 0;
    DeferredTask deferred{[](void* pointer) {
                            auto& self = *static_cast<Again*>(pointer);
                            if (++self.runs == 3) return;
                            asio::post(self.loop.context(), [&self] { ++self.handlers; });
                            self.loop.defer(self.deferred);
                          },
                          this};
  } again(loop);
  loop.defer(again.deferred);

  while (loop.poll()) {
  }

  EXPECT_EQ(again.runs, 3);
  EXPECT_EQ(again.handlers, 2);
}

TEST(Loop, IsCurrentOnlyOnTheThreadThatRunsIt) {
  Loop loop;
  bool inside = false;
  bool elsewhere = true;
  EXPECT_FALSE(loop.is_current());
  loop.post([&] {
    inside = loop.is_current();
    std::thread([&] { elsewhere = loop.is_current(); }).join();
  });

  loop.poll();

  EXPECT_TRUE(inside);
  EXPECT_FALSE(elsewhere);
  EXPECT_FALSE(loop.is_current());
}

TEST(Loop, TimeStandsStillWithinATurn) {
  kit::ManualClock clock;
  Loop loop({}, &clock);
  const base::TimePoint start = loop.now();
  base::TimePoint before;
  base::TimePoint after;
  base::TimePoint refreshed;
  asio::post(loop.context(), [&] {
    before = loop.now();
    clock.advance(1s);
    after = loop.now();
    loop.refresh_now();
    refreshed = loop.now();
  });

  loop.poll();

  EXPECT_EQ(before, start);
  EXPECT_EQ(after, start);
  EXPECT_EQ(refreshed, start + 1s);
  EXPECT_EQ(loop.now(), start + 1s) << "outside of a turn the time is not kept";
}

TEST(Loop, BusyPollingLoopServesTasksAndSleepsWhenIdle) {
  Loop loop(EventLoopOptions{.busy_poll = 50us});
  int count = 0;
  std::thread poster([&] {
    for (int i = 0; i < 100; ++i) loop.post([&] { ++count; });
  });

  EXPECT_TRUE(loop.run_until([&] { return count == 100; }, loop.now() + 30s));
  poster.join();
  EXPECT_FALSE(loop.run_until([] { return false; }, loop.now() + 5ms));
}

struct CountedOperation : LoopOwned {
  explicit CountedOperation(int& counter) : alive(counter) { ++alive; }
  ~CountedOperation() override { --alive; }
  int& alive;
};

TEST(Loop, DestroysTheOperationsThatItOwns) {
  int alive = 0;
  {
    Loop loop;
    std::vector<CountedOperation*> operations;
    for (int i = 0; i < 3; ++i) {
      auto operation = std::make_unique<CountedOperation>(alive);
      operations.push_back(operation.get());
      loop.adopt(std::move(operation));
    }

    loop.release(*operations[1]);
    EXPECT_EQ(alive, 2);
  }

  EXPECT_EQ(alive, 0);
}

TEST(EventLoop, RunsTasksTimersAndStops) {
  EventLoop loop;
  std::vector<std::string> order;
  asio::steady_timer timer(loop.executor(), 1ms);
  timer.async_wait([&](const std::error_code&) {
    order.push_back("timer");
    loop.stop();
  });
  loop.post([&] { order.push_back(loop.is_current() ? "task" : "task elsewhere"); });

  loop.run();

  EXPECT_THAT(order, ElementsAre("task", "timer"));
}

TEST(EventLoop, MadeOnAClockOfItsOwn) {
  kit::ManualClock clock;
  const std::unique_ptr<EventLoop> loop = Loop::make_event_loop({}, &clock);

  clock.advance(1h);

  EXPECT_EQ(Loop::of(*loop).now(), clock.now());
}

}  // namespace
}  // namespace trunkline::net
