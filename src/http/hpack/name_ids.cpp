// SPDX-License-Identifier: MIT
// NameIds: makes and searches the table of names.
#include "http/hpack/name_ids.h"
#include "http/hpack/name_hash.h"

namespace trunkline::http::hpack {

NameIds::NameIds(std::initializer_list<std::string_view> names, Classify function)
    : names_(names), classify_(function) {
  for (std::size_t position = 0; position < names_.size(); ++position) {
    std::size_t slot = name_hash(names_[position]) % slot_count;
    while (slots_[slot] != 0) slot = (slot + 1) % slot_count;
    slots_[slot] = static_cast<std::uint8_t>(position + 1);
  }
  for (std::uint32_t index = 1; index <= static_table_size; ++index) {
    static_ids_[index] = find(static_table[index].name);
    static_kinds_[index] = classify(static_table[index].name, static_table[index].value);
  }
}

std::uint8_t NameIds::find(std::string_view name) const noexcept {
  for (std::size_t slot = name_hash(name) % slot_count; slots_[slot] != 0; slot = (slot + 1) % slot_count) {
    if (names_[slots_[slot] - 1U] == name) return slots_[slot];
  }
  return 0;
}

}  // namespace trunkline::http::hpack
