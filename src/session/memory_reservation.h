// SPDX-License-Identifier: MIT
// MemoryReservation: lets one session at a time go on although memory is used up.
#pragma once

#include <atomic>

namespace trunkline::session {

/// The class is thread-safe. An owner is any address that belongs to the session alone.
class MemoryReservation {
 public:
  /// Returns true if `owner` has the reservation now.
  bool try_take(const void* owner) noexcept {
    const void* current = nullptr;
    return owner_.compare_exchange_strong(current, owner, std::memory_order_relaxed) || current == owner;
  }
  /// Does nothing unless `owner` has the reservation.
  void free(const void* owner) noexcept {
    const void* current = owner;
    owner_.compare_exchange_strong(current, nullptr, std::memory_order_relaxed);
  }

 private:
  /// The pointer is null while nobody has the reservation.
  std::atomic<const void*> owner_{nullptr};
};

}  // namespace trunkline::session
