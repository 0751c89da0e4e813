// SPDX-License-Identifier: MIT
// Looks a name up in the static table.
#include "http/hpack/static_table.h"
#include "http/hpack/name_hash.h"

namespace trunkline::http::hpack {
namespace {

constexpr std::size_t slot_count = 256;

/// The indices by hash, with linear probing; 0 is an empty slot.
constexpr std::array<std::uint8_t, slot_count> name_slots = [] {
  std::array<std::uint8_t, slot_count> slots{};
  for (std::uint8_t index = 1; index <= static_table_size; ++index) {
    if (static_table[index].name == static_table[index - 1U].name) continue;
    std::size_t slot = name_hash(static_table[index].name) % slot_count;
    while (slots[slot] != 0) slot = (slot + 1) % slot_count;
    slots[slot] = index;
  }
  return slots;
}();

}  // namespace

std::uint32_t find_static_name(std::string_view name) noexcept {
  for (std::size_t slot = name_hash(name) % slot_count; name_slots[slot] != 0; slot = (slot + 1) % slot_count) {
    if (static_table[name_slots[slot]].name == name) return name_slots[slot];
  }
  return 0;
}

}  // namespace trunkline::http::hpack
