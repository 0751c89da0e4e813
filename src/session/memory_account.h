// SPDX-License-Identifier: MIT
// MemoryAccount: what the connections of one peer address hold of a MemoryBudget, against the address's share.
#pragma once

#include "session/memory_budget.h"
#include "session/memory_turn.h"

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace trunkline::session {

/// Thread-safe. MemoryShare counts here what it takes of the budget.
class MemoryAccount {
 public:
  /// The address may hold `percent` of the budget.
  MemoryAccount(const MemoryBudget& budget, std::size_t percent) noexcept
      : max_(budget.max_bytes() / 100 * percent), most_(max_ + (std::max(budget.short_for_all(), max_) - max_) / 2) {}
  MemoryAccount(const MemoryAccount&) = delete;
  MemoryAccount& operator=(const MemoryAccount&) = delete;

  std::size_t max_bytes() const noexcept { return max_; }
  std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }
  /// The share is used up: its long messages wait, except one at a time, and those of its connections that hold
  /// something get no new calls, and are not read while their messages wait for the application.
  bool is_used_up() const noexcept { return holds(max_); }
  /// A fair part or more of the share is held: when memory becomes short, this address has a part in it.
  bool is_large() const noexcept { return holds(max_ / 4); }
  /// So much more than the share is held that connections that hold nothing get no new calls either. Otherwise many
  /// of them could take what is left to other addresses.
  bool is_exceeded() const noexcept { return holds(most_); }
  void add(std::size_t bytes) noexcept { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void subtract(std::size_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  /// As in MemoryBudget.
  void add_room(std::size_t bytes) noexcept { room_.fetch_add(bytes, std::memory_order_relaxed); }
  void subtract_room(std::size_t bytes) noexcept { room_.fetch_sub(bytes, std::memory_order_relaxed); }
  /// A session begins or ceases to wait for room in the share.
  void add_waiting() noexcept { waiting_.fetch_add(1, std::memory_order_relaxed); }
  void subtract_waiting() noexcept { waiting_.fetch_sub(1, std::memory_order_relaxed); }
  bool has_waiting() const noexcept { return waiting_.load(std::memory_order_relaxed) > 0; }
  /// Adds `bytes` if the share has room for them.
  bool try_add(std::size_t bytes) noexcept { return try_add(bytes, max_); }
  /// The same for the request of a new call, which gets no room while the share is nearly used up.
  bool try_add_request(std::size_t bytes) noexcept { return try_add(bytes, max_ - max_ / 4); }
  /// Whose long message may exceed the share.
  MemoryTurn& message_turn() noexcept { return message_turn_; }
  /// Who may receive a long frame although the share is used up.
  MemoryTurn& frame_turn() noexcept { return frame_turn_; }

 private:
  bool try_add(std::size_t bytes, std::size_t limit) noexcept {
    std::size_t used = used_.load(std::memory_order_relaxed);
    do {
      if (bytes > limit || used > limit - bytes) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }

  bool holds(std::size_t bytes) const noexcept {
    const std::size_t all = used();
    return all >= bytes && all - std::min(all, room_.load(std::memory_order_relaxed)) >= bytes;
  }

  const std::size_t max_;
  /// Half way from the share to where no connection of any address gets new calls.
  const std::size_t most_;
  std::atomic<std::size_t> used_{0};
  std::atomic<std::size_t> room_{0};
  std::atomic<std::size_t> waiting_{0};
  MemoryTurn message_turn_;
  MemoryTurn frame_turn_;
};

}  // namespace trunkline::session
