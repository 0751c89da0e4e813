// SPDX-License-Identifier: MIT
// Which thread runs a loop: leading, handing over, waking up, stopping, exceptions, forks.
#include "net/loop_runner.h"

#include "kit/refused_threads.h"

#include <gmock/gmock.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <deque>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace trunkline::net {
namespace {

using namespace std::chrono_literals;

void post(Loop& loop, std::function<void()> task) { loop.post(std::move(task)); }

/// A thread that waits for something of its own, and says whether it was set.
class Waiter {
 public:
  explicit Waiter(LoopRunner& runner, base::TimePoint until = base::never)
      : thread_([this, &runner, until] { result_ = runner.wait(waitable, until); }) {}
  ~Waiter() {
    if (thread_.joinable()) thread_.join();
  }
  bool join() {
    thread_.join();
    return result_;
  }
  std::thread::id id() const { return thread_.get_id(); }

  Waitable waitable;

 private:
  bool result_ = false;
  std::thread thread_;
};

void wait_until_led(const LoopRunner& runner) {
  while (!runner.is_led()) std::this_thread::yield();
}

/// Runs `task` on the thread that leads, and waits for it.
void run_on_leader(Loop& loop, const std::function<void()>& task) {
  std::atomic<bool> done{false};
  post(loop, [&] {
    task();
    done = true;
  });
  while (!done) std::this_thread::yield();
}

TEST(LoopRunner, AThreadThatWaitsRunsTheLoop) {
  Loop loop;
  LoopRunner runner(loop);
  Waitable waitable;
  std::thread::id ran_on;
  post(loop, [&] {
    ran_on = std::this_thread::get_id();
    runner.set(waitable);
  });

  EXPECT_TRUE(runner.wait(waitable));

  EXPECT_EQ(ran_on, std::this_thread::get_id());
  EXPECT_FALSE(runner.is_led());
  EXPECT_EQ(runner.lead_count(), 1u);
}

TEST(LoopRunner, WaitingForWhatIsSetTakesNoLead) {
  Loop loop;
  LoopRunner runner(loop);
  Waitable waitable;
  runner.set(waitable);

  EXPECT_TRUE(runner.wait(waitable));
  EXPECT_EQ(runner.lead_count(), 0u);

  waitable.clear();
  EXPECT_FALSE(waitable.is_set());
  waitable.set_unwaited();
  EXPECT_TRUE(runner.wait(waitable));
}

TEST(LoopRunner, ALeaderGivesUpAtItsTime) {
  Loop loop;
  LoopRunner runner(loop);
  Waitable waitable;

  EXPECT_FALSE(runner.wait(waitable, base::Clock::now() + 2ms));

  EXPECT_FALSE(runner.is_led());
}

TEST(LoopRunner, AFollowerGivesUpAtItsTime) {
  Loop loop;
  LoopRunner runner(loop);
  const auto lead = runner.try_lead();
  Waitable waitable;

  EXPECT_FALSE(runner.wait(waitable, base::Clock::now() + 2ms));
  EXPECT_FALSE(runner.try_lead());
}

TEST(LoopRunner, TheLeaderHandsOverToAThreadThatWaits) {
  Loop loop;
  LoopRunner runner(loop);
  Waiter first(runner);
  wait_until_led(runner);
  Waiter second(runner);

  std::thread::id leader;
  run_on_leader(loop, [&] {
    leader = std::this_thread::get_id();
    runner.set(first.waitable);
  });
  EXPECT_EQ(leader, first.id());
  EXPECT_TRUE(first.join());
  run_on_leader(loop, [&] {
    leader = std::this_thread::get_id();
    runner.set(second.waitable);
  });

  EXPECT_EQ(leader, second.id());
  EXPECT_TRUE(second.join());
}

TEST(LoopRunner, TheLeadPassesByAThreadThatHasWhatItWaitedFor) {
  Loop loop;
  std::atomic<int> asked{0};
  LoopRunner runner(loop, {.work_left = [&]() -> std::shared_ptr<void> {
                      ++asked;
                      return nullptr;
                    }});
  Waiter first(runner);
  wait_until_led(runner);
  std::deque<Waiter> others;
  for (int i = 0; i < 3; ++i) others.emplace_back(runner);

  run_on_leader(loop, [&] {
    for (Waiter& other : others) {
      if (&other != &others.back()) runner.set(other.waitable);
    }
    runner.set(first.waitable);
  });
  EXPECT_TRUE(first.join());
  run_on_leader(loop, [&] { runner.set(others.back().waitable); });

  for (Waiter& other : others) EXPECT_TRUE(other.join());
  EXPECT_GE(asked, 2);
}

TEST(LoopRunner, SettingFromAnotherThreadWakesALeaderThatSleeps) {
  Loop loop;
  LoopRunner runner(loop);
  Waiter leader(runner);
  wait_until_led(runner);

  runner.set(leader.waitable);

  EXPECT_TRUE(leader.join());
}

TEST(LoopRunner, SettingWakesEveryThreadThatWaitsForTheSame) {
  Loop loop;
  LoopRunner runner(loop);
  Waitable shared;
  std::atomic<int> ended{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      EXPECT_TRUE(runner.wait(shared));
      ++ended;
    });
  }
  wait_until_led(runner);

  runner.set(shared);
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(ended, 4);
}

