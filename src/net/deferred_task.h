// SPDX-License-Identifier: MIT
// DeferredTask: work that a loop's own thread leaves for later, done once however often it is scheduled.
#pragma once

#include <utility>

namespace trunkline::net {

/// A task, which its owner embeds. Destroying it takes it out of the list it is in. One thread may use it.
class DeferredTask {
 public:
  using Callback = void (*)(void* owner);

  DeferredTask(Callback callback, void* owner) noexcept : callback_(callback), owner_(owner) {}
  ~DeferredTask() { cancel(); }
  DeferredTask(const DeferredTask&) = delete;
  DeferredTask& operator=(const DeferredTask&) = delete;

  bool is_scheduled() const noexcept { return previous_ != nullptr; }
  /// Takes the task out of its list. No effect unless it is scheduled.
  void cancel() noexcept {
    if (previous_ != nullptr) unlink();
  }

 private:
  friend class DeferredTaskList;
  DeferredTask() noexcept = default;
  void unlink() noexcept {
    previous_->next_ = next_;
    next_->previous_ = previous_;
    previous_ = nullptr;
  }

  DeferredTask* previous_ = nullptr;
  DeferredTask* next_ = nullptr;
  Callback callback_ = nullptr;
  void* owner_ = nullptr;
};

/// A list of tasks, first in, first out. It owns none of its entries.
class DeferredTaskList {
 public:
  DeferredTaskList() noexcept { make_empty(); }
  /// Takes out the tasks that are still in the list, without calling them.
  ~DeferredTaskList() {
    while (!empty()) head_.next_->cancel();
    head_.previous_ = head_.next_ = nullptr;
  }
  DeferredTaskList(const DeferredTaskList&) = delete;
  DeferredTaskList& operator=(const DeferredTaskList&) = delete;

  bool empty() const noexcept { return head_.next_ == &head_; }
  /// Adds a task. No effect on a task that is in a list already.
  void add(DeferredTask& task) noexcept {
    if (task.is_scheduled()) return;
    task.previous_ = std::exchange(head_.previous_, &task);
    task.next_ = &head_;
    task.previous_->next_ = &task;
  }
  /// Takes the oldest task out and calls it; the list must not be empty.
  void call_first() {
    DeferredTask& first = *head_.next_;
    first.unlink();
    first.callback_(first.owner_);
  }
  /// Moves everything from `other` to the end of this list.
  void take(DeferredTaskList& other) noexcept {
    if (other.empty()) return;
    head_.previous_->next_ = other.head_.next_;
    other.head_.next_->previous_ = head_.previous_;
    head_.previous_ = other.head_.previous_;
    head_.previous_->next_ = &head_;
    other.make_empty();
  }

 private:
  void make_empty() noexcept { head_.previous_ = head_.next_ = &head_; }

  DeferredTask head_;
};

}  // namespace trunkline::net
