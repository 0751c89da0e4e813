// SPDX-License-Identifier: MIT
// The worker pool on its own.
#include "server/worker_pool.h"

#include "unit/server/refused_memory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace trunkline::server {

namespace {

class HeldJob final : public WorkerJob {
 public:
  void run_job(JobFate fate) override {
    if (fate != JobFate::run) {
      dropped = true;
    } else {
      started.set_value();
      release.get_future().wait();
      ran = true;
    }
    done.set_value();
  }
  std::promise<void> started;
  std::promise<void> release;
  std::promise<void> done;
  std::atomic<bool> ran{false};
  std::atomic<bool> dropped{false};
};

TEST(WorkerPool, RunsAsManyAsThereAreThreadsAndQueuesTheRest) {
  WorkerPool pool(2, 1);
  HeldJob first;
  HeldJob second;
  HeldJob third;
  HeldJob fourth;

  EXPECT_TRUE(pool.submit(first));
  EXPECT_TRUE(pool.submit(second));
  EXPECT_TRUE(pool.submit(third));
  EXPECT_FALSE(pool.submit(fourth)) << "two run and one waits";
  first.started.get_future().wait();
  second.started.get_future().wait();
  EXPECT_EQ(pool.queued(), 1u);
  first.release.set_value();
  third.started.get_future().wait();
  EXPECT_TRUE(pool.submit(fourth));
  second.release.set_value();
  third.release.set_value();
  fourth.release.set_value();
  for (HeldJob* job : {&first, &second, &third, &fourth}) job->done.get_future().wait();

  EXPECT_EQ(pool.queued(), 0u);
}

TEST(WorkerPool, DropsQueuedJobsWhenStopped) {
  WorkerPool pool(1, 10);
  HeldJob running;
  HeldJob waiting;
  HeldJob late;
  pool.submit(running);
  running.started.get_future().wait();
  pool.submit(waiting);

  running.release.set_value();
  // The worker may or may not take the second job before the pool is stopped.
  waiting.release.set_value();
  pool.stop();
  pool.stop();

  EXPECT_TRUE(running.ran);
  EXPECT_NE(waiting.ran, waiting.dropped) << "each job is ended once";
  EXPECT_FALSE(pool.submit(late));
}

TEST(WorkerPool, TakesNoJobIfThereIsNoMemoryForItsFirstThread) {
  if (!RefusedMemory::is_supported()) GTEST_SKIP() << "memory cannot be refused in this build";
  WorkerPool pool(1, 10);
  HeldJob job;
  bool is_taken = true;

  {
    const RefusedMemory refused;
    is_taken = pool.submit(job);
  }

  EXPECT_FALSE(is_taken);
  EXPECT_EQ(pool.queued(), 0u);
  EXPECT_TRUE(pool.submit(job));
  job.release.set_value();
  job.done.get_future().wait();
}

TEST(WorkerPool, RemovesJobsThatWaitAndNoOthers) {
  WorkerPool pool(1, 3);
  HeldJob running;
  HeldJob first;
  HeldJob second;
  HeldJob third;
  pool.submit(running);
  running.started.get_future().wait();
  for (HeldJob* job : {&first, &second, &third}) ASSERT_TRUE(pool.submit(*job));

  EXPECT_FALSE(pool.remove(running));
  EXPECT_TRUE(pool.remove(second));
  EXPECT_FALSE(pool.remove(second));
  EXPECT_TRUE(pool.remove(third));
  EXPECT_EQ(pool.queued(), 1u);
  EXPECT_TRUE(pool.submit(third)) << "there is room again";
  for (HeldJob* job : {&running, &first, &third}) job->release.set_value();
  third.done.get_future().wait();

  EXPECT_TRUE(first.ran);
  EXPECT_FALSE(second.ran || second.dropped);
}

TEST(WorkerPool, WaitsUntilNothingRuns) {
  using namespace std::chrono_literals;
  WorkerPool pool(1, 1);
  HeldJob job;
  EXPECT_TRUE(pool.wait_until_idle(std::chrono::steady_clock::now()));
  pool.submit(job);

  const bool was_idle = pool.wait_until_idle(std::chrono::steady_clock::now() + 1ms);
  job.release.set_value();

  EXPECT_FALSE(was_idle);
  EXPECT_TRUE(pool.wait_until_idle(std::chrono::steady_clock::now() + 30s));
}

TEST(WorkerPool, QueuesNothingWithALimitOfNone) {
  WorkerPool pool(1, 0);
  HeldJob first;
  HeldJob second;

  EXPECT_TRUE(pool.submit(first));
  EXPECT_FALSE(pool.submit(second));
  first.release.set_value();
  first.done.get_future().wait();
}

}  // namespace

}  // namespace trunkline::server