TEST(LoopRunner, SettingWhatNoThreadFollowsForTakesNoLock) {
  Loop loop;
  LoopRunner runner(loop);
  Waitable other;
  std::future<void> setter;
  std::future_status status = std::future_status::timeout;
  auto lead = runner.try_lead();
  Waiter follower(runner);
  std::this_thread::sleep_for(20ms);
  // Called with the mutex held.
  runner.set_on_hand_over([&] {
    if (setter.valid()) return;
    setter = std::async(std::launch::async, [&] { runner.set(other); });
    status = setter.wait_for(30s);
  });

  lead.reset();
  runner.set(follower.waitable);

  EXPECT_EQ(status, std::future_status::ready);
  EXPECT_TRUE(other.is_set());
  EXPECT_TRUE(follower.join());
}

/// Each thread waits for answers that the loop gives in later turns, so that leading, following and handing over meet
/// in every order. A wake-up that is lost makes the test hang.
TEST(LoopRunner, LosesNoWakeUp) {
  constexpr int threads = 4;
  constexpr int rounds = 2000;
  Loop loop;
  LoopRunner runner(loop);
  std::atomic<int> ended{0};
  std::vector<std::thread> callers;
  for (int thread = 0; thread < threads; ++thread) {
    callers.emplace_back([&, thread] {
      for (int round = 0; round < rounds; ++round) {
        // On the stack: set() must not touch it once the thread can leave.
        Waitable waitable;
        if ((round + thread) % 3 == 0) {
          post(loop, [&] { post(loop, [&] { runner.set(waitable); }); });
        } else {
          post(loop, [&] { runner.set(waitable); });
        }
        if (!runner.wait(waitable)) return;
        ++ended;
      }
    });
  }
  for (std::thread& caller : callers) caller.join();

  EXPECT_EQ(ended, threads * rounds);
}

TEST(LoopRunner, SettingFromOutsideTheLoopLosesNoWakeUpEither) {
  constexpr int rounds = 2000;
  Loop loop;
  LoopRunner runner(loop);
  std::vector<Waitable> waitables(2 * rounds);
  std::vector<std::thread> callers;
  for (std::size_t half = 0; half < 2; ++half) {
    callers.emplace_back([&, half] {
      for (std::size_t i = half; i < waitables.size(); i += 2) EXPECT_TRUE(runner.wait(waitables[i]));
    });
  }
  for (Waitable& waitable : waitables) runner.set(waitable);
  for (std::thread& caller : callers) caller.join();
}

TEST(LoopRunner, OneThreadLeadsAtATime) {
  Loop loop;
  LoopRunner runner(loop);
  {
    const auto lead = runner.try_lead();
    ASSERT_TRUE(lead.has_value());
    EXPECT_TRUE(runner.is_led());
    EXPECT_FALSE(runner.try_lead().has_value());
    bool ran = false;
    post(loop, [&] { ran = true; });
    EXPECT_TRUE(lead->run_until([&] { return ran; }));
    EXPECT_FALSE(lead->run_until([] { return false; }, base::Clock::now() + 1ms));
  }
  EXPECT_TRUE(runner.try_lead().has_value());
}

TEST(LoopRunner, AClaimTakesTheLeadFromTheThreadThatHasIt) {
  Loop loop;
  LoopRunner runner(loop);
  Waiter leader(runner);
  wait_until_led(runner);

  {
    const LoopRunner::Lead lead = runner.claim_lead();
    EXPECT_FALSE(loop.is_current());
    EXPECT_FALSE(runner.try_lead().has_value());
    runner.set(leader.waitable);
  }

  EXPECT_TRUE(leader.join());
}

TEST(LoopRunner, AThreadThatMadeWayLeadsAgain) {
  Loop loop;
  LoopRunner runner(loop);
  Waiter leader(runner);
  wait_until_led(runner);
  { const LoopRunner::Lead lead = runner.claim_lead(); }

  run_on_leader(loop, [&] { runner.set(leader.waitable); });

  EXPECT_TRUE(leader.join());
}

