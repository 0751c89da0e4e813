// SPDX-License-Identifier: MIT
// The integers of HPACK: a prefix within the first byte, and continuation bytes (RFC 7541, section 5.1).
#pragma once

#include <cstddef>
#include <cstdint>

namespace trunkline::http::hpack {

enum class IntegerResult : std::uint8_t {
  complete,
  /// The bytes end within the integer.
  truncated,
  /// The integer is greater than 2^32 - 1, or has more than five continuation bytes.
  overflow,
};

/// The size of the longest integer: the prefix byte and five continuation bytes.
inline constexpr std::size_t max_integer_bytes = 6;

/// Reads an integer whose prefix is the low `prefix_bits` (1 to 8) of the byte at `at`, which is before `end`. Moves
/// `at` past it. `at` and `value` are unspecified unless the result is complete.
inline IntegerResult read_integer(const std::byte*& at, const std::byte* end, unsigned prefix_bits,
                                  std::uint32_t& value) noexcept {
  const std::uint32_t limit = (1U << prefix_bits) - 1;
  const std::uint32_t prefix = std::to_integer<std::uint32_t>(*at++) & limit;
  if (prefix < limit) [[likely]] {
    value = prefix;
    return IntegerResult::complete;
  }
  std::uint64_t sum = limit;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    if (at == end) return IntegerResult::truncated;
    const auto group = std::to_integer<std::uint64_t>(*at++);
    sum += (group & 0x7F) << shift;
    if (group < 0x80) {
      if (sum > UINT32_MAX) return IntegerResult::overflow;
      value = static_cast<std::uint32_t>(sum);
      return IntegerResult::complete;
    }
  }
  return IntegerResult::overflow;
}

/// Writes an integer in its shortest form. `pattern` holds the bits above the prefix. `out` has room for
/// max_integer_bytes. Returns the end of what was written.
inline std::byte* write_integer(std::uint32_t value, unsigned prefix_bits, std::uint8_t pattern,
                                std::byte* out) noexcept {
  const std::uint32_t limit = (1U << prefix_bits) - 1;
  if (value < limit) {
    *out++ = static_cast<std::byte>(pattern | value);
    return out;
  }
  *out++ = static_cast<std::byte>(pattern | limit);
  for (value -= limit; value >= 0x80; value >>= 7) *out++ = static_cast<std::byte>(value | 0x80);
  *out++ = static_cast<std::byte>(value);
  return out;
}

}  // namespace trunkline::http::hpack
