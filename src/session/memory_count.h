// SPDX-License-Identifier: MIT
// MemoryCount: counts bytes that are used against a limit, which of them are room for messages to come or belong to
// messages without room, and how many sessions wait for more.
#pragma once

#include <atomic>
#include <cstddef>

namespace trunkline::session {

/// MemoryBudget and MemoryAccount are such counts, each with a limit. The class is thread-safe.
class MemoryCount {
 public:
  explicit MemoryCount(std::size_t max_bytes) noexcept : max_(max_bytes) {}
  MemoryCount(const MemoryCount&) = delete;
  MemoryCount& operator=(const MemoryCount&) = delete;

  std::size_t max_bytes() const noexcept { return max_; }
  std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }
  /// Returns the part of used() for which bytes have come, or are to be sent. The rest is room for messages.
  std::size_t held() const noexcept {
    const std::size_t all = used();
    const std::size_t room = room_.load(std::memory_order_relaxed);
    return all > room ? all - room : 0;
  }
  /// Counts `bytes` even if they exceed the limit.
  void add(std::size_t bytes) noexcept { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void subtract(std::size_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  /// These two note that `bytes`, which were added before, are room for messages to come, or no longer are.
  void add_room(std::size_t bytes) noexcept { room_.fetch_add(bytes, std::memory_order_relaxed); }
  void subtract_room(std::size_t bytes) noexcept { room_.fetch_sub(bytes, std::memory_order_relaxed); }
  /// These two note that `bytes`, which were added before, have come of messages that wait for room, or wait no longer.
  void add_withheld(std::size_t bytes) noexcept { withheld_.fetch_add(bytes, std::memory_order_relaxed); }
  void subtract_withheld(std::size_t bytes) noexcept { withheld_.fetch_sub(bytes, std::memory_order_relaxed); }
  std::size_t withheld() const noexcept { return withheld_.load(std::memory_order_relaxed); }
  /// A session calls these two when it begins and when it ceases to wait for room.
  void add_waiting() noexcept { waiting_.fetch_add(1, std::memory_order_relaxed); }
  void subtract_waiting() noexcept { waiting_.fetch_sub(1, std::memory_order_relaxed); }
  bool has_waiting() const noexcept { return waiting_.load(std::memory_order_relaxed) > 0; }

 protected:
  ~MemoryCount() = default;

  /// Adds `bytes` if no more than `limit` bytes are used then. Returns false if nothing was added.
  bool try_add_within(std::size_t limit, std::size_t bytes) noexcept {
    std::size_t used = used_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit || used > limit - bytes) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }

 private:
  const std::size_t max_;
  std::atomic<std::size_t> used_{0};
  std::atomic<std::size_t> room_{0};
  std::atomic<std::size_t> withheld_{0};
  std::atomic<std::size_t> waiting_{0};
};

}  // namespace trunkline::session
