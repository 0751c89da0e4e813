// SPDX-License-Identifier: MIT
// Loop: what is behind an EventLoop - Asio's context, the timers, the time of the turn, and work for later.
#pragma once

#include "base/clock.h"
#include "base/timer_wheel.h"
#include "net/deferred.h"
#include "net/handler_memory.h"
#include "net/task_queue.h"

#include <trunkline/event_loop.h>

#include <asio/executor_work_guard.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

namespace trunkline::net {

/// Something that belongs to nobody but its loop while it does its work, such as a handshake.
class Resident {
 public:
  Resident() noexcept = default;
  virtual ~Resident() = default;
  Resident(const Resident&) = delete;
  Resident& operator=(const Resident&) = delete;

 private:
  friend class Loop;
  Resident* previous_ = nullptr;
  Resident* next_ = nullptr;
};

/// One thread at a time runs it: that thread is "the loop's". post(), stop() and is_current() are for any thread,
/// everything else for the loop's only. A turn is one handler of Asio's, followed by the timers that are due.
class Loop {
 public:
  /// `clock` must outlive the loop. With one, time moves only as it says: nothing waits for timers, poll() and
  /// run_until() fire those that are due. Null: the steady clock.
  explicit Loop(EventLoopOptions options = {}, const base::ClockSource* clock = nullptr);
  /// Tasks that are still queued are dropped.
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  static Loop& of(EventLoop& loop) noexcept { return *loop.loop_; }
  /// A public loop that runs on `clock`.
  static std::unique_ptr<EventLoop> make_event_loop(const EventLoopOptions& options, const base::ClockSource* clock);

  /// The time of this turn: read when first asked for in it. Outside run() and its kind it is read each time.
  base::TimePoint now() noexcept {
    if (!now_valid_) refresh_now();
    return now_;
  }
  void refresh_now() noexcept;
  /// The time at this moment; the turn's stays as it is.
  base::TimePoint read_clock() const noexcept { return clock_->now(); }
  /// The loop had nothing to do before the turn that is on: whoever gave it work now waits for it.
  bool was_idle() const noexcept { return was_idle_; }
  /// Schedule and cancel at will; the loop looks at the wheel's next wake-up after each turn.
  base::TimerWheel& timers() noexcept { return timers_; }

  void run();
  void run_for(base::Duration duration);
  bool poll();
  void stop();
  bool is_current() const noexcept { return runner_.load(std::memory_order_relaxed) == std::this_thread::get_id(); }
  asio::io_context& context() noexcept { return context_; }

  /// Runs the loop on the calling thread until `done()`; false if `deadline` came first. stop() does not end it: it is
  /// kept for run(). May be called from a handler. With a clock of its own the loop does not wait: false as soon as
  /// nothing is ready.
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

  /// Runs `task` on the loop's thread, in order of posting; the loop is woken once per burst. The task stays its
  /// owner's and must live until then. Allocates nothing.
  void post(Task* task);
  void post(std::function<void()> task);
  /// Runs at the end of this turn, after what is queued already; at once when run() or its kind is entered next. From
  /// the loop's thread, or from its owner's while nothing runs it.
  void defer(Deferred& deferred);
  /// Runs right after the handler that is on, before the loop looks for other work. What this defers follows as well,
  /// once: a chain that never ends takes its turns with everything else.
  void follow_up(Deferred& deferred);
  /// Runs after the handler that is on and its follow-ups.
  void follow_last(Deferred& deferred) { last_.add(deferred); }

  /// Drops what is queued and lets go of whoever waits, as the destructor does, while what they own may still use the
  /// loop. Nothing may run it afterwards. Its owner's, while nothing runs it.
  void clear();

  /// Keeps `resident` until evict(), or until the loop is destroyed.
  void house(std::unique_ptr<Resident> resident) noexcept;
  /// Gives it back; letting go of the result destroys it.
  std::unique_ptr<Resident> evict(Resident& resident) noexcept;

 private:
  struct Context : asio::io_context {
    using asio::io_context::io_context;
    using asio::io_context::shutdown;
  };

  /// Marks the thread as the loop's. Nests.
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

  bool turn();
  bool settle();
  bool fire_due_timers();
  void arm_timer();
  void take_tasks();
  void drop_tasks();
  void run_tasks();
  void run_deferred();
  bool run_follow_ups();
  void wait_spinning();
  void adapt_spin(base::Duration waited) noexcept;

  const base::SteadyClock steady_clock_{};
  const base::ClockSource* clock_;
  const bool manual_time_;
  const base::Duration busy_poll_;
  base::Duration spin_limit_;

  base::TimePoint now_;
  bool now_valid_ = false;
  bool deferred_posted_ = false;
  bool timer_fired_ = false;
  bool was_idle_ = false;
  int depth_ = 0;
  base::TimePoint armed_for_ = base::never;
  base::TimerWheel timers_;
  DeferredList deferred_;
  DeferredList deferred_batch_;  ///< being called; a member so that a nested run goes on with it
  enum class FollowUps : std::uint8_t { none, first, second } follow_ups_ = FollowUps::none;  ///< being called
  DeferredList first_;
  DeferredList second_;
  DeferredList last_;
  TaskQueue tasks_;
  Task* tasks_taken_ = nullptr;  ///< likewise
  HandlerMemory tasks_memory_;
  HandlerMemory deferred_memory_;
  Resident* residents_ = nullptr;
  std::atomic<bool> stop_requested_{false};
  std::atomic<std::thread::id> runner_{};

  // Destroyed first: what its handlers own may still use the members above.
  // Not hint 1: then Asio queues what a handler posts with that handler, and counts it there, so that a nested run
  // would neither see it nor keep the count of open work.
  Context context_{2};
  asio::executor_work_guard<asio::io_context::executor_type> work_{context_.get_executor()};
  asio::steady_timer wakeup_{context_};
};

}  // namespace trunkline::net
