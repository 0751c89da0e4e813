// SPDX-License-Identifier: MIT
// CallTable: open calls by id, in an open-addressed table.
#pragma once

#include "session/id_hash.h"
#include "session/native/call_state.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

namespace trunkline::session::native {

/// Does not own the states. Their positions depend on the seed, so nothing visible may depend on the positions.
class CallTable {
 public:
  explicit CallTable(const IdHash& hash = IdHash()) noexcept : hash_(hash) {}

  CallState* find(CallId id) const noexcept {
    if (size_ == 0) return nullptr;
    for (std::size_t i = home_of(id);; i = (i + 1) & mask_) {
      CallState* state = slots_[i];
      if (state == nullptr || state->id == id) return state;
    }
  }
  /// insert() then needs no memory.
  void make_room() {
    if ((size_ + 1) * 2 > slots_.size()) grow();
  }
  void insert(CallState* state) {
    make_room();
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
  /// Those for which `is_wanted(const CallState&)`, oldest first: ids rise modulo 2^32 up to `newest`.
  template <class Predicate>
  std::vector<CallState*> by_age(CallId newest, Predicate is_wanted) const {
    std::vector<CallState*> found;
    for (CallState* state : slots_) {
      if (state != nullptr && is_wanted(std::as_const(*state))) found.push_back(state);
    }
    std::sort(found.begin(), found.end(),
              [newest](const CallState* a, const CallState* b) { return newest - a->id > newest - b->id; });
    return found;
  }
  /// In no particular order. `function` must not change the table, but may destroy the state.
  template <class Function>
  void for_each(Function function) const {
    for (CallState* state : slots_) {
      if (state != nullptr) function(*state);
    }
  }

 private:
  std::size_t home_of(CallId id) const noexcept { return hash_(id, shift_); }
  void place(CallState* state) noexcept {
    std::size_t i = home_of(state->id);
    while (slots_[i] != nullptr) i = (i + 1) & mask_;
    slots_[i] = state;
  }
  void grow() {
    std::vector<CallState*> old(slots_.empty() ? 16 : slots_.size() * 2, nullptr);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    shift_ = 64 - std::countr_zero(slots_.size());
    for (CallState* state : old) {
      if (state != nullptr) place(state);
    }
  }

  std::vector<CallState*> slots_;
  std::size_t mask_ = 0;
  IdHash hash_;
  std::size_t size_ = 0;
  int shift_ = 63;
};

}  // namespace trunkline::session::native
