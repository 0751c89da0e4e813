// SPDX-License-Identifier: MIT
// Pump: the event loop of a Python channel or server, and the threads that run it.
#pragma once

#include "fork_guard.h"
#include "net/loop_runner.h"

#include <trunkline/event_loop.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace trunkline::python {

using net::Waitable;

/// A loop and its runner: whichever Python thread waits for a result of the loop runs it (LoopRunner). All functions
/// that wait are called without the GIL. What the loop's handlers throw leaves the function that leads, after it has
/// handed over.
class Pump {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Makes a pump, which is never destroyed in a forked child.
  static std::shared_ptr<Pump> make(std::chrono::microseconds busy_poll);
  explicit Pump(std::chrono::microseconds busy_poll)
      : loop_(EventLoopOptions{.busy_poll = busy_poll}), runner_(net::Loop::of(loop_)) {}
  Pump(const Pump&) = delete;
  Pump& operator=(const Pump&) = delete;

  EventLoop& event_loop() noexcept { return loop_; }
  net::Loop& net_loop() noexcept { return runner_.loop(); }
  const ForkGuard& fork_guard() const noexcept { return fork_guard_; }

  /// Waits as LoopRunner::wait() does.
  bool wait(Waitable& waitable, Time until) { return runner_.wait(waitable, until); }
  /// Sets the waitable as LoopRunner::set() does.
  void set(Waitable& waitable) { runner_.set(waitable); }

  /// Leads until `done()`, then calls `at_end` while it still leads. If another thread leads it returns false at once,
  /// unless `claims`, which has that thread make way.
  bool lead_until(const std::function<bool()>& done, const std::function<void()>& at_end, bool claims);
  /// Leads for `task` and for what is ready then. Returns false, without calling `task`, if another thread leads.
  bool lead_once(const std::function<void()>& task);

  /// Runs `task` on this thread while no thread runs the loop: the one that leads makes way. Must not be called on the
  /// loop's thread, nor while the pump has a thread.
  void run_alone(const std::function<void()>& task);
  /// Runs `task` alone as run_alone() does, for the loop's thread, which cannot wait for it: ends the pump's thread,
  /// then runs `task` on a new thread, without the GIL. If the system refuses that thread, `task` does not run.
  static void run_alone_later(std::shared_ptr<Pump> pump, std::function<void()> task) noexcept;

  /// Starts a thread that runs the loop from here on. Error: resource_exhausted if the system refuses the thread.
  Status start_thread() { return runner_.start_thread(); }
  bool has_thread() const noexcept { return runner_.has_thread(); }
  /// Ends and joins the pump's thread.
  void stop_thread() { runner_.stop_thread(); }
  /// Returns true while a thread runs the loop, or is about to.
  bool is_led() const noexcept { return runner_.is_led(); }
  /// Sets what a thread that gives up the lead calls before another takes it. Must be called before any thread leads;
  /// `callback` must not call the pump.
  void on_hand_over(std::function<void()> callback) { runner_.set_on_hand_over(std::move(callback)); }
  /// Returns LoopRunner::lead_count().
  std::uint64_t lead_count() const noexcept { return runner_.lead_count(); }

 private:
  const ForkGuard fork_guard_{};
  EventLoop loop_;
  net::LoopRunner runner_;
};

}  // namespace trunkline::python
