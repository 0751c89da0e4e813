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

/// A queue in front of the loop's own queue. Tasks in the loop's queue are lost when no thread runs the loop any more;
/// tasks in this queue are returned by close(). Any thread may call push() and post_after_pending().
class PostedTasks {
 public:
  using Task = std::function<void()>;
  using Queue = base::VectorQueue<Task>;

  explicit PostedTasks(net::Loop& loop) : loop_(loop) {}
  PostedTasks(const PostedTasks&) = delete;
  PostedTasks& operator=(const PostedTasks&) = delete;

  /// Takes `task` for the loop's thread, which runs the tasks in order. `owner` owns this object and is kept alive
  /// until the loop has run them. Returns false, and does not take `task`, if the queue is closed.
  bool push(Task& task, const std::shared_ptr<void>& owner);
  /// Posts `task` to the loop's own queue, after everything that was posted there before. Does nothing once this queue
  /// is closed.
  void post_after_pending(Task task);
  /// Closes the queue and returns the tasks that have not run. The loop's thread calls it, or the channel's destructor.
  Queue close();

 private:
  /// Has the loop call run(). It is called with the mutex held.
  void wake(const std::shared_ptr<void>& owner);
  void run(const std::shared_ptr<void>& owner);

  net::Loop& loop_;
  /// Guards the members below. It is held while something is posted to the loop, so that nothing is after close().
  std::mutex mutex_;
  Queue tasks_;
  /// True if the loop has been asked to call run().
  bool is_woken_ = false;
  bool is_closed_ = false;
};

}  // namespace trunkline::client
