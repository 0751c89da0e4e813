// SPDX-License-Identifier: MIT
// is_utf8(): checks UTF-8 against table 3-7 of the Unicode standard.
#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace trunkline::base {

std::size_t utf8_character_size(std::string_view text) noexcept {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t size = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (size == 0 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if (!is_utf8_continuation(byte(i))) return 0;
  }
  // The second byte decides whether the form is overlong, a surrogate, or beyond the end of the code space.
  if (lead == 0xE0 && byte(1) < 0xA0) return 0;
  if (lead == 0xED && byte(1) > 0x9F) return 0;
  if (lead == 0xF0 && byte(1) < 0x90) return 0;
  if (lead == 0xF4 && byte(1) > 0x8F) return 0;
  return size;
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    std::uint64_t eight = 0;
    if (text.size() >= sizeof(eight)) {
      std::memcpy(&eight, text.data(), sizeof(eight));
      if ((eight & 0x8080808080808080) == 0) {
        text.remove_prefix(sizeof(eight));
        continue;
      }
    }
    const std::size_t size = utf8_character_size(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

}  // namespace trunkline::base
