// SPDX-License-Identifier: MIT
// LoopRunner: decides which thread runs a loop - a thread of its own, or one of the threads that wait for its results.
#pragma once

#include "net/loop.h"

#include <trunkline/status.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace trunkline::net {

class LoopFollower;

/// An event for which threads wait by LoopRunner::wait().
class Waitable {
 public:
  bool is_set() const noexcept { return (state_.load(std::memory_order_seq_cst) & set_bit) != 0; }
  /// Sets it in place of LoopRunner::set(), when no thread can be waiting for it.
  void set_unwaited() noexcept { state_.store(set_bit, std::memory_order_release); }
  /// Clears it. Must be called while no thread waits for it.
  void clear() noexcept { state_.store(0, std::memory_order_relaxed); }

 private:
  friend class LoopRunner;
  friend class LoopFollower;
  static constexpr std::uint8_t set_bit = 1;
  /// The bit says that a thread waits without leading. It is set and cleared with the runner's mutex held.
  static constexpr std::uint8_t followed_bit = 2;
  std::atomic<std::uint8_t> state_{0};
  /// The first of the threads that wait for it without leading. The runner's mutex guards it.
  LoopFollower* first_waiter_ = nullptr;
};

struct LoopRunnerHooks {
  /// Called by a thread that is about to give up the lead. Returns what the runner's own thread shall keep alive if the
  /// loop must be run although no thread waits, and otherwise null. Not called with the mutex held. May be null.
  std::function<std::shared_ptr<void>()> work_left{};
  /// Called by a thread that gives up the lead, before another can take it. It must not call the runner. May be null.
  std::function<void()> on_hand_over{};
  /// Called when a handler has thrown, and the exception is the current one; the loop goes on. Null: the exception
  /// leaves wait() after the lead was handed over, and the runner's own thread swallows any std::exception.
  std::function<void()> on_exception{};
  /// Called after a stop() from inside the loop: the thread that ran the loop has left it, and no thread will run it
  /// again. May be null.
  std::function<void()> on_stopped{};
};

/// A runner by the leader/follower pattern. One thread at a time leads: it runs the loop until what it waits for is
/// there, and then hands over to another waiting thread, so that a lone caller pays for no change of threads. Once
/// start_thread() was called, the runner's own thread leads and the others only wait. Any thread may call any function
/// that says nothing else. A forked child must neither use nor destroy the parent's runner: its threads stayed behind.
class LoopRunner {
 public:
  class Lead;

  /// `loop` must outlive the runner. If `is_external`, the loop is run elsewhere: no thread ever leads, and threads
  /// only wait.
  explicit LoopRunner(Loop& loop, LoopRunnerHooks hooks = {}, bool is_external = false)
      : loop_(loop), hooks_(std::move(hooks)), is_external_(is_external) {}
  /// Stops the runner's own thread. No other thread may be inside a call into the runner.
  ~LoopRunner();
  LoopRunner(const LoopRunner&) = delete;
  LoopRunner& operator=(const LoopRunner&) = delete;

  Loop& loop() const noexcept { return loop_; }

  /// Waits until `waitable` is set, and leads while no other thread does. Returns false if `until` came first. Must not
  /// be called on the loop's thread. Work that the last turn has deferred may be pending then; run_once() does it.
  bool wait(Waitable& waitable, base::TimePoint until = base::never);
  /// Sets `waitable`, which may be destroyed by its waiter before this returns. The runner must outlive the call.
  void set(Waitable& waitable);

  /// Returns the lead, or nullopt because another thread has it or is about to take it.
  std::optional<Lead> try_lead();
  /// Has the thread that leads make way, and takes the lead from it. Must not be called on the loop's thread, nor while
  /// the runner has a thread of its own.
  Lead claim_lead();

