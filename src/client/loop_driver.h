// SPDX-License-Identifier: MIT
// LoopDriver: lets the blocking calls of a channel wait, on the user's loop or on one of the channel's own.
#pragma once

#include "call/inherited_deadline.h"
#include "net/loop_runner.h"

#include <trunkline/status.h>

#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <utility>

namespace trunkline::client {

/// A blocking call in progress, on the stack of the thread that waits for it.
class BlockedCall {
 public:
  /// Returns true once LoopDriver::finish() was called.
  bool is_done() const noexcept { return finished_.is_set(); }

 private:
  friend class LoopDriver;
  net::Waitable finished_;
};

/// On a loop of the channel's own, the blocked threads take turns in running the loop (LoopRunner). On the user's loop
/// they only wait, and exceptions of handlers go to the user. A call that blocks inside a handler runs the loop itself.
class LoopDriver {
 public:
  /// Makes a driver. `is_own`: the loop is the channel's own, and nothing else runs it. `hooks` must have on_exception.
  LoopDriver(net::Loop& loop, bool is_own, const net::LoopRunnerHooks& hooks)
      : loop_(loop), is_own_(is_own), on_exception_(hooks.on_exception), runner_(loop, hooks, !is_own) {}
  LoopDriver(const LoopDriver&) = delete;
  LoopDriver& operator=(const LoopDriver&) = delete;

  net::Loop& loop() const noexcept { return loop_; }
  bool is_own() const noexcept { return is_own_; }

  /// Runs `begin`, which begins `call`, on this thread, and waits until the call is done. If this is the loop's thread,
  /// or no other thread runs the channel's own loop, this thread runs the loop meanwhile. A thread that takes the lead
  /// first runs what has been posted to the loop: `begin` must not overtake it. Throws what `begin` throws.
  template <class Begin>
  void drive(BlockedCall& call, Begin&& begin) {
    if (loop_.is_current()) return run_nested(call, begin);
    {
      const std::optional<net::LoopRunner::Lead> lead = runner_.try_lead();
      if (!lead) {
        begin();
      } else {
        lead_for(call, begin, *lead);
      }
    }
    if (!call.is_done()) wait(call);
  }
  /// Waits until `call`, which has been begun, is done. Must not be called on the loop's thread.
  void wait(BlockedCall& call);
  /// Finishes `call`, on the loop's thread, or, after stop(), on the thread that ends the call in its place.
  void finish(BlockedCall& call) { runner_.set(call.finished_); }
  /// Finishes `call` on the thread that runs drive() for it, in `begin`. Takes no lock and wakes no thread.
  static void finish_begun(BlockedCall& call) noexcept { call.finished_.set_unwaited(); }

  /// Starts a thread that runs the channel's own loop although no call waits; no effect on a user's loop. Any thread
  /// may call it. The thread keeps `keep` alive. Error: resource_exhausted if the system refuses a thread.
  Status start_thread(const std::shared_ptr<void>& keep) { return runner_.start_thread(keep); }
  bool needs_thread() const noexcept { return is_own_ && !has_thread(); }
  bool has_thread() const noexcept { return runner_.has_thread(); }
  /// Stops the runner, as LoopRunner::stop() does.
  void stop() { runner_.stop(); }

 private:
  /// Runs `begin` and then the loop, by calls of `run_until(step)`, until `done()`. `begin` runs inside the loop, with
  /// the deadline that the calling thread has inherited; that deadline does not apply to other work of the loop. Throws
  /// what `begin` throws. Exceptions of handlers do not end the run: the first one is stored in `thrown` if that is
  /// given, and all others are reported.
  template <class Begin, class Done, class RunUntil>
  bool run_loop(Begin& begin, Done done, RunUntil run_until, std::exception_ptr* thrown = nullptr) {
    const base::TimePoint inherited = call::InheritedDeadline::current();
    const call::InheritedDeadline::Scope none(base::never);
    bool entered = false;
    bool begun = false;
    const auto step = [&] {
      if (!std::exchange(entered, true)) {
        const call::InheritedDeadline::Scope own(inherited);
        begin();
        begun = true;
      }
      return done();
    };
    for (;;) {
      try {
        return run_until(step);
      } catch (...) {
        if (!begun) throw;
        if (thrown != nullptr && *thrown == nullptr) {
          *thrown = std::current_exception();
        } else {
          on_exception_();
        }
      }
    }
  }
  template <class Begin>
  void run_nested(const BlockedCall& call, Begin& begin) {
    auto once = [&begin, begun = false]() mutable {
      if (!std::exchange(begun, true)) begin();
    };
    const auto is_done = [&call] { return call.is_done(); };
    const auto run_until = [this](auto& step) { return loop_.run_until(step, base::never); };
    std::exception_ptr thrown;
    std::exception_ptr* const of_others = is_own_ ? nullptr : &thrown;
    while (!run_loop(once, is_done, run_until, of_others)) std::this_thread::yield();
    if (thrown != nullptr) std::rethrow_exception(thrown);
  }
  template <class Begin>
  void lead_for(const BlockedCall& call, Begin& begin, const net::LoopRunner::Lead& lead) {
    if (loop_.has_posted()) run_posted();
    run_loop(
        begin, [&call] { return call.is_done(); }, [&lead](auto& step) { return lead.run_until(std::ref(step)); });
  }
  /// Polls the loop until everything that has been posted to it has run.
  void run_posted();
  void poll() noexcept;

  net::Loop& loop_;
  const bool is_own_;
  const std::function<void()> on_exception_;
  net::LoopRunner runner_;
};

}  // namespace trunkline::client
