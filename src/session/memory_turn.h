// SPDX-License-Identifier: MIT
// MemoryTurn: what one session at a time may do although memory is used up.
#pragma once

#include <atomic>

namespace trunkline::session {

/// The class is thread-safe. An owner is any address that belongs to the session alone.
class MemoryTurn {
 public:
  /// Returns true if it is `owner`'s turn now.
  bool try_take(const void* owner) noexcept {
    const void* current = nullptr;
    return owner_.compare_exchange_strong(current, owner, std::memory_order_relaxed) || current == owner;
  }
  /// Does nothing unless it is `owner`'s turn.
  void free(const void* owner) noexcept {
    const void* current = owner;
    owner_.compare_exchange_strong(current, nullptr, std::memory_order_relaxed);
  }

 private:
  /// The pointer is null while it is nobody's turn.
  std::atomic<const void*> owner_{nullptr};
};

}  // namespace trunkline::session
