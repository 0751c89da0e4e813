// SPDX-License-Identifier: MIT
// LoopDriver: which thread runs a channel's loop - the user's, a thread of its own, or whoever waits for an answer.
#pragma once

#include "call/inherited_deadline.h"
#include "net/loop.h"

#include <trunkline/status.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace trunkline::client {

/// A blocked call: done once finish() was called, on the loop's thread.
class BlockedCall {
 public:
  bool is_done() const noexcept { return done_; }

 private:
  friend class LoopDriver;
  bool done_ = false;  // written on the loop's thread, under the driver's mutex
  std::condition_variable changed_;
  BlockedCall* next_ = nullptr;
  BlockedCall* previous_ = nullptr;
};

/// What a driver asks of its channel, on the loop's thread.
struct LoopDriverHooks {
  /// What the loop's thread is to keep alive, if the loop has to be run although nobody leads any more; else null.
  std::function<std::shared_ptr<void>()> work_left;
  /// A handler has thrown, against its contract; the loop goes on.
  std::function<void()> on_exception;  ///< with the exception as the current one
  /// After a stop() from inside the loop: it has come out of it, and nothing runs it any more.
  std::function<void()> on_over{};
};

/// On a loop of the channel's own, one of the blocked callers leads: it runs the loop until its call is done, then
/// hands over to another. Once start_thread() was called the thread leads and callers only wait. On a user's loop
/// nobody leads, and handlers' exceptions are the user's.
class LoopDriver {
 public:
  /// `loop` of the channel's own, or the user's.
  LoopDriver(net::Loop& loop, bool is_own, LoopDriverHooks hooks)
      : loop_(loop), is_own_(is_own), hooks_(std::move(hooks)) {}
  ~LoopDriver() {
    if (thread_.joinable()) stop();
  }
  LoopDriver(const LoopDriver&) = delete;
  LoopDriver& operator=(const LoopDriver&) = delete;

  net::Loop& loop() const noexcept { return loop_; }
  bool is_own() const noexcept { return is_own_; }

  /// Runs `begin` (on the loop's thread, or where it posts from) and waits until `call` is done.
  template <class Begin>
  void drive(BlockedCall& call, Begin&& begin) {
    if (loop_.is_current()) return run_nested(call, begin);
    if (is_own_ && try_lead()) return lead(call, begin);
    begin();
    wait(call);
  }
  /// Waits until `call`, which has been begun, is done.
  void wait(BlockedCall& call);
  /// Loop's thread, or after stop() whoever stands in for it.
  void finish(BlockedCall& call);

  /// The loop has to be run although nobody waits; does nothing on a user's loop. Any thread. `keep` lives as long as
  /// the thread. Error: resource_exhausted, the system refuses a thread.
  Status start_thread(const std::shared_ptr<void>& keep);
  bool needs_thread() const noexcept { return is_own_ && !has_thread(); }
  bool has_thread() const noexcept { return has_thread_.load(std::memory_order_acquire); }
  /// Nobody leads any more: ends the thread, and waits until whoever leads has come out of the loop. From inside the
  /// loop: has it end by itself once it gets there.
  void stop();

 private:
  /// Gives up the lead, also when `begin` has thrown.
  class Lead {
   public:
    Lead(LoopDriver& driver, const BlockedCall& call) noexcept : driver_(driver), call_(call) {}
    ~Lead() {
      if (!is_over_) static_cast<void>(give_up());
    }
    Lead(const Lead&) = delete;
    Lead& operator=(const Lead&) = delete;
    /// True if the call is done.
    bool give_up() {
      is_over_ = true;
      return driver_.hand_over(call_);
    }

   private:
    LoopDriver& driver_;
    const BlockedCall& call_;
    bool is_over_ = false;
  };

  /// Has `begin` run first thing, with the deadline its thread has inherited, which the loop's other work has not.
  /// Throws what `begin` throws; what handlers throw does not end the call: the first goes to `thrown` if there is one.
  template <class Begin, class Done>
  bool run_loop(Begin& begin, Done done, std::exception_ptr* thrown = nullptr) {
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
        return loop_.run_until(step, base::never);
      } catch (...) {
        if (!begun) throw;
        if (thrown != nullptr && *thrown == nullptr) {
          *thrown = std::current_exception();
        } else {
          hooks_.on_exception();
        }
      }
    }
  }
  template <class Begin>
  void run_nested(const BlockedCall& call, Begin& begin) {
    auto once = [&begin, begun = false]() mutable {
      if (!std::exchange(begun, true)) begin();
    };
    std::exception_ptr thrown;
    std::exception_ptr* const of_others = is_own_ ? nullptr : &thrown;
    while (!run_loop(
        once, [&call] { return call.done_; }, of_others)) {
      std::this_thread::yield();
    }
    if (thrown != nullptr) std::rethrow_exception(thrown);
  }
  template <class Begin>
  void lead(BlockedCall& call, Begin& begin) {
    Lead lead(*this, call);
    catch_up();
    run_loop(begin, [&] { return call.done_ || abdicate_.load(std::memory_order_relaxed); });
    if (!lead.give_up()) wait(call);
  }

  bool try_lead();
  bool hand_over(const BlockedCall& call);
  void end_lead(std::unique_lock<std::mutex>& lock, const std::shared_ptr<void>& work_left);
  bool wake_a_waiter();
  Status start_thread_locked(const std::shared_ptr<void>& keep);
  void catch_up();
  void run_thread();

  net::Loop& loop_;
  const bool is_own_;
  const LoopDriverHooks hooks_;
  std::mutex mutex_;  // guards all below
  std::condition_variable free_;
  bool led_ = false;
  BlockedCall* waiting_ = nullptr;
  std::atomic<bool> abdicate_{false};
  std::atomic<bool> has_thread_{false};
  bool stopping_ = false;
  bool stopped_inside_ = false;
  bool stopped_ = false;
  base::TimePoint last_led_{};  ///< when a leader last caught up; the leader's alone, not under the mutex
  std::thread thread_;
};

}  // namespace trunkline::client
