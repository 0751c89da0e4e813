// SPDX-License-Identifier: MIT
// WorkQueue: the tasks that a loop has been asked to do later, and the order in which they are done.
#pragma once

#include "net/deferred_task.h"
#include "net/posted_task.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace trunkline::net {

/// The moment when a deferred task runs. Tasks for the same moment run in the order in which they were added.
enum class DeferUntil : std::uint8_t {
  /// The task runs right after the running handler, before the loop looks for other work.
  handler_returns,
  /// The task runs after the running handler and all that was deferred until it returns.
  before_poll,
  /// The task runs after the handlers that are ready now.
  end_of_turn,
};

/// The loop calls run_after_handler() after each handler, run_end_of_turn() behind the handlers that were ready when
/// the first task was deferred until then, and run_posted() behind those that were ready when the first task was
/// posted.
///
/// A task that is added while others run waits for its own moment, with one exception: what a task of
/// `handler_returns` defers runs with the same call of run_after_handler(), ahead of `before_poll`, so that what a
/// completion sends is written at once. This holds for one round. What that round defers, however, waits for the end of
/// the turn, so that a chain of tasks that never ends alternates with the handlers of the loop.
///
/// A task may run the loop, and with it the queue, itself: the inner run begins with the tasks that the outer run has
/// not reached. A task may throw: the next run of any kind begins with those behind it.
class WorkQueue {
 public:
  WorkQueue() = default;
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // --- any thread ---

  /// Posts a task. Returns true if no posted task was waiting: the loop has to be made to call run_posted().
  bool post(PostedTask& task) noexcept { return posted_.push(task); }

  // --- the loop's thread ---

  /// Returns the moment at which the task will run. No effect on a task that is scheduled already.
  DeferUntil defer(DeferredTask& task, DeferUntil until) noexcept {
    if (round_ != Round::none) until = moment_in_round(until);
    list(until).add(task);
    return until;
  }

  /// Returns true if a task that was posted has not run yet.
  bool has_posted() const noexcept { return running_posted_ != nullptr || !posted_.empty(); }
  bool has_end_of_turn() const noexcept { return !list(DeferUntil::end_of_turn).empty(); }

  /// Goes on with what a nested run or an exception has interrupted, posted tasks included. True: there was something.
  bool resume() {
    if (running_.empty() && running_posted_ == nullptr) return false;
    run();
    run_taken();
    return true;
  }

  /// Runs the tasks that follow a handler. Returns true if there was anything to do.
  bool run_after_handler() {
    if (list(DeferUntil::handler_returns).empty() && list(DeferUntil::before_poll).empty()) return false;
    const RoundScope scope(*this);
    round_ = Round::first;
    run(DeferUntil::handler_returns);
    round_ = Round::second;
    run(DeferUntil::handler_returns);
    run(DeferUntil::before_poll);
    return true;
  }

  void run_end_of_turn() { run(DeferUntil::end_of_turn); }

  /// Tasks that are posted meanwhile wait for the next call.
  void run_posted() {
    take_posted();
    run_taken();
  }

  /// Drops posted tasks until there are none: what a dropped task releases may post again.
  void drop_posted() {
    for (take_posted(); running_posted_ != nullptr; take_posted()) {
      while (running_posted_ != nullptr) {
        PostedTask* const task = pop_taken();
        if (task->drop != nullptr) task->drop(task);
      }
    }
  }

 private:
  /// The rounds of run_after_handler().
  enum class Round : std::uint8_t { none, first, second };

  class RoundScope {
   public:
    explicit RoundScope(WorkQueue& queue) noexcept : queue_(queue), outer_(queue.round_) {}
    ~RoundScope() { queue_.round_ = outer_; }
    RoundScope(const RoundScope&) = delete;
    RoundScope& operator=(const RoundScope&) = delete;

   private:
    WorkQueue& queue_;
    const Round outer_;
  };

  DeferUntil moment_in_round(DeferUntil until) const noexcept {
    if (until == DeferUntil::before_poll) return until;
    return round_ == Round::first ? DeferUntil::handler_returns : DeferUntil::end_of_turn;
  }
  DeferredTaskList& list(DeferUntil until) noexcept { return deferred_[static_cast<std::size_t>(until)]; }
  const DeferredTaskList& list(DeferUntil until) const noexcept { return deferred_[static_cast<std::size_t>(until)]; }
  void run(DeferUntil until) {
    running_.take(list(until));
    run();
  }
  void run() {
    while (!running_.empty()) running_.call_first();
  }
  void run_taken() {
    while (running_posted_ != nullptr) {
      PostedTask* const task = pop_taken();
      task->run(task);
    }
  }
  PostedTask* pop_taken() noexcept { return std::exchange(running_posted_, running_posted_->next); }
  /// Takes the posted tasks, and puts them behind those taken already.
  void take_posted() noexcept {
    PostedTask** end = &running_posted_;
    while (*end != nullptr) end = &(*end)->next;
    *end = posted_.take_all();
  }

  /// The deferred tasks, indexed by DeferUntil.
  DeferredTaskList deferred_[3];
  /// The tasks whose moment has come. A nested run, or the one after an exception, goes on with this member.
  DeferredTaskList running_;
  Round round_ = Round::none;
  PostedTaskStack posted_;
  /// The posted tasks whose moment has come.
  PostedTask* running_posted_ = nullptr;
};

}  // namespace trunkline::net
