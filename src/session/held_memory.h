// SPDX-License-Identifier: MIT
// HeldMemory: memory that is counted in a budget as long as an object lives.
#pragma once

#include "session/memory_account.h"
#include "session/memory_budget.h"

#include <cstddef>
#include <memory>
#include <utility>

namespace trunkline::session {

/// HeldMemory counts, for instance, a handler's request. Any thread may use it. An empty object counts nothing.
class HeldMemory {
 public:
  HeldMemory() noexcept = default;
  /// Counts `bytes` even if the budget has no room for them. `budget` outlives the object; `account` may be null.
  HeldMemory(MemoryBudget& budget, std::shared_ptr<MemoryAccount> account, std::size_t bytes) noexcept
      : budget_(&budget), account_(std::move(account)), bytes_(bytes) {
    budget_->add(bytes_);
    if (account_ != nullptr) account_->add(bytes_);
  }
  HeldMemory(HeldMemory&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), account_(std::move(other.account_)), bytes_(other.bytes_) {}
  HeldMemory& operator=(HeldMemory&& other) noexcept {
    const HeldMemory old(std::move(*this));
    budget_ = std::exchange(other.budget_, nullptr);
    account_ = std::move(other.account_);
    bytes_ = other.bytes_;
    return *this;
  }
  ~HeldMemory() {
    if (budget_ == nullptr) return;
    budget_->subtract(bytes_);
    if (account_ != nullptr) account_->subtract(bytes_);
  }

 private:
  MemoryBudget* budget_ = nullptr;
  std::shared_ptr<MemoryAccount> account_;
  std::size_t bytes_ = 0;
};

}  // namespace trunkline::session
