// SPDX-License-Identifier: MIT
// PostedTasks: hands tasks to the loop, and runs them there.
#include "client/posted_tasks.h"

#include <cstddef>
#include <utility>

namespace trunkline::client {

bool PostedTasks::push(Task& task, const std::shared_ptr<void>& owner) {
  const std::lock_guard lock(mutex_);
  if (is_closed_) return false;
  tasks_.push_back(std::move(task));
  wake(owner);
  return true;
}

void PostedTasks::post_after_pending(Task task) {
  const std::lock_guard lock(mutex_);
  if (!is_closed_) loop_.post(std::move(task));
}

PostedTasks::Queue PostedTasks::close() {
  const std::lock_guard lock(mutex_);
  is_closed_ = true;
  return std::exchange(tasks_, {});
}

void PostedTasks::wake(const std::shared_ptr<void>& owner) {
  if (std::exchange(is_woken_, true)) return;
  loop_.post([this, owner] { run(owner); });
}

void PostedTasks::run(const std::shared_ptr<void>& owner) {
  // Tasks that are pushed meanwhile run in a later turn, after the loop's other work.
  std::size_t left = 0;
  {
    const std::lock_guard lock(mutex_);
    is_woken_ = false;
    left = tasks_.size();
  }
  for (; left > 0; --left) {
    Task task;
    {
      const std::lock_guard lock(mutex_);
      if (tasks_.empty()) return;
      task = tasks_.pop_front();
      // The task may throw, or block in a nested run of the loop. Then the loop runs the remaining tasks.
      if (!tasks_.empty()) wake(owner);
    }
    task();
  }
}

}  // namespace trunkline::client
