// SPDX-License-Identifier: MIT
// PostedTasks: tasks that other threads hand to a channel's loop, none of which is lost when the channel leaves the
// loop.
#pragma once

#include "base/vector_queue.h"
#include "net/loop.h"

#include <functional>
#include <memory>
#include <mutex>

namespace trunkline::client {

/// A queue in front of the loop's own. What a loop still holds when nobody runs it any more is dropped; what this queue
/// holds is handed over by close(). push() and post_behind() are for any thread.
class PostedTasks {
 public:
  using Task = std::function<void()>;
  using Queue = base::VectorQueue<Task>;

  explicit PostedTasks(net::Loop& loop) : loop_(loop) {}
  PostedTasks(const PostedTasks&) = delete;
  PostedTasks& operator=(const PostedTasks&) = delete;

  /// Takes `task` for the loop's thread, which runs tasks in the order in which they came. `owner`, which owns this, is
  /// kept alive until the loop has run them. False: the queue is closed, and `task` was not taken.
  bool push(Task& task, const std::shared_ptr<void>& owner);
  /// Posts `task` to the loop's own queue, behind all that was posted there. Does nothing once this queue is closed.
  void post_behind(Task task);
  /// Closes the queue and returns the tasks that have not run. Loop's thread, or that of the channel's destructor.
  Queue close();

 private:
  /// With the mutex held.
  void wake(const std::shared_ptr<void>& owner);
  void run(const std::shared_ptr<void>& owner);

  net::Loop& loop_;
  /// Guards all below. It is held while something is posted to the loop, so that nothing is posted there after close().
  std::mutex mutex_;
  Queue tasks_;
  /// The loop has been asked to call run().
  bool is_woken_ = false;
  bool is_closed_ = false;
};

}  // namespace trunkline::client
