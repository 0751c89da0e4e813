// SPDX-License-Identifier: MIT
// AsyncEvent: lets a coroutine wait until any thread sets the event.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <memory>

namespace trunkline::service {

/// An event that resets itself when a wait ends. One coroutine waits at a time. Shared pointers own it.
class AsyncEvent : public std::enable_shared_from_this<AsyncEvent> {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit AsyncEvent(const asio::any_io_executor& loop) : timer_(loop) {}

  /// Sets the event, on any thread while the loop exists. Posts at most one task at a time, however often it is called.
  void set();
  /// Waits, on the loop, until the event is set, at once if it has been set since the last wait, or until `until`.
  /// Throws std::system_error when the coroutine is cancelled.
  asio::awaitable<void> wait(TimePoint until = TimePoint::max());

 private:
  asio::steady_timer timer_;
  /// True if the task of set() has yet to run.
  std::atomic<bool> is_posted_{false};
  /// True if the event is set. Only the loop's thread uses it.
  bool is_set_ = false;
};

}  // namespace trunkline::service
