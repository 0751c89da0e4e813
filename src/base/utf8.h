// SPDX-License-Identifier: MIT
// UTF-8: says whether bytes are well-formed, and where a character ends.
#pragma once

#include <cstddef>
#include <string_view>

namespace trunkline::base {

/// Returns true for well-formed UTF-8: no overlong forms, surrogates, or values above U+10FFFF. It may be empty.
bool is_utf8(std::string_view text) noexcept;

/// Returns the size in bytes of the character at the start of `text`, which is not empty; 0 if it is not well-formed.
std::size_t utf8_character_size(std::string_view text) noexcept;

/// Returns true for the C0 control characters and DEL.
constexpr bool is_ascii_control(unsigned char byte) noexcept { return byte < 0x20 || byte == 0x7F; }

constexpr bool is_utf8_continuation(unsigned char byte) noexcept { return (byte & 0xC0) == 0x80; }

}  // namespace trunkline::base
