// SPDX-License-Identifier: MIT
// ChannelWaiter: a thread that waits in Channel::wait_for_ready() or close(), and the list of such threads.
#pragma once

#include "base/timer_wheel.h"
#include "client/loop_driver.h"

#include <trunkline/status.h>

#include <functional>
#include <utility>

namespace trunkline::client {

class WaiterList;

/// A wait on the stack of its thread. Everything but the constructor and status() is for the loop's thread, or for the
/// thread that stands in for it once there is no loop.
class ChannelWaiter {
 public:
  /// Makes the wait. `on_timeout` is called when the timer fires; it must finish the wait.
  ChannelWaiter(LoopDriver& driver, std::function<void(ChannelWaiter& waiter)> on_timeout)
      : driver_(driver), on_timeout_(std::move(on_timeout)) {}
  ~ChannelWaiter();
  ChannelWaiter(const ChannelWaiter&) = delete;
  ChannelWaiter& operator=(const ChannelWaiter&) = delete;

  void start_timer(base::TimerWheel& timers, base::TimePoint until) { timers.schedule(timer_, until); }
  /// Wakes the thread, which returns `status`. The waiter may be destroyed before this returns.
  void finish(Status status);
  bool is_finished() const noexcept { return blocked_.is_done(); }

  /// Returns the object for which the driver waits.
  BlockedCall& blocked() noexcept { return blocked_; }
  /// Returns the outcome, once the wait is finished.
  const Status& status() const noexcept { return status_; }

 private:
  friend class WaiterList;

  LoopDriver& driver_;
  const std::function<void(ChannelWaiter& waiter)> on_timeout_;
  BlockedCall blocked_;
  Status status_;
  base::Timer timer_{[](base::Timer&, void* self, base::TimePoint) {
                       auto& waiter = *static_cast<ChannelWaiter*>(self);
                       waiter.on_timeout_(waiter);
                     },
                     this};
  WaiterList* list_ = nullptr;
  ChannelWaiter* next_ = nullptr;
};

/// Holds waiters for the same event, in the order in which they came. A waiter leaves the list when it is finished.
/// Only the loop's thread uses it.
class WaiterList {
 public:
  WaiterList() = default;
  WaiterList(const WaiterList&) = delete;
  WaiterList& operator=(const WaiterList&) = delete;

  bool empty() const noexcept { return first_ == nullptr; }
  void add(ChannelWaiter& waiter) noexcept;
  /// Removes a waiter. No effect if it is not in the list.
  void remove(ChannelWaiter& waiter) noexcept;
  void finish_all(const Status& status);

 private:
  ChannelWaiter* first_ = nullptr;
};

}  // namespace trunkline::client
