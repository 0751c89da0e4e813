// SPDX-License-Identifier: MIT
// Cuts and cleans UTF-8.
#include "wire/text.h"

#include "base/utf8.h"

#include <cstring>

namespace trunkline::wire {

std::string_view utf8_prefix(std::string_view text, std::size_t limit) noexcept {
  if (text.size() <= limit) return text;
  std::size_t size = limit;
  // A character has at most three continuation bytes; a longer run of them is no UTF-8 and may be cut anywhere.
  while (size > 0 && limit - size < 3 && base::is_utf8_continuation(static_cast<unsigned char>(text[size]))) --size;
  if (base::is_utf8_continuation(static_cast<unsigned char>(text[size]))) size = limit;
  return text.substr(0, size);
}

void copy_as_utf8(std::string_view text, std::byte* out) noexcept {
  while (!text.empty()) {
    const std::size_t size = base::utf8_character_size(text);
    if (size == 0) {
      *out++ = std::byte{'?'};
      text.remove_prefix(1);
    } else {
      std::memcpy(out, text.data(), size);
      out += size;
      text.remove_prefix(size);
    }
  }
}

std::string escape_controls(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  const auto escape = [&](char byte) {
    const auto value = static_cast<unsigned char>(byte);
    out += "\\x";
    out += digits[value >> 4];
    out += digits[value & 15];
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    // C1 is U+0080 to U+009F, which is C2 80 to C2 9F.
    const bool is_c1 = byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (is_c1) {
      escape(text[i]);
      escape(text[++i]);
    } else if (base::is_ascii_control(byte)) {
      escape(text[i]);
    } else {
      if (byte == '\\') out += '\\';
      out += text[i];
    }
  }
  return out;
}

}  // namespace trunkline::wire
