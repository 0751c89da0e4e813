// SPDX-License-Identifier: MIT
// Base64 (RFC 4648 section 4), with and without padding.
#pragma once

#include <trunkline/slice.h>

#include <optional>
#include <string_view>
#include <vector>

namespace trunkline::codec {

/// Padded.
void append_base64(ByteSpan content, BufferWriter& out);
void append_unpadded_base64(ByteSpan content, BufferWriter& out);

/// Empty if the text has other characters, wrong padding, or non-zero unused bits in its last group.
std::optional<std::vector<std::byte>> decode_base64(std::string_view text);
/// Appends the content of a text that may have padding or not. False, and nothing appended, for what decode_base64()
/// refuses otherwise.
bool append_decoded_base64(std::string_view text, BufferWriter& out);

}  // namespace trunkline::codec
