// SPDX-License-Identifier: MIT
// Starts workers when they are needed, and hands jobs to them.
#include "server/worker_pool.h"

#include <algorithm>
#include <chrono>
#include <system_error>
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
    if (queue_.size() >= idle_ && threads_.size() < thread_count_) start_thread();
    // The first idle_ jobs of the queue do not wait: idle threads are about to take them.
    if (threads_.empty() || queue_.size() >= max_queued_ + idle_) return false;
    queue_.push_back(&job);
  }
  wakeup_.notify_one();
  return true;
}

void WorkerPool::start_thread() {
  try {
    threads_.emplace_back([this] { work(); });
    ++idle_;
    ++alive_;
  } catch (const std::system_error&) {
    // The threads that there are, if any, do the work.
  }
}

void WorkerPool::work() {
  current_pool = this;
  std::unique_lock lock(mutex_);
  while (true) {
    wakeup_.wait(lock, [this] { return stopped_ || !queue_.empty(); });
    if (stopped_) break;
    Job* job = queue_.front();
    queue_.pop_front();
    --idle_;
    lock.unlock();
    job->run_job(false);
    lock.lock();
    ++idle_;
  }
  --alive_;
  ended_.notify_all();
}

void WorkerPool::stop(const std::function<void()>& help) {
  std::vector<std::thread> threads;
  std::deque<Job*> left;
  {
    std::lock_guard lock(mutex_);
    stopped_ = true;
    threads.swap(threads_);
    left.swap(queue_);
  }
  wakeup_.notify_all();
  for (Job* job : left) job->run_job(true);
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

bool WorkerPool::is_worker() const noexcept { return current_pool == this; }

}  // namespace trunkline::server
