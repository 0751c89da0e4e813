// SPDX-License-Identifier: MIT
// Strings of JSON (RFC 8259, section 7).
#pragma once

#include <trunkline/slice.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace trunkline::codec {

/// Returns how many bytes of the text come before a quotation mark, a backslash or a control character.
std::size_t plain_json_size(std::string_view text) noexcept;

/// Appends `content`, which is UTF-8, in quotation marks; only what cannot stand for itself is escaped.
void append_json_text(std::string_view content, BufferWriter& out);

/// Returns the text of JSON with the escape of U+FFFD in place of each escape that is half of a surrogate pair. Such a
/// text is not strict JSON, but writers whose strings are UTF-16, like those of JavaScript, make it.
std::string replace_lone_surrogates(std::string_view json);

}  // namespace trunkline::codec
