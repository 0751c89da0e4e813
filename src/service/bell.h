// SPDX-License-Identifier: MIT
// Bell: a coroutine waits by it until any thread rings.
#pragma once

#include <asio/any_io_executor.hpp>
#include <asio/awaitable.hpp>
#include <asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <memory>

namespace trunkline::service {

/// One coroutine waits at a time. Held by shared pointers.
class Bell : public std::enable_shared_from_this<Bell> {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  explicit Bell(const asio::any_io_executor& loop) : timer_(loop) {}

  /// Any thread, while the loop exists. However often it is rung, one task is under way.
  void ring();
  /// On the loop: until it is rung, or has been since the last time, or `until`. Throws std::system_error when the
  /// coroutine is cancelled.
  asio::awaitable<void> wait(TimePoint until = TimePoint::max());

 private:
  asio::steady_timer timer_;
  std::atomic<bool> is_under_way_{false};
  bool is_rung_ = false;  // the loop's
};

}  // namespace trunkline::service
