// SPDX-License-Identifier: MIT
// The table of a server's life: every pair of stage and event; and the threads that wait for its changes.
#include "server/server_lifecycle.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

namespace trunkline::server {

namespace {

using A = ServerAction;
using E = ServerEvent;
using S = ServerStage;

/// The rules of the table, in another form than the table's.
ServerTransition expected(S stage, E event) {
  const bool is_before_stop = stage < S::stopping;
  const bool has_begun = stage == S::started || stage == S::running;
  const ServerTransition nothing{A::none, stage};
  const ServerTransition reject{A::reject, stage};
  switch (event) {
    case E::start:
      if (!is_before_stop) return {A::refuse_stopped, stage};
      return stage == S::idle ? ServerTransition{A::start_threads, S::started} : nothing;
    case E::run:
    case E::run_users_loop:
      if (!is_before_stop) return {A::refuse_stopped, stage};
      if (stage == S::running) return {A::refuse_running, stage};
      if (stage == S::started && event == E::run) return {A::wait, stage};
      return {A::serve, S::running};
    case E::start_failed:
      if (!is_before_stop) return nothing;
      return has_begun ? ServerTransition{A::none, S::idle} : reject;
    case E::run_ended:
      if (!is_before_stop) return nothing;
      return stage == S::running ? ServerTransition{A::none, S::started} : reject;
    case E::stop:
      return is_before_stop ? ServerTransition{A::begin_stop, S::stopping} : nothing;
    case E::clean_up:
      if (is_before_stop) return reject;
      if (stage == S::stopping) return {A::clean_up, S::cleaning_up};
      return stage == S::cleaning_up ? ServerTransition{A::wait, stage} : nothing;
    case E::cleaned_up:
      return stage == S::cleaning_up ? ServerTransition{A::none, S::stopped} : reject;
  }
  return reject;
}

TEST(ServerLifecycle, HasAnEntryForEveryPairOfStageAndEvent) {
  for (int s = 0; s < server_stages; ++s) {
    for (int e = 0; e < server_events; ++e) {
      const auto stage = static_cast<S>(s);
      const auto event = static_cast<E>(e);

      const ServerTransition entry = transition(stage, event);

      EXPECT_EQ(entry.action, expected(stage, event).action) << "stage " << s << ", event " << e;
      EXPECT_EQ(entry.next, expected(stage, event).next) << "stage " << s << ", event " << e;
    }
  }
}

TEST(ServerLifecycle, CountsRunnersOnlyIfTheyAreToBeStarted) {
  ServerLifecycle lifecycle;

  lifecycle.apply(E::start, 2);
  lifecycle.apply(E::start, 2);
  lifecycle.apply(E::run, 3);

  EXPECT_EQ(lifecycle.stage(), S::started);
  EXPECT_EQ(lifecycle.runners(), 2u);
}

TEST(ServerLifecycle, MayBeStartedAgainAfterAFailure) {
  ServerLifecycle lifecycle;
  lifecycle.apply(E::start, 2);
  lifecycle.apply(E::start_failed);
  lifecycle.remove_runners(2);

  EXPECT_EQ(lifecycle.apply(E::start, 2), A::start_threads);
  EXPECT_EQ(lifecycle.runners(), 2u);
}

TEST(ServerLifecycle, LetsOneThreadCleanUp) {
  ServerLifecycle lifecycle;
  lifecycle.apply(E::start, 1);
  lifecycle.apply(E::stop);
  lifecycle.stop_begun();
  std::thread runner([&] { lifecycle.remove_runners(1); });
  lifecycle.wait_for_runners();

  const A first = lifecycle.apply(E::clean_up);
  const A second = lifecycle.apply(E::clean_up);
  std::thread waiting([&] { lifecycle.wait_until_stopped(); });
  lifecycle.apply(E::cleaned_up);
  waiting.join();
  runner.join();

  EXPECT_EQ(first, A::clean_up);
  EXPECT_EQ(second, A::wait);
  EXPECT_EQ(lifecycle.apply(E::clean_up), A::none);
}

TEST(ServerLifecycle, WaitsUntilAnotherThreadHasBegunToStop) {
  ServerLifecycle lifecycle;
  lifecycle.apply(E::stop);
  const bool begins_here = lifecycle.begins_stop_here();
  std::atomic<bool> has_begun{false};
  auto waiting = std::async(std::launch::async, [&] {
    EXPECT_FALSE(lifecycle.begins_stop_here());
    lifecycle.wait_for_runners();
    return has_begun.load();
  });

  const std::future_status early = waiting.wait_for(std::chrono::milliseconds(20));
  has_begun = true;
  lifecycle.stop_begun();

  EXPECT_TRUE(begins_here);
  EXPECT_EQ(early, std::future_status::timeout);
  EXPECT_TRUE(waiting.get());
  EXPECT_FALSE(lifecycle.begins_stop_here());
}

TEST(ServerLifecycle, WakesAThreadThatWaitsForWorkWhenTheServerStops) {
  ServerLifecycle lifecycle;
  lifecycle.apply(E::start, 1);
  std::future<bool> waiting =
      std::async(std::launch::async, [&] { return lifecycle.wait_for([] { return false; }, true); });

  lifecycle.apply(E::stop);

  EXPECT_FALSE(waiting.get());
  EXPECT_TRUE(lifecycle.is_stopping());
}

TEST(ServerLifecycle, WakesAThreadThatWaitsForWorkWhenItIsDone) {
  ServerLifecycle lifecycle;
  lifecycle.apply(E::start, 1);
  bool is_done = false;
  std::future<bool> waiting =
      std::async(std::launch::async, [&] { return lifecycle.wait_for([&] { return is_done; }, true); });

  lifecycle.update([&] { is_done = true; });

  EXPECT_TRUE(waiting.get());
}

TEST(ServerLifecycle, WaitsForWorkOnlyWhileSomethingRunsTheLoop) {
  ServerLifecycle lifecycle;

  EXPECT_FALSE(lifecycle.wait_for([] { return false; }, true));
}

}  // namespace

}  // namespace trunkline::server