TEST(LoopRunner, CallsTheHandOverHookBeforeAnotherLeads) {
  Loop loop;
  std::atomic<int> calls{0};
  LoopRunner runner(loop, {.on_hand_over = [&] { ++calls; }});

  static_cast<void>(runner.try_lead());
  EXPECT_EQ(calls, 1);

  Waitable waitable;
  post(loop, [&] { runner.set(waitable); });
  runner.wait(waitable);
  EXPECT_EQ(calls, 2);
}

TEST(LoopRunner, AThreadOfItsOwnTakesTheLeadAndGivesItBack) {
  Loop loop;
  LoopRunner runner(loop);
  Waiter waiter(runner);
  wait_until_led(runner);
  ASSERT_TRUE(runner.start_thread().is_ok());
  ASSERT_TRUE(runner.start_thread().is_ok()) << "there is one";
  EXPECT_FALSE(runner.try_lead().has_value());

  std::thread::id leader = waiter.id();
  while (leader == waiter.id()) run_on_leader(loop, [&] { leader = std::this_thread::get_id(); });
  runner.stop_thread();
  EXPECT_FALSE(runner.has_thread());
  run_on_leader(loop, [&] {
    leader = std::this_thread::get_id();
    runner.set(waiter.waitable);
  });

  EXPECT_EQ(leader, waiter.id());
  EXPECT_TRUE(waiter.join());
  ASSERT_TRUE(runner.start_thread().is_ok()) << "it may be started again";
  EXPECT_TRUE(runner.has_thread());
}

TEST(LoopRunner, StartsAThreadForWorkThatIsLeft) {
  Loop loop;
  const auto keep = std::make_shared<int>(0);
  LoopRunner runner(loop, {.work_left = [&] { return keep; }});
  Waitable waitable;
  post(loop, [&] { runner.set(waitable); });

  runner.wait(waitable);

  EXPECT_TRUE(runner.has_thread());
  EXPECT_GT(keep.use_count(), 1);
  runner.stop();
  EXPECT_EQ(keep.use_count(), 1);
}

TEST(LoopRunner, WorkThatIsLeftGoesToAThreadThatWaits) {
  Loop loop;
  LoopRunner runner(loop, {.work_left = [] { return std::make_shared<int>(0); }});
  Waiter first(runner);
  wait_until_led(runner);
  Waiter second(runner);
  // It waits once it has looked for the lead.
  std::this_thread::yield();

  run_on_leader(loop, [&] { runner.set(first.waitable); });
  first.join();
  run_on_leader(loop, [&] { runner.set(second.waitable); });

  EXPECT_TRUE(second.join());
}

TEST(LoopRunner, AThreadThatTheSystemRefusesIsAStatus) {
  Loop loop;
  LoopRunner runner(loop, {.work_left = [] { return std::make_shared<int>(0); }});
  const kit::RefusedThreads refused;

  EXPECT_EQ(runner.start_thread().code(), StatusCode::resource_exhausted);
  EXPECT_FALSE(runner.has_thread());

  static_cast<void>(runner.try_lead());
  EXPECT_FALSE(runner.has_thread());
  EXPECT_TRUE(runner.try_lead().has_value()) << "the work is done when a thread leads again";
}

TEST(LoopRunner, StoppingTakesTheLoopFromAThreadThatWaits) {
  Loop loop;
  std::atomic<int> stopped{0};
  LoopRunner runner(loop, {.on_stopped = [&] { ++stopped; }});
  Waiter leader(runner);
  wait_until_led(runner);
  Waiter follower(runner);

  runner.stop();
  runner.stop();
  EXPECT_FALSE(runner.is_led());
  EXPECT_FALSE(runner.try_lead().has_value());
  EXPECT_TRUE(runner.start_thread().is_ok());
  EXPECT_FALSE(runner.has_thread());
  // The waiters still wait, and are ended by whoever ends their calls.
  runner.set(leader.waitable);
  runner.set(follower.waitable);

  EXPECT_TRUE(leader.join());
  EXPECT_TRUE(follower.join());
  EXPECT_EQ(stopped, 0);
}

TEST(LoopRunner, StoppingEndsItsThread) {
  Loop loop;
  LoopRunner runner(loop);
  ASSERT_TRUE(runner.start_thread().is_ok());

  runner.stop();

  EXPECT_FALSE(runner.has_thread());
}

TEST(LoopRunner, StoppedFromInsideTheLoopItSaysWhenItsThreadHasLeft) {
  Loop loop;
  std::atomic<int> stopped{0};
  LoopRunner runner(loop, {.on_stopped = [&] { ++stopped; }});
  Waitable waitable;
  post(loop, [&] {
    runner.stop();
    EXPECT_EQ(stopped, 0);
    runner.set(waitable);
  });

  EXPECT_TRUE(runner.wait(waitable));

  EXPECT_EQ(stopped, 1);
  EXPECT_FALSE(runner.try_lead().has_value());
}

