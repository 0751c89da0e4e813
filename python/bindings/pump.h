// SPDX-License-Identifier: MIT
// Pump: who runs a loop - a thread of its own, or whichever Python thread waits for something of it.
#pragma once

#include "net/loop.h"
#include "process.h"

#include <trunkline/event_loop.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace trunkline::python {

/// What a thread waits for. Set once or, by its owner, again and again.
class Waitable {
 public:
  bool is_set() const noexcept { return set_.load(std::memory_order_seq_cst); }
  /// By its owner, if nobody can be waiting.
  void set_now() noexcept { set_.store(true, std::memory_order_release); }
  /// By its owner, while nobody waits.
  void clear() noexcept { set_.store(false, std::memory_order_relaxed); }

 private:
  friend class Pump;
  std::atomic<bool> set_{false};
  std::atomic<std::condition_variable*> waiter_{nullptr};
};

/// One thread at a time leads: it runs the loop until what it waits for is there, then another waiting thread takes
/// over. So a lone caller pays for no change of threads. Once start_thread() was called that thread leads. All
/// functions that wait are called without the GIL. What the loop's handlers throw comes out of the function that leads,
/// after it has handed over.
class Pump {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// In a forked child it is never destroyed.
  static std::shared_ptr<Pump> make(std::chrono::microseconds busy_poll);
  explicit Pump(std::chrono::microseconds busy_poll)
      : loop_(EventLoopOptions{.busy_poll = busy_poll}), net_loop_(net::Loop::of(loop_)) {}
  ~Pump();
  Pump(const Pump&) = delete;
  Pump& operator=(const Pump&) = delete;

  EventLoop& event_loop() noexcept { return loop_; }
  net::Loop& net_loop() noexcept { return net_loop_; }
  const Birthplace& birthplace() const noexcept { return birthplace_; }

  /// Waits, leading if nobody does; true once `waitable` is set, false at `until`. What the last turn has left for its
  /// end, such as writing to sockets, may be undone then: lead_once() does it.
  bool wait(Waitable& waitable, Time until);
  /// From the loop's thread, or any other.
  void set(Waitable& waitable);
  /// Leads until `done()`, then calls `at_end` while it still leads. Returns false at once because another leads, or
  /// with `claims` has that one make way.
  bool lead_until(const std::function<bool()>& done, const std::function<void()>& at_end, bool claims);

  /// Leads for `task`, and one look at what is ready then; or returns false at once because another leads.
  bool lead_once(const std::function<void()>& task);

  /// Runs `task` here while nobody runs the loop: whoever leads makes way. Not with a thread, not on the loop's thread.
  void run_alone(const std::function<void()>& task);
  /// The same on the loop's thread, where that cannot be waited for: ends the loop's thread, then runs `task` alone, on
  /// a thread of its own, without the GIL. Not at all if the system has no thread for it.
  static void run_alone_later(std::shared_ptr<Pump> pump, std::function<void()> task) noexcept;
  /// A thread that runs the loop from here on.
  void start_thread();
  bool has_thread() const noexcept { return has_thread_.load(std::memory_order_acquire); }
  /// Ends and joins it.
  void stop_thread();
  /// True while a thread runs the loop, or is about to.
  bool is_led() const noexcept { return led_.load(std::memory_order_seq_cst) || has_thread(); }
  /// Called whenever a thread stops to lead, on that thread, before another does. Set before any has begun to; it must
  /// not call the pump.
  void on_hand_over(std::function<void()> callback) { on_hand_over_ = std::move(callback); }
  /// How often the lead was taken; tells whether the loop has been looked after since.
  std::uint64_t turns_of_lead() const noexcept { return leads_.load(std::memory_order_relaxed); }

 private:
  struct Follower {
    std::condition_variable changed;
    Follower* next = nullptr;
    Follower* previous = nullptr;
  };

  class Lead;

  void add(Follower& follower) noexcept;
  void remove(Follower& follower) noexcept;
  /// With the mutex held.
  bool may_lead() const noexcept { return !led_ && claims_ == 0 && !has_thread(); }
  /// Likewise.
  void take_lead() noexcept;
  void hand_over();
  bool try_lead();
  void claim_lead();

  const Birthplace birthplace_{};
  EventLoop loop_;
  net::Loop& net_loop_;
  std::mutex mutex_;              // guards what has no other guard below
  std::atomic<bool> led_{false};  // written with the mutex
  int claims_ = 0;                // threads in run_alone() that wait
  Follower* followers_ = nullptr;
  std::condition_variable free_;
  std::function<void()> on_hand_over_;
  std::atomic<bool> abdicate_{false};
  std::atomic<bool> has_thread_{false};
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> leads_{0};
  std::thread thread_;
};

}  // namespace trunkline::python
