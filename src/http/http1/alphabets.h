// SPDX-License-Identifier: MIT
// The bytes that may stand in the parts of a message of HTTP/1.1 (RFC 9110, section 5.5; RFC 9112, section 3.2).
#pragma once

#include "base/token.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace trunkline::http::http1 {

/// Returns true for any byte but control characters; a tab is allowed. So are the bytes of RFC 9110's obs-text.
constexpr bool is_value_byte(unsigned char byte) noexcept { return byte == '\t' || (byte >= 0x20 && byte != 0x7F); }

using base::is_blank;

/// Returns true if all bytes may stand in the value of a field. It looks at eight bytes at a time.
inline bool is_value_text(std::string_view text) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101;
  constexpr std::uint64_t high_bits = 0x80 * ones;
  const auto has_less = [](std::uint64_t word, std::uint64_t limit) {
    return ((word - limit * ones) & ~word & high_bits) != 0;
  };
  const char* at = text.data();
  const char* const end = at + text.size();
  while (end - at >= 8) {
    std::uint64_t word;
    std::memcpy(&word, at, sizeof(word));
    if (has_less(word, 0x20) || has_less(word ^ (0x7F * ones), 1)) [[unlikely]] {
      for (int i = 0; i < 8; ++i) {
        if (!is_value_byte(static_cast<unsigned char>(at[i]))) return false;
      }
    }
    at += 8;
  }
  for (; at != end; ++at) {
    if (!is_value_byte(static_cast<unsigned char>(*at))) return false;
  }
  return true;
}

/// The bytes that may stand in the target of a request. They are more than the grammar of URIs allows, because people
/// type braces, quotes and letters beyond ASCII; but there are no spaces, control characters and fragments.
inline constexpr std::array<bool, 256> target_alphabet = [] {
  std::array<bool, 256> allowed{};
  for (unsigned byte = 0x21; byte < allowed.size(); ++byte) allowed[byte] = byte != 0x7F && byte != '#';
  return allowed;
}();

/// The bytes that may stand in the value of Host, which has no user, path, query or space.
inline constexpr std::array<bool, 256> host_alphabet = [] {
  std::array<bool, 256> allowed{};
  for (unsigned char byte :
       std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%!$&'()*+;=:[]")) {
    allowed[byte] = true;
  }
  return allowed;
}();

inline bool consists_of(std::string_view text, const std::array<bool, 256>& allowed) noexcept {
  for (const char character : text) {
    if (!allowed[static_cast<unsigned char>(character)]) return false;
  }
  return true;
}

/// Returns true for `uri-host [ ":" port ]` (RFC 9110, section 7.2). The host may be empty, and is not looked up.
inline bool is_host_and_port(std::string_view text) noexcept {
  if (!consists_of(text, host_alphabet)) return false;
  const bool is_literal = text.starts_with('[');
  const std::size_t end = is_literal ? text.find(']') : std::min(text.find(':'), text.size());
  if (end == std::string_view::npos) return false;
  std::string_view port = text.substr(is_literal ? end + 1 : end);
  const std::string_view name = text.substr(is_literal ? 1 : 0, is_literal ? end - 1 : end);
  if (name.find_first_of("[]") != std::string_view::npos || (is_literal && name.empty())) return false;
  if (port.empty()) return true;
  if (port[0] != ':') return false;
  port.remove_prefix(1);
  return port.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace trunkline::http::http1
