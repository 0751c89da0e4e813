// SPDX-License-Identifier: MIT
// The order of the jobs that wait for a worker, in virtual time.
#include "call/job_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <vector>

namespace trunkline::call {

namespace {

using namespace std::chrono_literals;

class NamedJob final : public Job {
 public:
  explicit NamedJob(unsigned level = 0) { set_level(level); }
};

const JobQueue::Options controlled{.levels = 1, .target = 10ms, .interval = 100ms};

TEST(JobQueue, ServesTheOldestFirst) {
  JobQueue queue({});
  JobQueue shed({});
  NamedJob first;
  NamedJob second;

  queue.push(first, {});
  queue.push(second, {});

  EXPECT_EQ(queue.pop({}, shed), &first);
  EXPECT_EQ(queue.pop({}, shed), &second);
  EXPECT_EQ(queue.pop({}, shed), nullptr);
  EXPECT_EQ(shed.size(), 0u);
}

TEST(JobQueue, KeepsWaitingJobsWhileTheQueueDoesNotStand) {
  JobQueue queue(controlled);
  JobQueue shed({});
  base::TimePoint now{};
  std::array<NamedJob, 3> jobs;

  for (NamedJob& job : jobs) queue.push(job, now);
  Job* const taken = queue.pop(now + 99ms, shed);

  EXPECT_EQ(taken, &jobs[0]) << "a burst is served in order, however long it waits within the interval";
  EXPECT_EQ(queue.size(), 2u);
  EXPECT_EQ(shed.size(), 0u);
}

TEST(JobQueue, TakesTheNewestAndShedsTheOverdueOnceItStands) {
  JobQueue queue(controlled);
  JobQueue shed({});
  base::TimePoint now{};
  std::array<NamedJob, 4> jobs;
  queue.push(jobs[0], now);
  queue.push(jobs[1], now + 40ms);
  queue.push(jobs[2], now + 95ms);
  queue.push(jobs[3], now + 100ms);

  Job* const taken = queue.pop(now + 101ms, shed);

  EXPECT_EQ(taken, &jobs[3]);
  EXPECT_EQ(queue.size(), 1u);
  EXPECT_EQ(shed.pop_any(), &jobs[0]);
  EXPECT_EQ(shed.pop_any(), &jobs[1]);
  EXPECT_EQ(shed.pop_any(), nullptr);
  EXPECT_FALSE(queue.remove(jobs[0])) << "it has left the queue";
  EXPECT_TRUE(queue.remove(jobs[2]));
}

TEST(JobQueue, RunsTheLastJobHoweverLongItHasWaited) {
  JobQueue queue(controlled);
  JobQueue shed({});
  NamedJob job;

  queue.push(job, {});

  EXPECT_EQ(queue.pop(base::TimePoint() + 10s, shed), &job) << "no worker is idle while somebody waits";
  EXPECT_EQ(shed.size(), 0u);
}

TEST(JobQueue, StandsUntilItsJobsWaitForLessThanHalfOfTheTarget) {
  JobQueue queue(controlled);
  JobQueue shed({});
  base::TimePoint now{};
  std::array<NamedJob, 6> jobs;
  queue.push(jobs[0], now);
  queue.push(jobs[1], now + 100ms);
  queue.push(jobs[2], now + 101ms);
  queue.pop(now + 101ms, shed);  // takes the newest, sheds the oldest
  queue.push(jobs[3], now + 107ms);

  Job* const in_overload = queue.pop(now + 107ms, shed);  // jobs[1] has waited for 7 ms
  queue.push(jobs[4], now + 108ms);
  queue.remove(jobs[1]);
  queue.push(jobs[5], now + 109ms);
  Job* const after = queue.pop(now + 110ms, shed);

  EXPECT_EQ(in_overload, &jobs[3]);
  EXPECT_EQ(after, &jobs[4]) << "the oldest has waited for 2 ms";
}

TEST(JobQueue, ServesImportantJobsFirstAndLetsNoneStarve) {
  JobQueue queue({.levels = 3});
  JobQueue shed({});
  std::vector<NamedJob> important(100);
  NamedJob normal(1);
  NamedJob least(2);
  queue.push(least, {});
  queue.push(normal, {});
  for (NamedJob& job : important) queue.push(job, {});

  std::size_t normal_at = 0;
  std::size_t least_at = 0;
  for (std::size_t i = 0; i < 102; ++i) {
    const Job* const job = queue.pop({}, shed);
    if (job == &normal) normal_at = i;
    if (job == &least) least_at = i;
  }

  EXPECT_EQ(normal_at, JobQueue::max_passes);
  EXPECT_EQ(least_at, JobQueue::max_passes + 1);
}

TEST(JobQueue, EvictsTheNewestOfTheLeastImportant) {
  JobQueue queue({.levels = 3});
  NamedJob normal(1);
  NamedJob old_least(2);
  NamedJob new_least(2);
  queue.push(normal, {});
  queue.push(old_least, {});
  queue.push(new_least, {});

  EXPECT_EQ(queue.evict_below(2), nullptr);
  EXPECT_EQ(queue.evict_below(1), &new_least);
  EXPECT_EQ(queue.evict_below(0), &old_least);
  EXPECT_EQ(queue.evict_below(0), &normal);
  EXPECT_EQ(queue.evict_below(0), nullptr);
}

}  // namespace

}  // namespace trunkline::call
