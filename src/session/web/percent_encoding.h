// SPDX-License-Identifier: MIT
// Percent-encoding: of the header grpc-message (gRPC's PROTOCOL-HTTP2.md, "Status-Message"), and in paths.
#pragma once

#include <trunkline/slice.h>

#include <string_view>

namespace trunkline::session::web {

/// True if the text holds a '%' or a byte outside 0x20 to 0x7E, so that its encoding differs from it.
bool needs_percent_encoding(std::string_view text) noexcept;

/// Appends at most three bytes for each one of `text`.
void append_percent_encoded(std::string_view text, BufferWriter& out);

/// Appends '%' and two digits.
void append_percent_encoded_byte(unsigned char byte, BufferWriter& out);

/// Appends the text that is encoded. What is not encoded as it should be is appended as it is.
void append_percent_decoded(std::string_view encoded, BufferWriter& out);

/// The byte that the first three characters of `text` encode: '%' and two hexadecimal digits; -1 if they do not.
int percent_encoded_byte(std::string_view text) noexcept;

}  // namespace trunkline::session::web
