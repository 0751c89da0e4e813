// SPDX-License-Identifier: MIT
// Admission: how many calls a server and its methods may have open at once.
#pragma once

#include "server/method.h"

#include <trunkline/status.h>

#include <atomic>
#include <cstddef>

namespace trunkline::server {

/// Thread-safe. The number of calls per connection is the session's to limit.
class Admission {
 public:
  explicit Admission(std::size_t max_calls) noexcept : max_calls_(max_calls) {}

  /// For a call that ends before anything else on its loop begins: it is counted only where that decides something.
  /// leave_plain() must follow.
  bool try_enter_plain(Method& method) noexcept {
    return open_calls_.load(std::memory_order_relaxed) < max_calls_ && enter_method(method);
  }
  void leave_plain(Method& method) noexcept { leave_method(method); }

  /// leave() must follow.
  bool try_enter(Method& method) noexcept {
    if (open_calls_.fetch_add(1, std::memory_order_relaxed) < max_calls_ && enter_method(method)) return true;
    open_calls_.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  void leave(Method& method) noexcept {
    open_calls_.fetch_sub(1, std::memory_order_relaxed);
    leave_method(method);
  }

  std::size_t open_calls() const noexcept { return open_calls_.load(std::memory_order_relaxed); }
  /// Why a call of `method` was just refused: resource_exhausted.
  Status refusal(const Method& method) const;

 private:
  static bool enter_method(Method& method) noexcept {
    const std::size_t limit = method.options.max_concurrent_calls;
    if (limit == 0 || method.open_calls.fetch_add(1, std::memory_order_relaxed) < limit) return true;
    method.open_calls.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }
  static void leave_method(Method& method) noexcept {
    if (method.options.max_concurrent_calls != 0) method.open_calls.fetch_sub(1, std::memory_order_relaxed);
  }

  const std::size_t max_calls_;
  std::atomic<std::size_t> open_calls_{0};
};

}  // namespace trunkline::server
