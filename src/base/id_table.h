// SPDX-License-Identifier: MIT
// IdTable: open calls or streams by id, in an open-addressed table.
#pragma once

#include "base/id_hash.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

namespace trunkline::base {

/// The table does not own its entries, which have a member `id`. Their positions depend on the seed, so nothing visible
/// may depend on the positions. An entry that comes and goes needs no memory.
template <class Entry>
class IdTable {
 public:
  explicit IdTable(const IdHash& hash = IdHash()) noexcept : hash_(hash) {}

  Entry* find(std::uint32_t id) const noexcept {
    if (size_ == 0) return nullptr;
    for (std::size_t i = home_of(id);; i = (i + 1) & mask_) {
      Entry* entry = slots_[i];
      if (entry == nullptr || entry->id == id) return entry;
    }
  }
  /// Makes room for one entry, so that the next insert() needs no memory.
  void make_room() {
    if ((size_ + 1) * 2 > slots_.size()) grow();
  }
  void insert(Entry* entry) {
    make_room();
    place(entry);
    ++size_;
  }
  /// `entry` must be in the table.
  void erase(const Entry* entry) noexcept {
    std::size_t hole = home_of(entry->id);
    while (slots_[hole] != entry) hole = (hole + 1) & mask_;
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
  /// Returns the entries for which `is_wanted(const Entry&)`, oldest first: ids rise modulo 2^32 up to `newest`.
  template <class Predicate>
  std::vector<Entry*> by_age(std::uint32_t newest, Predicate is_wanted) const {
    std::vector<Entry*> found;
    for (Entry* entry : slots_) {
      if (entry != nullptr && is_wanted(std::as_const(*entry))) found.push_back(entry);
    }
    std::sort(found.begin(), found.end(),
              [newest](const Entry* a, const Entry* b) { return newest - a->id > newest - b->id; });
    return found;
  }
  /// Calls `function` for all entries, in no particular order. It must not change the table, but may destroy the entry.
  template <class Function>
  void for_each(Function function) const {
    for (Entry* entry : slots_) {
      if (entry != nullptr) function(*entry);
    }
  }

 private:
  std::size_t home_of(std::uint32_t id) const noexcept { return hash_(id, shift_); }
  void place(Entry* entry) noexcept {
    std::size_t i = home_of(entry->id);
    while (slots_[i] != nullptr) i = (i + 1) & mask_;
    slots_[i] = entry;
  }
  void grow() {
    std::vector<Entry*> old(slots_.empty() ? 16 : slots_.size() * 2, nullptr);
    old.swap(slots_);
    mask_ = slots_.size() - 1;
    shift_ = 64 - std::countr_zero(slots_.size());
    for (Entry* entry : old) {
      if (entry != nullptr) place(entry);
    }
  }

  std::vector<Entry*> slots_;
  std::size_t mask_ = 0;
  IdHash hash_;
  std::size_t size_ = 0;
  int shift_ = 63;
};

}  // namespace trunkline::base
