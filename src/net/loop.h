// SPDX-License-Identifier: MIT
// Loop: the inside of an EventLoop - Asio's context, the timers, the time of the turn, and deferred work.
#pragma once

#include "base/clock.h"
#include "base/timer_wheel.h"
#include "net/handler_memory.h"
#include "net/loop_owned.h"
#include "net/work_queue.h"

#include <trunkline/event_loop.h>
#include <trunkline/status.h>

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <thread>

namespace trunkline::net {

/// One thread at a time runs the loop: that thread is "the loop's thread". Any thread may call post(), stop() and
/// is_current(); everything else is for the loop's thread. A turn runs one of Asio's handlers, the work that was
/// deferred until it returns, and the timers that are due. WorkQueue says in which order deferred and posted work runs.
class Loop {
 public:
  /// Makes a loop on `clock`. Null: it has the steady clock. Otherwise `clock` must outlive it, and time moves only as
  /// `clock` says: the loop never waits for a timer; poll() and run_until() fire those that are due.
  explicit Loop(EventLoopOptions options = {}, const base::ClockSource* clock = nullptr);
  /// Drops posted tasks that have not run, and destroys the operations that the loop owns.
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  static Loop& of(EventLoop& loop) noexcept { return *loop.loop_; }
  /// Makes a public loop that runs on `clock`.
  static std::unique_ptr<EventLoop> make_event_loop(const EventLoopOptions& options, const base::ClockSource* clock);

  /// Returns the time of this turn. A turn's first call reads the clock; if nothing runs the loop, every call does.
  base::TimePoint now() noexcept {
    if (!now_valid_) refresh_now();
    return now_;
  }
  void refresh_now() noexcept;
  /// Reads the clock without changing the time of the turn.
  base::TimePoint read_clock() const noexcept { return clock_->now(); }
  /// Returns true if the loop had nothing to do before this turn, so the sender of its work probably waits for it.
  bool was_idle() const noexcept { return was_idle_; }
  /// Returns the timers. They may be scheduled at any time: the loop looks up the next wake-up after each turn.
  base::TimerWheel& timers() noexcept { return timers_; }

  void run();
  void run_for(base::Duration duration);
  bool poll();
  void stop();
  /// Opens the descriptors by which the loop waits for sockets and for other threads at once; no effect if they are
  /// open. A loop without sockets needs none. Error: resource_exhausted if the system refuses them.
  Status open();
  bool is_current() const noexcept { return runner_.load(std::memory_order_relaxed) == std::this_thread::get_id(); }
  asio::io_context& context() noexcept { return context_; }

  /// Runs the loop on the calling thread until `done()` is true. Returns false if `deadline` comes first, or, with a
  /// clock given to the constructor, as soon as nothing is ready. stop() does not end it, but ends the next run(). May
  /// be called from a handler.
  template <class Predicate>
  bool run_until(Predicate done, base::TimePoint deadline) {
    const RunScope scope(*this);
    bool expired = false;
    base::Timer expiry([](base::Timer&, void* flag, base::TimePoint) { *static_cast<bool*>(flag) = true; }, &expired);
    if (deadline != base::never) timers_.schedule(expiry, deadline);
    while (!done()) {
      if (expired) return false;
      if (!turn()) return done();
    }
    return true;
  }

  /// Runs `task` on the loop's thread, in order of posting, and wakes the loop once per burst. The caller keeps the
  /// ownership of `task`, which must live until it runs or is dropped. Allocates nothing.
  void post(PostedTask* task);
  void post(std::function<void()> task);
  /// Returns true if a posted task has not run yet. The loop's owner may also call it while nothing runs the loop.
  bool has_posted() const noexcept { return queue_.has_posted(); }
  /// Runs `task` at the moment that `until` names; a task deferred while nothing runs the loop runs first when
  /// something does. No effect if it is scheduled already. May also be called by the owner of the loop while nothing
  /// runs it.
  void defer(DeferredTask& task, DeferUntil until = DeferUntil::end_of_turn) {
    const bool is_at_end = queue_.defer(task, until) == DeferUntil::end_of_turn;
    if (is_at_end && depth_ > 0 && !end_of_turn_posted_) post_end_of_turn();
  }

  /// Drops posted tasks, and destroys pending handlers and the operations that the loop owns, as the destructor does,
  /// but while the objects that these own may still use the loop. The loop's owner calls it, while nothing runs the
  /// loop. Nothing may run the loop afterwards.
  void clear();

  /// Returns the rounds of whatever runs the loop. The number changes if a handler has run the loop itself.
  std::uint64_t turns() const noexcept { return turns_; }

  /// Owns `operation` until release(), clear() or the end of the loop.
  void adopt(std::unique_ptr<LoopOwned> operation) noexcept { operations_.add(std::move(operation)); }
  /// Returns the ownership of an adopted operation to the caller.
  std::unique_ptr<LoopOwned> release(LoopOwned& operation) noexcept { return operations_.remove(operation); }

 private:
  /// An io_context that makes shutdown() public.
  struct Context : asio::io_context {
    using asio::io_context::io_context;
    using asio::io_context::shutdown;
  };

  /// Makes the calling thread the loop's thread. Scopes nest.
  class RunScope {
   public:
    explicit RunScope(Loop& loop) noexcept;
    ~RunScope();
    RunScope(const RunScope&) = delete;
    RunScope& operator=(const RunScope&) = delete;

   private:
    Loop& loop_;
    std::thread::id outer_;
    const asio::execution_context* outer_context_;
  };

  /// Runs what is ready, or else waits for one handler. Returns false with a given clock if nothing is ready.
  bool turn();
  /// Does what follows a handler. Returns true if there was anything to do.
  bool settle();
  void post_end_of_turn();
  bool fire_due_timers();
  void arm_timer();
  void wait();
  void wait_spinning();
  void adapt_spin(base::Duration waited) noexcept;
  void drop_work();

  const base::SteadyClock steady_clock_{};
  const base::ClockSource* clock_;
  const bool manual_time_;
  const base::Duration busy_poll_;
  base::Duration spin_limit_;

  base::TimePoint now_;
  bool now_valid_ = false;
  /// True if Asio holds the handler that runs the end of the turn.
  bool end_of_turn_posted_ = false;
  bool timer_fired_ = false;
  bool was_idle_ = false;
  /// The number of runs that are nested.
  int depth_ = 0;
  std::uint64_t turns_ = 0;
  base::TimePoint armed_for_ = base::never;
  base::TimerWheel timers_;
  WorkQueue queue_;
  HandlerMemory posted_memory_;
  HandlerMemory end_of_turn_memory_;
  LoopOwnedList operations_;
  std::atomic<bool> stop_requested_{false};
  std::atomic<std::thread::id> runner_{};

  // The context is destroyed first: the objects that its handlers own may still use the members above.
  // The concurrency hint is not 1: with 1, Asio keeps what a handler posts in a queue of that handler until it returns,
  // so that a nested run would not see it, and would miscount the open work.
  Context context_{2};
  asio::executor_work_guard<asio::io_context::executor_type> work_{context_.get_executor()};
  /// Wakes the loop for its timers. It is empty until open(): Asio opens three descriptors for it.
  std::optional<asio::steady_timer> wakeup_;
};

}  // namespace trunkline::net
