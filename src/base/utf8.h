// SPDX-License-Identifier: MIT
// Whether bytes are UTF-8, and where its characters end.
#pragma once

#include <cstddef>
#include <string_view>

namespace trunkline::base {

/// True for well-formed UTF-8 (no overlong forms, no surrogates, nothing above U+10FFFF), the empty text included.
bool is_utf8(std::string_view text) noexcept;

/// Size of the well-formed character at the start of `text`, which is not empty; 0 if there is none.
std::size_t utf8_character_size(std::string_view text) noexcept;

/// C0 and DEL.
constexpr bool is_ascii_control(unsigned char byte) noexcept { return byte < 0x20 || byte == 0x7F; }

constexpr bool is_utf8_continuation(unsigned char byte) noexcept { return (byte & 0xC0) == 0x80; }

}  // namespace trunkline::base
