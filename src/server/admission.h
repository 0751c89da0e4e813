// SPDX-License-Identifier: MIT
// Admission: how many calls a server and its methods may have open at once.
#pragma once

#include "server/method.h"

#include <trunkline/status.h>

#include <atomic>
#include <cstddef>
#include <utility>

namespace trunkline::server {

/// The permission of one call to be open: the call counts against the limits until the permit is destroyed. Any thread.
/// The method and the Admission must outlive it. Empty: the call was refused.
class CallPermit {
 public:
  CallPermit() noexcept = default;
  CallPermit(CallPermit&& other) noexcept
      : method_(std::exchange(other.method_, nullptr)), open_calls_(std::exchange(other.open_calls_, nullptr)) {}
  CallPermit& operator=(CallPermit&& other) noexcept {
    CallPermit old(std::move(*this));
    method_ = std::exchange(other.method_, nullptr);
    open_calls_ = std::exchange(other.open_calls_, nullptr);
    return *this;
  }
  ~CallPermit() {
    if (open_calls_ != nullptr) open_calls_->fetch_sub(1, std::memory_order_relaxed);
    if (method_ != nullptr && method_->options.max_concurrent_calls != 0) {
      method_->open_calls.fetch_sub(1, std::memory_order_relaxed);
    }
  }

  explicit operator bool() const noexcept { return method_ != nullptr; }

 private:
  friend class Admission;
  CallPermit(Method& method, std::atomic<std::size_t>* open_calls) noexcept
      : method_(&method), open_calls_(open_calls) {}

  Method* method_ = nullptr;
  /// The server's count; null if the call is not in it.
  std::atomic<std::size_t>* open_calls_ = nullptr;
};

/// Thread-safe. Every limit on the number of open calls is checked here, except that of a connection, which the session
/// announces to its peer and enforces. A further limit is a counter here and its share in CallPermit.
class Admission {
 public:
  explicit Admission(std::size_t max_calls) noexcept : max_calls_(max_calls) {}
  Admission(const Admission&) = delete;
  Admission& operator=(const Admission&) = delete;

  /// For a call that ends before its loop does anything else. The server's count is compared but not raised, which
  /// saves two atomic operations per call.
  CallPermit admit_plain(Method& method) noexcept {
    if (open_calls_.load(std::memory_order_relaxed) >= max_calls_ || !enter_method(method)) return {};
    return {method, nullptr};
  }
  CallPermit admit(Method& method) noexcept {
    if (open_calls_.fetch_add(1, std::memory_order_relaxed) < max_calls_ && enter_method(method)) {
      return {method, &open_calls_};
    }
    open_calls_.fetch_sub(1, std::memory_order_relaxed);
    return {};
  }

  /// True if the next call of `method` would be admitted.
  bool has_room_for(const Method& method) const noexcept {
    const std::size_t limit = method.options.max_concurrent_calls;
    return open_calls_.load(std::memory_order_relaxed) < max_calls_ &&
           (limit == 0 || method.open_calls.load(std::memory_order_relaxed) < limit);
  }
  /// Why a call of `method` was refused just now: resource_exhausted, with the limit.
  Status refusal(const Method& method) const;

 private:
  static bool enter_method(Method& method) noexcept {
    const std::size_t limit = method.options.max_concurrent_calls;
    if (limit == 0 || method.open_calls.fetch_add(1, std::memory_order_relaxed) < limit) return true;
    method.open_calls.fetch_sub(1, std::memory_order_relaxed);
    return false;
  }

  const std::size_t max_calls_;
  std::atomic<std::size_t> open_calls_{0};
};

}  // namespace trunkline::server
