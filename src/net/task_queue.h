// SPDX-License-Identifier: MIT
// TaskQueue: work handed to a loop by any thread, without a lock and without an allocation.
#pragma once

#include <atomic>
#include <utility>

namespace trunkline::net {

/// A node that its owner embeds. It may be posted again once run() has been entered.
struct Task {
  Task* next = nullptr;
  void (*run)(Task* task) = nullptr;
  /// Called in place of run() if the loop is destroyed first; null: nothing needs to be given back.
  void (*drop)(Task* task) = nullptr;
};

/// Many threads push, one takes.
class TaskQueue {
 public:
  /// True if the queue was empty: the consumer has to be woken.
  bool push(Task* task) noexcept {
    Task* head = newest_.load(std::memory_order_relaxed);
    do {
      task->next = head;
    } while (!newest_.compare_exchange_weak(head, task, std::memory_order_acq_rel, std::memory_order_relaxed));
    return head == nullptr;
  }

  /// Everything pushed so far, oldest first, linked by `next`.
  Task* take_all() noexcept {
    Task* newest = newest_.exchange(nullptr, std::memory_order_acq_rel);
    Task* oldest = nullptr;
    while (newest != nullptr) oldest = std::exchange(newest, std::exchange(newest->next, oldest));
    return oldest;
  }

 private:
  std::atomic<Task*> newest_{nullptr};
};

}  // namespace trunkline::net
