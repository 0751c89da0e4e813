// SPDX-License-Identifier: MIT
// JobQueue: the calls that wait for a worker, in the order in which they are to run.
#pragma once

#include "base/clock.h"

#include <array>
#include <cstddef>

namespace trunkline::call {

/// A call or task that waits in a queue. Its owner keeps it alive until it has left the queue.
class Job {
 public:
  /// Sets how important the job is; 0 is the most important level. Must not be called while it is queued.
  void set_level(unsigned level) noexcept { level_ = level; }
  unsigned level() const noexcept { return level_; }

 protected:
  Job() = default;
  ~Job() = default;

 private:
  friend class JobQueue;
  Job* previous_in_queue_ = nullptr;
  Job* next_in_queue_ = nullptr;
  base::TimePoint queued_at_{};
  unsigned level_ = 0;
  bool is_queued_ = false;
};

/// A list of jobs that are linked through themselves.
class JobQueue {
 public:
  struct Options {
    /// The number of priorities; 1 to max_levels.
    unsigned levels = 1;
    /// The value of OverloadOptions::queue_target; 0: jobs may wait for any time.
    base::Duration target{};
    base::Duration interval{};
  };
  static constexpr unsigned max_levels = 8;
  /// The number of jobs of more important levels that may pass a job at the head of its level; one more may for each
  /// other level that waits.
  static constexpr unsigned max_passes = 8;

  explicit JobQueue(const Options& options) noexcept : options_(options) {}
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  /// Returns true if the functions below need the time.
  bool needs_time() const noexcept { return options_.target > base::Duration::zero(); }
  std::size_t size() const noexcept { return size_; }
  void push(Job& job, base::TimePoint now) noexcept;
  /// Removes a job. Returns false if it is not there.
  bool remove(Job& job) noexcept;
  /// Returns the job that is to run next; null if there is none. Jobs that have waited too long leave the queue, and
  /// are appended to `shed`.
  Job* pop(base::TimePoint now, JobQueue& shed) noexcept;
  /// Returns the oldest job of the most important level, without regard to anything else; null if there is none.
  Job* pop_any() noexcept;
  /// Moves all jobs to `other`: they count as taken out.
  void move_to(JobQueue& other) noexcept;
  /// Takes out the newest job of the least important level, if that is less important than `level`. Returns null if
  /// there is none.
  Job* evict_below(unsigned level) noexcept;

 private:
  struct Level {
    /// The jobs of the level, the oldest first.
    Job* first = nullptr;
    Job* last = nullptr;
    /// The number of jobs that have passed the first one of the level.
    unsigned passes = 0;
  };

  void unlink(Job& job) noexcept;
  void hand_over(Job& job, JobQueue& other) noexcept;
  unsigned choose_level() noexcept;
  bool is_standing(base::TimePoint now) noexcept;
  void shed_overdue(base::TimePoint now, JobQueue& shed) noexcept;

  const Options options_;
  std::array<Level, max_levels> levels_{};
  std::size_t size_ = 0;
  /// The time when the queue was last empty, or its oldest job had not waited for long.
  base::TimePoint last_good_{};
  bool stands_ = false;
};

}  // namespace trunkline::call
