// SPDX-License-Identifier: MIT
// Little-endian integers in memory, whatever the byte order of the machine.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>

namespace trunkline::wire {

/// Reads sizeof(T) bytes; `in` need not be aligned.
template <std::unsigned_integral T>
inline T load_little(const std::byte* in) noexcept {
  T value = 0;
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(&value, in, sizeof(T));
  } else {
    for (std::size_t i = 0; i < sizeof(T); ++i) value |= static_cast<T>(static_cast<T>(in[i]) << (8 * i));
  }
  return value;
}

/// Writes sizeof(T) bytes; `out` need not be aligned.
template <std::unsigned_integral T>
inline void store_little(std::byte* out, T value) noexcept {
  if constexpr (std::endian::native == std::endian::little) {
    std::memcpy(out, &value, sizeof(T));
  } else {
    for (std::size_t i = 0; i < sizeof(T); ++i) out[i] = static_cast<std::byte>(value >> (8 * i));
  }
}

}  // namespace trunkline::wire
