// SPDX-License-Identifier: MIT
// LEB128: unsigned integers in groups of seven bits, lowest first. Used for field sizes and for the size prefix of
// compressed messages.
#pragma once

#include <trunkline/slice.h>

#include <cstddef>
#include <cstdint>

namespace trunkline::wire {

/// The longest size of a field, and the longest size prefix of a compressed message (docs/wire.md, sections 3 and 7).
inline constexpr std::size_t field_size_bytes = 4;
inline constexpr std::size_t message_size_bytes = 5;

/// Returns the greatest value that fits into `bytes` bytes; for 1 to 9 bytes.
constexpr std::uint64_t leb128_limit(std::size_t bytes) noexcept { return (std::uint64_t{1} << (7 * bytes)) - 1; }

/// Returns how many bytes write_leb128() writes: 1 to 10.
constexpr std::size_t leb128_size(std::uint64_t value) noexcept {
  std::size_t size = 1;
  while (value >= 0x80) value >>= 7, ++size;
  return size;
}

/// Writes the shortest form; `out` has room for leb128_size(value) bytes. Returns how many were written.
inline std::size_t write_leb128(std::uint64_t value, std::byte* out) noexcept {
  std::size_t size = 0;
  for (; value >= 0x80; value >>= 7) out[size++] = static_cast<std::byte>(value | 0x80);
  out[size++] = static_cast<std::byte>(value);
  return size;
}

/// Reads an integer of at most `longest` (1 to 9) bytes from the start of `in`; it need not have the shortest form.
/// Returns the number of bytes read; 0 if it does not end within `longest` bytes or within `in`.
inline std::size_t read_leb128(ByteSpan in, std::size_t longest, std::uint64_t& value) noexcept {
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < longest && i < in.size(); ++i) {
    const auto group = std::to_integer<std::uint64_t>(in[i]);
    result |= (group & 0x7F) << (7 * i);
    if (group < 0x80) {
      value = result;
      return i + 1;
    }
  }
  return 0;
}

}  // namespace trunkline::wire
