// SPDX-License-Identifier: MIT
// WorkerPool: starts workers when they are needed, and hands jobs to them.
#include "server/worker_pool.h"

#include "base/thread_name.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace trunkline::server {

namespace {

thread_local const WorkerPool* current_pool = nullptr;
constexpr std::chrono::milliseconds help_interval{1};

/// Returns the job as a WorkerJob, since a pool queues nothing else.
WorkerJob* of_queue(call::Job* job) noexcept { return static_cast<WorkerJob*>(job); }

}  // namespace

WorkerPool::WorkerPool(std::size_t threads, std::size_t max_queued, const call::JobQueue::Options& order)
    : thread_count_(threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency())),
      max_queued_(max_queued),
      queue_(order) {}

base::TimePoint WorkerPool::read_clock() const noexcept {
  return queue_.needs_time() ? base::Clock::now() : base::TimePoint();
}

bool WorkerPool::submit(WorkerJob& job) {
  WorkerJob* evicted = nullptr;
  {
    std::lock_guard lock(mutex_);
    if (stopped_) return false;
    if (queue_.size() >= idle_ && threads_.size() < thread_count_) start_thread();
    if (threads_.empty()) return false;
    // The first idle_ jobs of the queue do not wait: idle threads are about to take them.
    if (queue_.size() >= max_queued_ + idle_) {
      evicted = of_queue(queue_.evict_below(job.level()));
      if (evicted == nullptr) return false;
    }
    queue_.push(job, read_clock());
  }
  wakeup_.notify_one();
  if (evicted != nullptr) evicted->run_job(JobFate::shed);
  return true;
}

void WorkerPool::start_thread() {
  try {
    threads_.emplace_back([this, index = threads_.size()] {
      base::set_thread_name("worker", index);
      work();
    });
    ++idle_;
    ++alive_;
  } catch (const std::exception&) {
    // The system starts no thread, or there is no memory for one. The existing threads, if any, do the work.
  }
}

void WorkerPool::work() {
  current_pool = this;
  std::unique_lock lock(mutex_);
  while (true) {
    wakeup_.wait(lock, [this] { return stopped_ || queue_.size() > 0; });
    if (stopped_) break;
    call::JobQueue shed({});
    WorkerJob* const job = of_queue(queue_.pop(read_clock(), shed));
    --idle_;
    lock.unlock();
    while (WorkerJob* const late = of_queue(shed.pop_any())) late->run_job(JobFate::shed);
    job->run_job(JobFate::run);
    lock.lock();
    ++idle_;
    if (idle_ == alive_) ended_.notify_all();
  }
  --alive_;
  --idle_;
  ended_.notify_all();
}

void WorkerPool::stop(const std::function<void()>& help) {
  std::vector<std::thread> threads;
  call::JobQueue left({});
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    threads.swap(threads_);
    queue_.move_to(left);
  }
  wakeup_.notify_all();
  // A job may be destroyed or queued elsewhere once it is told.
  while (WorkerJob* const job = of_queue(left.pop_any())) job->run_job(JobFate::stopping);
  {
    std::unique_lock lock(mutex_);
    while (!ended_.wait_for(lock, help_interval, [this] { return alive_ == 0; })) {
      if (!help) continue;
      lock.unlock();
      help();
      lock.lock();
    }
  }
  for (std::thread& thread : threads) thread.join();
}

std::size_t WorkerPool::queued() const {
  std::lock_guard lock(mutex_);
  return queue_.size();
}

bool WorkerPool::remove(WorkerJob& job) {
  const std::lock_guard lock(mutex_);
  return queue_.remove(job);
}

bool WorkerPool::wait_until_idle(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return ended_.wait_until(lock, deadline, [this] { return queue_.size() == 0 && idle_ == alive_; });
}

bool WorkerPool::is_worker() const noexcept { return current_pool == this; }

}  // namespace trunkline::server
