// SPDX-License-Identifier: MIT
// CallTable: open calls by id, in an open-addressed table.
#pragma once

#include "session/call_state.h"

#include <bit>
#include <cstddef>
#include <vector>

namespace trunkline::session {

/// Does not own the states.
class CallTable {
 public:
  CallState* find(CallId id) const noexcept {
    if (size_ == 0) return nullptr;
    for (std::size_t i = home_of(id);; i = (i + 1) & mask_) {
      CallState* state = slots_[i];
      if (state == nullptr || state->id == id) return state;
    }
  }
  void insert(CallState* state) {
    if ((size_ + 1) * 2 > slots_.size()) grow();
    place(state);
    ++size_;
  }
  /// `state` must be in the table.
  void erase(const CallState* state) noexcept {
    std::size_t hole = home_of(state->id);
    while (slots_[hole] != state) hole = (hole + 1) & mask_;
    slots_[hole] = nullptr;
    --size_;
    // Entries behind the hole that were pushed past it move up, so that a search never stops short.
    for (std::size_t i = (hole + 1) & mask_; slots_[i] != nullptr; i = (i + 1) & mask_) {
      const std::size_t home = home_of(slots_[i]->id);
      if (((i - home) & mask_) >= ((i - hole) & mask_)) {
        slots_[hole] = std::exchange(slots_[i], nullptr);
        hole = i;
      }
    }
  }
  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  /// Any entry; the table must not be empty.
  CallState* any() const noexcept {
    while (slots_[cursor_ & mask_] == nullptr) ++cursor_;
    return slots_[cursor_ & mask_];
  }
  template <class Function>
  void for_each(Function function) const {
    for (CallState* state : slots_) {
      if (state != nullptr) function(*state);
    }
  }

 private:
  /// Fibonacci hashing spreads ids that rise by one: kept together they would make one long run, which erase() walks.
  std::size_t home_of(CallId id) const noexcept {
    return static_cast<std::size_t>((std::uint64_t{id * 2654435769u}) >> shift_);
  }
  void place(CallState* state) noexcept {
    std::size_t i = home_of(state->id);
    while (slots_[i] != nullptr) i = (i + 1) & mask_;
    slots_[i] = state;
  }
  void grow() {
    std::vector<CallState*> old(slots_.empty() ? 16 : slots_.size() * 2, nullptr);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    shift_ = 32 - std::countr_zero(slots_.size());
    for (CallState* state : old) {
      if (state != nullptr) place(state);
    }
  }

  std::vector<CallState*> slots_;
  std::size_t mask_ = 0;
  int shift_ = 32;
  std::size_t size_ = 0;
  mutable std::size_t cursor_ = 0;
};

}  // namespace trunkline::session
