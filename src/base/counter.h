// SPDX-License-Identifier: MIT
// Counter: a number that one thread changes and any thread may read.
#pragma once

#include <atomic>
#include <cstdint>

namespace trunkline::base {

/// One thread at a time calls add(). Neither function needs a locked instruction.
class Counter {
 public:
  void add(std::int64_t by = 1) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + static_cast<std::uint64_t>(by), std::memory_order_relaxed);
  }
  std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

}  // namespace trunkline::base
