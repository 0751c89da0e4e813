// SPDX-License-Identifier: MIT
// DecodeError: why a header block cannot be decoded.
#pragma once

#include <cstdint>
#include <string_view>

namespace trunkline::http::hpack {

/// The reason why a block cannot be decoded. Each error ends the connection with COMPRESSION_ERROR, because the tables
/// of both ends may differ from then on (RFC 9113, section 4.3).
enum class DecodeError : std::uint8_t {
  none,
  /// The block ends within a field.
  truncated,
  /// An integer is greater than 2^32 - 1 (RFC 7541, section 5.1).
  integer_overflow,
  /// An index is 0 or beyond both tables (section 2.3.3).
  bad_index,
  /// The Huffman code of a string is not complete or wrongly padded, or has EOS (section 5.2).
  bad_huffman,
  /// A size update stands behind a field (section 4.2).
  late_size_update,
  /// A size update exceeds the announced maximum (section 6.3).
  excessive_size_update,
  /// The announced maximum was lowered, and the block does not begin with a size update (section 4.2).
  missing_size_update,
};

constexpr std::string_view to_string(DecodeError error) noexcept {
  switch (error) {
    case DecodeError::none:
      return "no error";
    case DecodeError::truncated:
      return "header block ends within a field";
    case DecodeError::integer_overflow:
      return "integer in a header block exceeds 32 bits";
    case DecodeError::bad_index:
      return "index in a header block is in no table";
    case DecodeError::bad_huffman:
      return "string in a header block has an invalid huffman code";
    case DecodeError::late_size_update:
      return "table size update behind a field";
    case DecodeError::excessive_size_update:
      return "table size update exceeds the announced maximum";
    case DecodeError::missing_size_update:
      return "no table size update after the announced maximum was lowered";
  }
  return "unknown";
}

}  // namespace trunkline::http::hpack