TEST(LoopRunner, StoppedFromInsideByItsOwnThread) {
  Loop loop;
  std::atomic<bool> stopped{false};
  auto keep = std::make_shared<int>(0);
  const std::weak_ptr<int> kept = keep;
  LoopRunner runner(loop, {.on_stopped = [&] { stopped = true; }});
  ASSERT_TRUE(runner.start_thread(std::exchange(keep, nullptr)).is_ok());

  post(loop, [&] { runner.stop(); });

  while (!stopped || !kept.expired()) std::this_thread::yield();
  EXPECT_FALSE(runner.has_thread());
}

TEST(LoopRunner, WithoutAHookExceptionsLeaveTheThreadThatLeads) {
  Loop loop;
  LoopRunner runner(loop);
  Waitable waitable;
  post(loop, [] { throw std::runtime_error("from a handler"); });
  post(loop, [&] { runner.set(waitable); });

  EXPECT_THROW(runner.wait(waitable), std::runtime_error);
  EXPECT_FALSE(runner.is_led()) << "the lead was handed over";
  EXPECT_TRUE(runner.wait(waitable));
}

TEST(LoopRunner, WithAHookTheLoopGoesOn) {
  Loop loop;
  int reported = 0;
  LoopRunner runner(loop, {.on_exception = [&] {
                      ++reported;
                      EXPECT_THROW(std::rethrow_exception(std::current_exception()), std::runtime_error);
                    }});
  Waitable waitable;
  post(loop, [] { throw std::runtime_error("from a handler"); });
  post(loop, [] { throw std::runtime_error("from another"); });
  post(loop, [&] { runner.set(waitable); });

  EXPECT_TRUE(runner.wait(waitable));

  EXPECT_EQ(reported, 2);
}

TEST(LoopRunner, ItsThreadGoesOnAfterAnException) {
  for (const bool is_reported : {false, true}) {
    Loop loop;
    std::atomic<int> reported{0};
    LoopRunnerHooks hooks;
    if (is_reported) hooks.on_exception = [&] { ++reported; };
    LoopRunner runner(loop, hooks);
    ASSERT_TRUE(runner.start_thread().is_ok());
    Waitable waitable;

    post(loop, [] { throw std::runtime_error("from a handler"); });
    post(loop, [&] { runner.set(waitable); });

    EXPECT_TRUE(runner.wait(waitable));
    EXPECT_EQ(reported, is_reported ? 1 : 0);
  }
}

TEST(LoopRunner, AnExceptionEndsALead) {
  Loop loop;
  LoopRunner runner(loop);
  post(loop, [] { throw std::runtime_error("from a handler"); });

  EXPECT_THROW(
      {
        const auto lead = runner.try_lead();
        static_cast<void>(lead->run_until([] { return false; }));
      },
      std::runtime_error);

  EXPECT_TRUE(runner.try_lead().has_value());
}

TEST(LoopRunner, OnAnExternalLoopThreadsOnlyWait) {
  Loop loop;
  LoopRunner runner(loop, {}, true);
  Waiter waiter(runner);
  EXPECT_FALSE(runner.try_lead().has_value());
  EXPECT_TRUE(runner.start_thread().is_ok());
  EXPECT_FALSE(runner.has_thread());
  std::thread::id ran_on;
  post(loop, [&] {
    ran_on = std::this_thread::get_id();
    runner.set(waiter.waitable);
  });

  while (!waiter.waitable.is_set()) loop.poll();

  EXPECT_TRUE(waiter.join());
  EXPECT_EQ(ran_on, std::this_thread::get_id());
  runner.stop();
}

// ThreadSanitizer ends a child of several threads that starts one.
#if !defined(__SANITIZE_THREAD__)
/// The child makes a runner of its own, whatever the parent's threads did when it was forked.
TEST(LoopRunner, AForkedChildMakesARunnerOfItsOwn) {
  Loop loop;
  LoopRunner runner(loop);
  ASSERT_TRUE(runner.start_thread().is_ok());
  Waiter follower(runner);
  wait_until_led(runner);

  const pid_t child = ::fork();
  if (child == 0) {
    Loop own_loop;
    LoopRunner own(own_loop);
    Waitable waitable;
    post(own_loop, [&] { own.set(waitable); });
    const bool was_set = own.wait(waitable);
    const bool has_thread = own.start_thread().is_ok() && own.has_thread();
    own.stop();
    ::_exit(was_set && has_thread ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  runner.set(follower.waitable);

  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_TRUE(follower.join());
}
#endif

}  // namespace
}  // namespace trunkline::net
