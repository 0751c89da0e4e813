// SPDX-License-Identifier: MIT
// WorkerPool: the threads of blocking handlers and the bounded queue before them.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace trunkline::server {

/// A unit of work; stays its owner's. run() is called once for each submission that was taken, on a worker or in
/// stop().
class Job {
 public:
  /// `stopping`: the pool is being stopped; do not begin anything.
  virtual void run_job(bool stopping) = 0;

 protected:
  ~Job() = default;
};

/// Thread-safe. Starts its threads with the first job.
class WorkerPool {
 public:
  /// `threads` 0: as many as there are processors.
  WorkerPool(std::size_t threads, std::size_t max_queued);
  ~WorkerPool() { stop(); }
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// False if max_queued jobs wait, or the pool is stopped.
  bool submit(Job& job);
  /// Gives those that wait back (stopping), waits for the jobs that run, joins the threads. Meanwhile `help`, if any,
  /// is called every now and then: for what the jobs may be waiting for. Not from a worker.
  void stop(const std::function<void()>& help = nullptr);
  std::size_t queued() const;
  std::size_t max_queued() const noexcept { return max_queued_; }
  /// True on one of its threads.
  bool is_worker() const noexcept;

 private:
  void start_thread();
  void work();

  const std::size_t thread_count_;
  const std::size_t max_queued_;
  mutable std::mutex mutex_;
  std::condition_variable wakeup_;
  std::condition_variable ended_;
  std::deque<Job*> queue_;
  std::size_t idle_ = 0;  // threads without a job, also those that have yet to look for one
  std::size_t alive_ = 0;
  bool stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace trunkline::server
