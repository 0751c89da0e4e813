// SPDX-License-Identifier: MIT
// hash_of_key(): computes the hash by which calls of one key find one server.
#pragma once

#include <cstdint>
#include <string_view>

namespace trunkline::balance {

/// Hashes by FNV-1a (64 bits) and SplitMix64's final mix: alike on every machine, and similar keys lie far apart.
constexpr std::uint64_t hash_of_key(std::string_view key) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9u;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebu;
  return hash ^ (hash >> 31);
}

}  // namespace trunkline::balance
