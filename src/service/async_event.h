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

/// Resets itself when a wait ends. One coroutine waits at a time. Owned by shared pointers.
class AsyncEvent : public std::enable_shared_from_this<AsyncEvent> {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit AsyncEvent(const asio::any_io_executor& loop) : timer_(loop) {}

  /// Any thread, while the loop exists. Posts at most one task at a time, however often it is called.
  void set();
  /// On the loop. Waits until the event is set, at once if it has been set since the last wait, or until `until`.
  /// Throws std::system_error when the coroutine is cancelled.
  asio::awaitable<void> wait(TimePoint until = TimePoint::max());

 private:
  asio::steady_timer timer_;
  /// The task of set() has yet to run.
  std::atomic<bool> is_posted_{false};
  /// For the loop's thread.
  bool is_set_ = false;
};

}  // namespace trunkline::service
