// SPDX-License-Identifier: MIT
// The hash of field names that the tables of fixed sets of names use.
#pragma once

#include <cstdint>
#include <string_view>

namespace trunkline::http::hpack {

/// Hashes the length and four characters of a name, which costs the same for every name. Names that differ elsewhere
/// share a hash, so it is only for sets to which a peer cannot add.
constexpr std::uint32_t name_hash(std::string_view name) noexcept {
  if (name.empty()) return 0;
  const auto at = [name](std::size_t index) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(name[index]));
  };
  const std::size_t size = name.size();
  const std::uint32_t characters = at(0) ^ at(size / 3) << 8 ^ at(size * 2 / 3) << 16 ^ at(size - 1) << 24;
  return (characters ^ static_cast<std::uint32_t>(size) * 0x85EBCA6BU) * 0x9E3779B1U >> 16;
}

}  // namespace trunkline::http::hpack
