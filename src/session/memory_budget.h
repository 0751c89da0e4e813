// SPDX-License-Identifier: MIT
// MemoryBudget: the memory that all connections of a server or channel hold for their peers, against one limit.
#pragma once

#include "session/memory_turn.h"

#include <atomic>
#include <cstddef>

namespace trunkline::session {

/// Thread-safe. The sessions keep accounts of their own (MemoryShare) and come here in large steps. The last quarter is
/// a reserve for one long message at a time, so that some message can always be completed: it is given even if other
/// messages, which wait for room with what has come of them, have used it up. The second half is for calls that have
/// begun.
class MemoryBudget {
 public:
  /// At least four messages of `longest_message` bytes have room, whatever `max_bytes` says.
  MemoryBudget(std::size_t max_bytes, std::size_t longest_message) noexcept
      : max_(max_bytes / 4 < longest_message ? 4 * longest_message : max_bytes) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  std::size_t max_bytes() const noexcept { return max_; }
  std::size_t used() const noexcept { return used_.load(std::memory_order_relaxed); }
  /// The part of used() for which bytes have come, or are to be sent. The rest is room for messages.
  std::size_t held() const noexcept {
    const std::size_t all = used();
    const std::size_t room = room_.load(std::memory_order_relaxed);
    return all > room ? all - room : 0;
  }
  /// New calls have to wait or are refused. What peers have only announced does not keep others from calling.
  bool is_short() const noexcept { return held() > max_ / 2; }
  /// So are those of connections that hold nothing.
  bool is_short_for_all() const noexcept { return held() > short_for_all(); }
  std::size_t short_for_all() const noexcept { return max_ - max_ / 8; }
  bool is_used_up() const noexcept { return held() >= max_; }

  void add(std::size_t bytes) noexcept { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void subtract(std::size_t bytes) noexcept { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  /// `bytes` that were added are room for messages that have yet to come, or no longer are.
  void add_room(std::size_t bytes) noexcept { room_.fetch_add(bytes, std::memory_order_relaxed); }
  void subtract_room(std::size_t bytes) noexcept { room_.fetch_sub(bytes, std::memory_order_relaxed); }
  /// A session begins or ceases to wait for room.
  void add_waiting() noexcept { waiting_.fetch_add(1, std::memory_order_relaxed); }
  void subtract_waiting() noexcept { waiting_.fetch_sub(1, std::memory_order_relaxed); }
  bool has_waiting() const noexcept { return waiting_.load(std::memory_order_relaxed) > 0; }
  /// Adds `bytes` if all but the reserve has room for them.
  bool try_add(std::size_t bytes) noexcept { return try_add(bytes, max_ - max_ / 4); }
  /// Adds `bytes` for the request of a new call. It gets room only while far less than half is used: handlers keep
  /// their requests, and at half new calls would be refused instead of waiting.
  bool try_add_request(std::size_t bytes) noexcept { return try_add(bytes, max_ / 16 * 6); }
  /// The same for a request that has waited so long that handlers may be waiting for it.
  bool try_add_late_request(std::size_t bytes) noexcept { return try_add(bytes, max_ / 16 * 7); }
  /// Adds `bytes` if the reserve is free, also beyond the limit. It then belongs to `owner` until free_reserve().
  bool try_add_from_reserve(std::size_t bytes, const void* owner) noexcept {
    if (!reserve_.try_take(owner)) return false;
    add(bytes);
    return true;
  }
  void free_reserve(const void* owner) noexcept { reserve_.free(owner); }
  /// Who may receive a long frame although all is used up.
  MemoryTurn& frame_turn() noexcept { return frame_turn_; }

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
  std::atomic<std::size_t> room_{0};
  std::atomic<std::size_t> waiting_{0};
  MemoryTurn reserve_;
  MemoryTurn frame_turn_;
};

}  // namespace trunkline::session