  /// Starts the runner's own thread, which keeps `keep` alive as long as it runs. No effect if there is one, or after
  /// stop(). Error: resource_exhausted if the system refuses a thread.
  Status start_thread(const std::shared_ptr<void>& keep = nullptr);
  bool has_thread() const noexcept { return has_thread_.load(std::memory_order_acquire); }
  /// Ends and joins the thread, which may be started again. Must not be called on the loop's thread.
  void stop_thread();
  /// Ends the thread, waits until the thread that leads has left the loop, and lets none lead any more. From inside the
  /// loop it returns at once, and its thread leaves the loop when its handlers have returned: see on_stopped.
  void stop();

  /// Returns true while a thread runs the loop, or is about to.
  bool is_led() const noexcept { return led_.load(std::memory_order_seq_cst) || has_thread(); }
  /// Replaces LoopRunnerHooks::on_hand_over. Must be called before any thread leads.
  void set_on_hand_over(std::function<void()> callback) { hooks_.on_hand_over = std::move(callback); }
  /// Returns how often the lead was taken: a change shows that the loop has been run in the meantime.
  std::uint64_t lead_count() const noexcept { return lead_count_.load(std::memory_order_relaxed); }

 private:
  friend class LoopFollower;

  // --- with the mutex held ---

  bool may_lead() const noexcept {
    return !is_external_ && !led_.load(std::memory_order_relaxed) && claims_ == 0 && !stopping_ && !has_thread();
  }
  void take_lead() noexcept;
  bool wake_follower() noexcept;
  void interrupt_leader();
  void wait_for_lead(std::unique_lock<std::mutex>& lock, bool until_stopping = false);

  bool must_make_way() const noexcept { return make_way_.load(std::memory_order_relaxed); }
  /// Runs the loop as Lead::run_until() does.
  template <class Done>
  bool run_led(Done done, base::TimePoint until) {
    bool is_done = false;
    const auto must_return = [&] { return (is_done = done()) || must_make_way(); };
    static_cast<void>(loop_.run_until(must_return, until));
    return is_done;
  }
  bool follow(Waitable& waitable, base::TimePoint until, std::unique_lock<std::mutex>& lock);
  void lead_for(Waitable& waitable, base::TimePoint until);
  /// Hands the lead over, and leaves the mutex locked. The caller releases the result once it has unlocked the mutex:
  /// that may destroy the runner.
  [[nodiscard]] std::shared_ptr<void> hand_over(std::unique_lock<std::mutex>& lock);
  Status start_thread_locked(const std::shared_ptr<void>& keep);
  void run_thread();
  void run_loop_until_stopped();

  Loop& loop_;
  LoopRunnerHooks hooks_;
  const bool is_external_;

  /// Guards the members below. The atomic ones are written while it is held.
  std::mutex mutex_;
  /// Notified when a thread gives up the lead while another waits for that, and by stop().
  std::condition_variable lead_free_;
  int lead_free_waiters_ = 0;
  std::atomic<bool> led_{false};
  /// True if the leader is to hand over as soon as it can.
  std::atomic<bool> make_way_{false};
  /// The number of threads that wait in claim_lead().
  int claims_ = 0;
  LoopFollower* first_follower_ = nullptr;
  std::atomic<std::uint64_t> lead_count_{0};
  std::thread thread_;
  std::atomic<bool> has_thread_{false};
  std::atomic<bool> thread_stopping_{false};
  bool stopping_ = false;
  bool stopped_ = false;
  bool stopped_inside_ = false;
};

/// A lead that a thread holds. Its end hands the lead over, also when it ends by an exception.
class LoopRunner::Lead {
 public:
  explicit Lead(LoopRunner& runner) noexcept : runner_(&runner) {}
  Lead(Lead&& other) noexcept : runner_(std::exchange(other.runner_, nullptr)) {}
  Lead& operator=(Lead&&) = delete;
  ~Lead();

  /// Runs the loop until `done()`. Returns false if `until` came first, or another thread claims the lead. Exceptions
  /// of handlers leave it.
  template <class Done>
  bool run_until(Done done, base::TimePoint until = base::never) const {
    return runner_->run_led(std::move(done), until);
  }

 private:
  LoopRunner* runner_;
};

}  // namespace trunkline::net
