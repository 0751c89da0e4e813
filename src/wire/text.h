// SPDX-License-Identifier: MIT
// The kinds of text on the wire: names, which have small alphabets, and UTF-8.
#pragma once

#include "base/token.h"

#include <trunkline/slice.h>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace trunkline::wire {

/// The bytes that may stand in the name of a codec, compressor or feature.
inline constexpr std::array<bool, 256> name_alphabet = [] {
  std::array<bool, 256> allowed{};
  for (unsigned char letter : std::string_view("abcdefghijklmnopqrstuvwxyz0123456789-_.")) allowed[letter] = true;
  return allowed;
}();

/// The bytes that may stand in the name of a metadata entry: those of a token, in lower case.
inline constexpr std::array<bool, 256> metadata_name_alphabet = [] {
  std::array<bool, 256> allowed = base::token_alphabet;
  for (unsigned char letter = 'A'; letter <= 'Z'; ++letter) allowed[letter] = false;
  return allowed;
}();

/// Returns true for 1 to `longest` bytes of the alphabet.
inline bool is_name(std::string_view text, std::size_t longest,
                    const std::array<bool, 256>& alphabet = name_alphabet) noexcept {
  if (text.empty() || text.size() > longest) return false;
  bool good = true;
  for (char letter : text) good = good && alphabet[static_cast<unsigned char>(letter)];
  return good;
}

/// Returns the longest start of `text` of at most `limit` bytes that does not cut a character. `text` may be anything.
std::string_view utf8_prefix(std::string_view text, std::size_t limit) noexcept;

/// Copies `text` to `out` (room for text.size()), with '?' for every byte that is not part of well-formed UTF-8.
void copy_as_utf8(std::string_view text, std::byte* out) noexcept;

/// Returns a peer's text as it may stand in one line of a log or on a terminal: control characters (C0, DEL, C1) are
/// written as \xHH, byte by byte, and a backslash as two. `text` is UTF-8.
std::string escape_controls(std::string_view text);

}  // namespace trunkline::wire
