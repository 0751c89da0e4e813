// SPDX-License-Identifier: MIT
// MemoryBudget: the memory that all connections of a server or channel hold for their peers, against one limit.
#pragma once

#include <atomic>
#include <cstddef>

namespace trunkline::session {

/// Thread-safe. The sessions keep accounts of their own (MemoryShare) and come here in large steps. The last quarter is
/// a reserve for one long message at a time, so that some message can always be completed; the second half is for calls
/// that have begun.
class MemoryBudget {
 public:
  /// At least four messages of `longest_message` bytes have room, whatever `max_bytes` says.
  MemoryBudget(std::size_t max_bytes, std::size_t longest_message) noexcept
      : max_(max_bytes / 4 < longest_message ? 4 * longest_message : max_bytes) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  std::size_t max_bytes() const noexcept { return max_; }
  std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }
  /// New calls have to wait or are refused.
  bool is_short() const noexcept { return used() > max_ / 2; }
  bool is_used_up() const noexcept { return used() >= max_; }

  void add(std::size_t bytes) noexcept { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void subtract(std::size_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  /// Adds `bytes` if all but the reserve has room for them.
  bool try_add(std::size_t bytes) noexcept { return try_add(bytes, max_ - max_ / 4); }
  /// Adds `bytes` if the reserve is free and has room for them. It then belongs to `owner` until free_reserve().
  bool try_add_from_reserve(std::size_t bytes, const void* owner) noexcept {
    const void* nobody = nullptr;
    if (!reserve_owner_.compare_exchange_strong(nobody, owner, std::memory_order_relaxed)) return false;
    if (try_add(bytes, max_)) return true;
    free_reserve();
    return false;
  }
  /// Needs to be called by the owner.
  void free_reserve() noexcept { reserve_owner_.store(nullptr, std::memory_order_relaxed); }

 private:
  bool try_add(std::size_t bytes, std::size_t limit) noexcept {
    std::size_t used = used_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit || used > limit - bytes) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }

  const std::size_t max_;
  std::atomic<std::size_t> used_{0};
  /// Null: the reserve is free.
  std::atomic<const void*> reserve_owner_{nullptr};
};

}  // namespace trunkline::session
