// SPDX-License-Identifier: MIT
// The check for UTF-8, quick for ASCII.
#include <codec/utf8.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace trunkline::codec {
namespace {

constexpr std::uint64_t high_bits = 0x8080808080808080U;

/// What a first byte demands: bytes in all (0: not a first byte), and the range of the second.
struct Lead {
  std::size_t length;
  unsigned char low;
  unsigned char high;
};

Lead lead_of(unsigned char first) noexcept {
  if (first < 0x80) return {1, 0, 0};
  if (first < 0xC2) return {0, 0, 0};
  if (first < 0xE0) return {2, 0x80, 0xBF};
  if (first < 0xF0)
    return {3, static_cast<unsigned char>(first == 0xE0 ? 0xA0 : 0x80),
            static_cast<unsigned char>(first == 0xED ? 0x9F : 0xBF)};
  if (first < 0xF5)
    return {4, static_cast<unsigned char>(first == 0xF0 ? 0x90 : 0x80),
            static_cast<unsigned char>(first == 0xF4 ? 0x8F : 0xBF)};
  return {0, 0, 0};
}

}  // namespace

bool is_utf8(std::string_view text) noexcept {
  std::size_t i = 0;
  while (i < text.size()) {
    if (text.size() - i >= sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, text.data() + i, sizeof word);
      if ((word & high_bits) == 0) {
        i += sizeof word;
        continue;
      }
    }
    const Lead lead = lead_of(static_cast<unsigned char>(text[i]));
    if (lead.length == 0 || lead.length > text.size() - i) return false;
    for (std::size_t j = 1; j < lead.length; ++j) {
      const auto next = static_cast<unsigned char>(text[i + j]);
      const unsigned char low = j == 1 ? lead.low : 0x80;
      const unsigned char high = j == 1 ? lead.high : 0xBF;
      if (next < low || next > high) return false;
    }
    i += lead.length;
  }
  return true;
}

}  // namespace trunkline::codec
