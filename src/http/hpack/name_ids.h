// SPDX-License-Identifier: MIT
// NameIds: tells the user of a decoder what fields are, without comparing text.
#pragma once

#include "http/hpack/static_table.h"

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace trunkline::http::hpack {

/// Gives ids to the names that the user knows, and kinds to fields by a function of the user. Immutable, so that the
/// decoders of all connections can share one.
class NameIds {
 public:
  /// Returns the kind of a field, as the user defines it. It is called once for each field that enters a table or
  /// cache, and for each literal that does neither.
  using Classify = std::uint8_t (*)(std::string_view name, std::string_view value) noexcept;

  /// Gives each name its position as the id, from 1. There are at most 127 names, which differ and whose characters
  /// live as long as this. Without the function every kind is 0.
  explicit NameIds(std::initializer_list<std::string_view> names, Classify function = nullptr);

  /// Returns the id of a name; 0 for a name that has none.
  std::uint8_t find(std::string_view name) const noexcept;
  std::uint8_t classify(std::string_view name, std::string_view value) const noexcept {
    return classify_ == nullptr ? std::uint8_t{0} : classify_(name, value);
  }
  /// Return the id and the kind of a field of the static table, without a search.
  std::uint8_t static_id(std::uint32_t index) const noexcept { return static_ids_[index]; }
  std::uint8_t static_kind(std::uint32_t index) const noexcept { return static_kinds_[index]; }

 private:
  static constexpr std::size_t slot_count = 512;

  std::vector<std::string_view> names_;
  // The ids by hash, with linear probing; 0 is an empty slot.
  std::array<std::uint8_t, slot_count> slots_{};
  std::array<std::uint8_t, static_table_size + 1> static_ids_{};
  std::array<std::uint8_t, static_table_size + 1> static_kinds_{};
  Classify classify_;
};

}  // namespace trunkline::http::hpack
