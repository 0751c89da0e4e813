// SPDX-License-Identifier: MIT
// Percent-encodes and decodes the header grpc-message (gRPC's PROTOCOL-HTTP2.md, "Status-Message") and paths.
#pragma once

#include <trunkline/slice.h>

#include <string_view>

namespace trunkline::session::web {

/// Returns true if the text holds a '%' or a byte outside 0x20 to 0x7E, so that its encoding differs from it.
bool needs_percent_encoding(std::string_view text) noexcept;

/// Appends the encoded text, which has at most three bytes for each one of `text`.
void append_percent_encoded(std::string_view text, BufferWriter& out);

/// Appends '%' and two digits.
void append_percent_encoded_byte(unsigned char byte, BufferWriter& out);

/// Appends the decoded text. Bytes that are not encoded as they should be are appended as they are.
void append_percent_decoded(std::string_view encoded, BufferWriter& out);

/// Returns the byte that the first three characters of `text` encode, '%' and two hexadecimal digits, or -1.
int percent_encoded_byte(std::string_view text) noexcept;

}  // namespace trunkline::session::web
