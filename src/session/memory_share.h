// SPDX-License-Identifier: MIT
// MemoryShare: what one session has taken of a MemoryBudget.
#pragma once

#include "session/memory_budget.h"

#include <cstddef>
#include <utility>

namespace trunkline::session {

/// For one thread. A session that holds little takes nothing, and more is taken in steps, so a busy session with short
/// messages seldom touches the budget. Without a budget there is no limit.
class MemoryShare {
 public:
  /// `budget` may be null, and outlives the object.
  explicit MemoryShare(MemoryBudget* budget) noexcept : budget_(budget) {}
  ~MemoryShare() {
    free_reserve();
    update(0);
  }
  MemoryShare(const MemoryShare&) = delete;
  MemoryShare& operator=(const MemoryShare&) = delete;

  /// The session holds `bytes` now, also if they are more than the budget has.
  void update(std::size_t bytes) noexcept {
    if (const std::size_t wanted = rounded(bytes); wanted != taken_) [[unlikely]]
      set(wanted);
  }
  /// Takes `bytes` for a message that is about to be received. update() counts them from then on.
  bool try_take(std::size_t bytes) noexcept {
    if (budget_ == nullptr || budget_->try_add(bytes)) return take(bytes);
    if (has_reserve_ || !budget_->try_add_from_reserve(bytes, this)) return false;
    has_reserve_ = true;
    return take(bytes);
  }
  /// No message for which try_take() took memory is unfinished.
  void free_reserve() noexcept {
    if (std::exchange(has_reserve_, false)) budget_->free_reserve();
  }

  std::size_t taken() const noexcept { return taken_; }
  bool is_limited() const noexcept { return budget_ != nullptr; }
  bool is_short() const noexcept { return budget_ != nullptr && budget_->is_short(); }
  bool is_used_up() const noexcept { return budget_ != nullptr && budget_->is_used_up(); }

 private:
  static constexpr std::size_t step = 64 << 10;
  /// A connection that holds no more is not counted.
  static constexpr std::size_t free_bytes = 16 << 10;

  static constexpr std::size_t rounded(std::size_t bytes) noexcept {
    return bytes <= free_bytes ? 0 : (bytes + step - 1) / step * step;
  }
  bool take(std::size_t bytes) noexcept {
    taken_ += bytes;
    return true;
  }
  void set(std::size_t wanted) noexcept {
    if (budget_ != nullptr) wanted > taken_ ? budget_->add(wanted - taken_) : budget_->subtract(taken_ - wanted);
    taken_ = wanted;
  }

  MemoryBudget* const budget_;
  std::size_t taken_ = 0;
  bool has_reserve_ = false;
};

}  // namespace trunkline::session
