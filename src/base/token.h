// SPDX-License-Identifier: MIT
// The characters of a token of HTTP (RFC 9110, section 5.6.2), of which the names of metadata are made, and the blanks
// around the texts of HTTP.
#pragma once

#include <array>
#include <string_view>

namespace trunkline::base {

/// The bytes that may stand in a token.
inline constexpr std::array<bool, 256> token_alphabet = [] {
  std::array<bool, 256> allowed{};
  for (unsigned char character :
       std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~")) {
    allowed[character] = true;
  }
  return allowed;
}();

constexpr bool is_token_character(char character) noexcept {
  return token_alphabet[static_cast<unsigned char>(character)];
}

/// Returns the lower-case form of an ASCII letter, and any other byte unchanged.
constexpr char ascii_lower(char character) noexcept {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a') : character;
}

/// Returns true for the characters that may stand around the values of fields.
constexpr bool is_blank(char character) noexcept { return character == ' ' || character == '\t'; }

/// Returns the text without the blanks around it.
constexpr std::string_view trim_blanks(std::string_view text) noexcept {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace trunkline::base
