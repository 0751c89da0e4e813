// SPDX-License-Identifier: MIT
// MemoryAccount: what the connections of one peer address hold of a MemoryBudget, against the address's share.
#pragma once

#include "session/memory_budget.h"
#include "session/memory_count.h"
#include "session/memory_reservation.h"

#include <algorithm>
#include <cstddef>

namespace trunkline::session {

/// The class is thread-safe. MemoryShare counts here what it takes of the budget.
class MemoryAccount : public MemoryCount {
 public:
  /// The address may hold `percent` of the budget.
  MemoryAccount(const MemoryBudget& budget, std::size_t percent) noexcept
      : MemoryCount(budget.max_bytes() / 100 * percent),
        most_(max_bytes() + (std::max(budget.short_for_all(), max_bytes()) - max_bytes()) / 2) {}

  /// The share is used up. The long messages of the address wait, except one at a time. Its connections that hold
  /// something get no new calls, and are not read while their messages wait for the application.
  bool is_used_up() const noexcept { return held() >= max_bytes(); }
  /// At least a quarter of the share is held, so the address has a part in it when memory becomes short.
  bool is_large() const noexcept { return held() >= max_bytes() / 4; }
  /// The share is exceeded by so much that connections that hold nothing get no new calls either. Otherwise many of
  /// them could take what is left to other addresses.
  bool is_exceeded() const noexcept { return held() >= most_; }
  /// Adds `bytes` if the share has room for them.
  bool try_add(std::size_t bytes) noexcept { return try_add_within(max_bytes(), bytes); }
  /// Adds `bytes` for the request of a new call if a quarter of the share stays free, not counting withheld bytes.
  bool try_add_request(std::size_t bytes) noexcept {
    return try_add_within(std::min(max_bytes() - max_bytes() / 4 + withheld(), max_bytes()), bytes);
  }
  /// The owner of this reservation may receive a long message that exceeds the share.
  MemoryReservation& message_reservation() noexcept { return message_reservation_; }
  /// The owner of this reservation may receive a long frame although the share is used up.
  MemoryReservation& frame_reservation() noexcept { return frame_reservation_; }

 private:
  /// This limit lies half way from the share to where no connection of any address gets new calls.
  const std::size_t most_;
  MemoryReservation message_reservation_;
  MemoryReservation frame_reservation_;
};

}  // namespace trunkline::session
