// SPDX-License-Identifier: MIT
// Base64 (RFC 4648 section 4), with and without padding.
#pragma once

#include <trunkline/slice.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::codec {

/// Returns the length of the padded text of `size` bytes.
constexpr std::uint64_t base64_bytes(std::uint64_t size) noexcept { return (size + 2) / 3 * 4; }
/// Appends the padded text of the content.
void append_base64(ByteSpan content, BufferWriter& out);
void append_unpadded_base64(ByteSpan content, BufferWriter& out);

/// Returns nullopt if the text has other characters, wrong padding, or non-zero unused bits in its last group.
std::optional<std::vector<std::byte>> decode_base64(std::string_view text);
/// Appends the content of a text that may have padding or not. Returns false, with nothing appended, for any other text
/// that decode_base64() refuses.
bool append_decoded_base64(std::string_view text, BufferWriter& out);
/// Decodes a text in this alphabet or in that for URLs (section 5), with any unused bits, as protobuf's JSON has it. If
/// it returns false, the content is unspecified.
bool decode_any_base64(std::string_view text, std::string& content);

}  // namespace trunkline::codec
