// SPDX-License-Identifier: MIT
// DetachedStreams: runs tasks and handlers of streams that have no loop.
#include "client/detached_streams.h"

#include "base/vector_queue.h"

#include <utility>

namespace trunkline::client {

/// The tasks and handlers that one thread runs, from its outermost call of run() or run_until() until that returns. The
/// object lives on the stack.
class DetachedStreams::Turn {
 public:
  explicit Turn(DetachedStreams& streams) noexcept
      : streams_(streams), lock_(streams.mutex_, std::defer_lock), outer_(std::exchange(innermost_, this)) {}
  ~Turn() { innermost_ = outer_; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  static Turn* innermost() noexcept { return innermost_; }
  Turn* outer() const noexcept { return outer_; }
  const DetachedStreams& streams() const noexcept { return streams_; }

  bool is_in_task() const noexcept { return lock_.owns_lock(); }
  void add(Task task) { tasks_.push_back(std::move(task)); }
  /// Runs the tasks that were added, and those that they add. Must be called outside of tasks.
  void run_tasks() {
    enter();
    while (!tasks_.empty()) {
      const Task task = tasks_.pop_front();
      streams_.log_.guard(task);
    }
    leave();
  }
  void enter() { lock_.lock(); }
  /// Takes the operations that the tasks have ended, so that no other thread completes them.
  void leave() noexcept {
    handlers_.splice(streams_.ended_);
    lock_.unlock();
  }
  /// Runs the oldest handler. Returns false if there is none.
  bool run_handler() noexcept {
    detail::StreamOperation* const operation = handlers_.take();
    if (operation == nullptr) return false;
    streams_.log_.complete_initiating(*operation);
    return true;
  }

 private:
  DetachedStreams& streams_;
  /// The lock of the mutex, which is held while a task runs.
  std::unique_lock<std::mutex> lock_;
  /// The turn of another channel that encloses this one on the same thread.
  Turn* const outer_;
  base::VectorQueue<Task> tasks_;
  /// The ended operations whose handlers have not run yet.
  call::CompletionQueue handlers_{[](void*) {}, nullptr};

  static thread_local constinit Turn* innermost_;
};

thread_local constinit DetachedStreams::Turn* DetachedStreams::Turn::innermost_ = nullptr;

DetachedStreams::Turn* DetachedStreams::current_turn() const noexcept {
  Turn* turn = Turn::innermost();
  while (turn != nullptr && &turn->streams() != this) turn = turn->outer();
  return turn;
}

void DetachedStreams::run(Task task) {
  if (Turn* const turn = current_turn()) {
    turn->add(std::move(task));
    if (!turn->is_in_task()) turn->run_tasks();
    return;
  }
  Turn turn(*this);
  turn.add(std::move(task));
  turn.run_tasks();
  while (turn.run_handler()) {
  }
}

void DetachedStreams::run_until(Task task, const std::function<bool()>& is_done) {
  Turn* const turn = current_turn();
  if (turn == nullptr) return run(std::move(task));
  const bool is_in_task = turn->is_in_task();
  if (is_in_task) turn->leave();
  turn->add(std::move(task));
  turn->run_tasks();
  while (!is_done() && turn->run_handler()) {
  }
  if (is_in_task) turn->enter();
}

}  // namespace trunkline::client
