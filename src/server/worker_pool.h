// SPDX-License-Identifier: MIT
// WorkerPool: the threads of blocking handlers, and the bounded queue of calls that wait for one.
#pragma once

#include "call/job_queue.h"
#include "server/worker_job.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace trunkline::server {

/// Runs jobs. It is thread-safe, and starts its threads with the first job.
class WorkerPool {
 public:
  /// Makes a pool of `threads` threads; 0: as many as the machine has processors.
  WorkerPool(std::size_t threads, std::size_t max_queued, const call::JobQueue::Options& order = {});
  ~WorkerPool() { stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Queues a job. Returns false if max_queued jobs wait already, none of them for a less important level, or if the
  /// pool is stopped. A less important job is shed before this returns.
  bool submit(WorkerJob& job);
  /// Takes a job that no worker has begun out of the queue, so it will not run. False: it has begun, or is not there.
  bool remove(WorkerJob& job);
  /// Waits until no job runs or waits, at the longest until `deadline`. False: some do. No worker may call it.
  bool wait_until_idle(std::chrono::steady_clock::time_point deadline);
  /// Runs the queued jobs with `stopping`, waits for the jobs that run and joins the threads. While it waits it calls
  /// `help`, if any, every millisecond, which does what the jobs may be waiting for. No worker may call it.
  void stop(const std::function<void()>& help = nullptr);
  std::size_t queued() const;
  std::size_t max_queued() const noexcept { return max_queued_; }
  /// Returns true on a thread of the pool.
  bool is_worker() const noexcept;

 private:
  void start_thread();
  void work();
  base::TimePoint read_clock() const noexcept;

  const std::size_t thread_count_;
  const std::size_t max_queued_;
  /// Guards the members below.
  mutable std::mutex mutex_;
  std::condition_variable wakeup_;
  std::condition_variable ended_;
  call::JobQueue queue_;
  /// The number of threads without a job. A thread that has just been started is one of them.
  std::size_t idle_ = 0;
  std::size_t alive_ = 0;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace trunkline::server
