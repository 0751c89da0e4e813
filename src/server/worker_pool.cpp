// SPDX-License-Identifier: MIT
// Starts workers when they are needed, and hands jobs to them.
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

}  // namespace

WorkerPool::WorkerPool(std::size_t threads, std::size_t max_queued)
    : thread_count_(threads != 0 ? threads : std::max(1u, std::thread::hardware_concurrency())),
      max_queued_(max_queued) {}

bool WorkerPool::submit(Job& job) {
  {
    std::lock_guard lock(mutex_);
    if (stopped_) return false;
    if (queued_ >= idle_ && threads_.size() < thread_count_) start_thread();
    // The first idle_ jobs of the queue do not wait: idle threads are about to take them.
    if (threads_.empty() || queued_ >= max_queued_ + idle_) return false;
    push(job);
  }
  wakeup_.notify_one();
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
    // The system starts no thread, or there is no memory for one. The threads that there are, if any, do the work.
  }
}

void WorkerPool::work() {
  current_pool = this;
  std::unique_lock lock(mutex_);
  while (true) {
    wakeup_.wait(lock, [this] { return stopped_ || queued_ > 0; });
    if (stopped_) break;
    Job* const job = pop();
    --idle_;
    lock.unlock();
    job->run_job(false);
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
  Job* left = nullptr;
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    threads.swap(threads_);
    left = first_;
    for (Job* job = first_; job != nullptr; job = job->next_in_queue_) job->is_queued_ = false;
    first_ = last_ = nullptr;
    queued_ = 0;
  }
  wakeup_.notify_all();
  while (left != nullptr) {
    // The job may be destroyed or queued elsewhere once it is told.
    Job* const job = std::exchange(left, left->next_in_queue_);
    job->previous_in_queue_ = job->next_in_queue_ = nullptr;
    job->run_job(true);
  }
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
  return queued_;
}

bool WorkerPool::remove(Job& job) {
  const std::lock_guard lock(mutex_);
  if (!job.is_queued_) return false;
  unlink(job);
  return true;
}

bool WorkerPool::wait_until_idle(std::chrono::steady_clock::time_point deadline) {
  std::unique_lock lock(mutex_);
  return ended_.wait_until(lock, deadline, [this] { return queued_ == 0 && idle_ == alive_; });
}

void WorkerPool::push(Job& job) noexcept {
  job.previous_in_queue_ = last_;
  job.next_in_queue_ = nullptr;
  job.is_queued_ = true;
  (last_ != nullptr ? last_->next_in_queue_ : first_) = &job;
  last_ = &job;
  ++queued_;
}

void WorkerPool::unlink(Job& job) noexcept {
  (job.previous_in_queue_ != nullptr ? job.previous_in_queue_->next_in_queue_ : first_) = job.next_in_queue_;
  (job.next_in_queue_ != nullptr ? job.next_in_queue_->previous_in_queue_ : last_) = job.previous_in_queue_;
  job.previous_in_queue_ = job.next_in_queue_ = nullptr;
  job.is_queued_ = false;
  --queued_;
}

Job* WorkerPool::pop() noexcept {
  Job* const job = first_;
  unlink(*job);
  return job;
}

bool WorkerPool::is_worker() const noexcept { return current_pool == this; }

}  // namespace trunkline::server
