// SPDX-License-Identifier: MIT
// WorkerLane: how many worker threads run handlers of a kind at a time, and those that are spare.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace trunkline::python {

/// Workers that wait for a client do not count, so that others may take their places. There are then more threads than
/// may run handlers; those that find no place are spare, and end after a while.
class WorkerLane {
 public:
  /// The time that a spare worker stays.
  static constexpr std::chrono::seconds patience{10};

  // --- with the mutex of the queue held ---

  /// Opens the lane before the workers start, of which there are `count`.
  void open(int count) noexcept {
    limit_ = count;
    active_.store(count, std::memory_order_relaxed);
  }
  bool has_place() const noexcept { return active_.load(std::memory_order_seq_cst) < limit_; }
  bool is_crowded() const noexcept { return active_.load(std::memory_order_relaxed) > limit_; }
  /// Has a spare worker go on. Returns false if there is none.
  bool call_spare() {
    if (spare_ == called_) return false;
    ++called_;
    enter();
    changed_.notify_one();
    return true;
  }
  /// Makes this worker a spare one until it is called. `at_begin()` is called before it waits. Returns false if it was
  /// not called for so long that it ends, or if the lane was closed.
  template <class AtBegin>
  bool park(std::unique_lock<std::mutex>& lock, const AtBegin& at_begin) {
    leave();
    at_begin();
    ++spare_;
    const auto end = std::chrono::steady_clock::now() + patience;
    while (called_ == 0 && !is_closed_ && changed_.wait_until(lock, end) == std::cv_status::no_timeout) {
    }
    --spare_;
    if (called_ > 0) {
      --called_;
      return true;
    }
    enter();
    return false;
  }
  void close() {
    is_closed_ = true;
    changed_.notify_all();
  }

  // --- any thread ---

  /// Counts a worker that starts, or goes on after it has waited.
  void enter() noexcept { active_.fetch_add(1, std::memory_order_seq_cst); }
  /// Stops counting a worker that ends, or waits.
  void leave() noexcept { active_.fetch_sub(1, std::memory_order_seq_cst); }

 private:
  int limit_ = 0;
  std::atomic<int> active_{0};
  int spare_ = 0;
  /// The number of spare workers that have been called and have not gone on yet.
  int called_ = 0;
  bool is_closed_ = false;
  std::condition_variable changed_;
};

}  // namespace trunkline::python
