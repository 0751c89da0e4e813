// SPDX-License-Identifier: MIT
// PostedTask: a piece of work that any thread hands to a loop, without a lock and without an allocation.
#pragma once

#include <atomic>
#include <utility>

namespace trunkline::net {

/// A task, which its owner embeds. It may be posted again once run() has been entered.
struct PostedTask {
  PostedTask* next = nullptr;
  void (*run)(PostedTask* task) = nullptr;
  /// Called in place of run() if the loop is destroyed first. Null: there is nothing to give back.
  void (*drop)(PostedTask* task) = nullptr;
};

/// A stack onto which many threads push, and from which one thread takes.
class PostedTaskStack {
 public:
  /// Pushes a task. Returns true if the stack was empty: the consumer has to be woken.
  bool push(PostedTask& task) noexcept {
    PostedTask* newest = newest_.load(std::memory_order_relaxed);
    do {
      task.next = newest;
    } while (!newest_.compare_exchange_weak(newest, &task, std::memory_order_acq_rel, std::memory_order_relaxed));
    return newest == nullptr;
  }

  bool empty() const noexcept { return newest_.load(std::memory_order_acquire) == nullptr; }
  /// Takes everything pushed so far, oldest first, linked by `next`.
  PostedTask* take_all() noexcept {
    PostedTask* newest = newest_.exchange(nullptr, std::memory_order_acq_rel);
    PostedTask* oldest = nullptr;
    while (newest != nullptr) oldest = std::exchange(newest, std::exchange(newest->next, oldest));
    return oldest;
  }

 private:
  std::atomic<PostedTask*> newest_{nullptr};
};

}  // namespace trunkline::net
