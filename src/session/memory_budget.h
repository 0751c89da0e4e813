// SPDX-License-Identifier: MIT
// MemoryBudget: the memory that all connections of a server or channel hold for their peers, against one limit.
#pragma once

#include "session/memory_count.h"
#include "session/memory_reservation.h"

#include <algorithm>
#include <cstddef>

namespace trunkline::session {

/// The class is thread-safe. The sessions keep accounts of their own (MemoryShare) and come here in large steps. The
/// last quarter is a reserve for one long message at a time, so that some message can always be completed. The reserve
/// is given even if the bytes that have come of waiting messages have used it up. The second half is for calls that
/// have begun.
class MemoryBudget : public MemoryCount {
 public:
  /// At least four messages of `longest_message` bytes have room, whatever `max_bytes` says.
  MemoryBudget(std::size_t max_bytes, std::size_t longest_message) noexcept
      : MemoryCount(max_bytes / 4 < longest_message ? 4 * longest_message : max_bytes) {}

  /// New calls have to wait or are refused. Bytes that peers have only announced do not keep others from calling.
  bool is_short() const noexcept { return held() > max_bytes() / 2; }
  /// Memory is so short that even connections that hold nothing get no new calls.
  bool is_short_for_all() const noexcept { return held() > short_for_all(); }
  std::size_t short_for_all() const noexcept { return max_bytes() - max_bytes() / 8; }
  bool is_used_up() const noexcept { return held() >= max_bytes(); }

  /// Adds `bytes` if all but the reserve has room for them.
  bool try_add(std::size_t bytes) noexcept { return try_add_within(most_of_messages(), bytes); }
  /// Adds `bytes` for the request of a new call. It gets room only while far less than half is used: handlers keep
  /// their requests, and at half new calls would be refused instead of waiting. Bytes that have come of waiting
  /// requests do not count, because they could otherwise keep all requests waiting.
  bool try_add_request(std::size_t bytes) noexcept { return try_add_beside_withheld(6, bytes); }
  /// Adds `bytes` for a request that has waited so long that handlers may be waiting for it. There is more room for it.
  bool try_add_late_request(std::size_t bytes) noexcept { return try_add_beside_withheld(7, bytes); }
  /// Adds `bytes`, even beyond the limit, if the reserve is free. It then belongs to `owner` until free_reserve().
  bool try_add_from_reserve(std::size_t bytes, const void* owner) noexcept {
    if (!reserve_.try_take(owner)) return false;
    add(bytes);
    return true;
  }
  void free_reserve(const void* owner) noexcept { reserve_.free(owner); }
  /// The owner of this reservation may receive a long frame although the whole budget is used up.
  MemoryReservation& frame_reservation() noexcept { return frame_reservation_; }

 private:
  std::size_t most_of_messages() const noexcept { return max_bytes() - max_bytes() / 4; }
  bool try_add_beside_withheld(std::size_t sixteenths, std::size_t bytes) noexcept {
    return try_add_within(std::min(max_bytes() / 16 * sixteenths + withheld(), most_of_messages()), bytes);
  }

  MemoryReservation reserve_;
  MemoryReservation frame_reservation_;
};

}  // namespace trunkline::session
