// SPDX-License-Identifier: MIT
// Base64 (RFC 4648 section 4), padded.
#pragma once

#include <trunkline/slice.h>

#include <optional>
#include <string_view>
#include <vector>

namespace trunkline::codec {

void append_base64(ByteSpan content, BufferWriter& out);

/// Empty if the text has other characters, wrong padding, or non-zero unused bits in its last group.
std::optional<std::vector<std::byte>> decode_base64(std::string_view text);

}  // namespace trunkline::codec
