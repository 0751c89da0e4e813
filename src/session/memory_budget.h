// SPDX-License-Identifier: MIT
// MemoryBudget: the memory that all connections of a server or channel hold for their peers, against one limit.
#pragma once

#include "session/memory_count.h"
#include "session/memory_turn.h"

#include <algorithm>
#include <cstddef>

namespace trunkline::session {

/// Thread-safe. The sessions keep accounts of their own (MemoryShare) and come here in large steps. The last quarter is
/// a reserve for one long message at a time, so that some message can always be completed: it is given even if other
/// messages, which wait for room with what has come of them, have used it up. The second half is for calls that have
/// begun.
class MemoryBudget : public MemoryCount {
 public:
  /// At least four messages of `longest_message` bytes have room, whatever `max_bytes` says.
  MemoryBudget(std::size_t max_bytes, std::size_t longest_message) noexcept
      : MemoryCount(max_bytes / 4 < longest_message ? 4 * longest_message : max_bytes) {}

  /// New calls have to wait or are refused. What peers have only announced does not keep others from calling.
  bool is_short() const noexcept { return held() > max_bytes() / 2; }
  /// So are those of connections that hold nothing.
  bool is_short_for_all() const noexcept { return held() > short_for_all(); }
  std::size_t short_for_all() const noexcept { return max_bytes() - max_bytes() / 8; }
  bool is_used_up() const noexcept { return held() >= max_bytes(); }

  /// Adds `bytes` if all but the reserve has room for them.
  bool try_add(std::size_t bytes) noexcept { return try_add_within(most_of_messages(), bytes); }
  /// Adds `bytes` for the request of a new call. It gets room only while far less than half is used: handlers keep
  /// their requests, and at half new calls would be refused instead of waiting. What has come of requests that wait
  /// does not count, or else it could keep all of them waiting.
  bool try_add_request(std::size_t bytes) noexcept { return try_add_beside_withheld(6, bytes); }
  /// The same for a request that has waited so long that handlers may be waiting for it.
  bool try_add_late_request(std::size_t bytes) noexcept { return try_add_beside_withheld(7, bytes); }
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
  std::size_t most_of_messages() const noexcept { return max_bytes() - max_bytes() / 4; }
  bool try_add_beside_withheld(std::size_t sixteenths, std::size_t bytes) noexcept {
    return try_add_within(std::min(max_bytes() / 16 * sixteenths + withheld(), most_of_messages()), bytes);
  }

  MemoryTurn reserve_;
  MemoryTurn frame_turn_;
};

}  // namespace trunkline::session
