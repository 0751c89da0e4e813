// SPDX-License-Identifier: MIT
// The Huffman code of HPACK's strings (RFC 7541, section 5.2 and appendix B).
#pragma once

#include <trunkline/slice.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace trunkline::http::hpack {

enum class HuffmanResult : std::uint8_t {
  complete,
  /// A code is cut off, the padding has more than 7 bits or a zero in it, or the symbol EOS occurs.
  malformed,
  /// The output has no room for the rest, which has not been looked at.
  too_long,
};

/// Returns the most bytes to which `encoded` bytes can decode, since the shortest code has five bits.
constexpr std::size_t max_decoded_bytes(std::size_t encoded) noexcept { return encoded * 8 / 5; }

/// Decodes a whole string. `size` is the number of bytes written to `out`; unspecified unless the result is complete.
HuffmanResult decode_huffman(ByteSpan encoded, std::span<char> out, std::size_t& size) noexcept;

/// Returns the number of bytes that encode_huffman() writes.
std::size_t huffman_size(std::string_view text) noexcept;

/// Encodes a text. `out` has room for huffman_size(text) bytes. Returns the end of what was written.
std::byte* encode_huffman(std::string_view text, std::byte* out) noexcept;

}  // namespace trunkline::http::hpack
