// SPDX-License-Identifier: MIT
// Encodes and decodes base64 with tables.
#include <codec/base64.h>

#include <algorithm>
#include <array>

namespace trunkline::codec {
namespace {

constexpr std::string_view alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t no_digit = 0xFF;

constexpr std::array<std::uint8_t, 256> make_digits() {
  std::array<std::uint8_t, 256> digits{};
  digits.fill(no_digit);
  for (std::size_t i = 0; i < alphabet.size(); ++i) {
    digits[static_cast<unsigned char>(alphabet[i])] = static_cast<std::uint8_t>(i);
  }
  return digits;
}
constexpr std::array<std::uint8_t, 256> digits = make_digits();

}  // namespace

void append_base64(ByteSpan content, BufferWriter& out) {
  const std::size_t length = (content.size() + 2) / 3 * 4;
  MutableByteSpan room = out.prepare(length);
  std::size_t at = 0;
  for (std::size_t i = 0; i < content.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, content.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < have ? std::to_integer<std::uint32_t>(content[i + j]) : 0);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      const char digit = j <= have ? alphabet[group >> (18 - 6 * j) & 63] : '=';
      room[at++] = static_cast<std::byte>(digit);
    }
  }
  out.advance(length);
}

std::optional<std::vector<std::byte>> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  std::size_t padding = 0;
  while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
  text.remove_suffix(padding);

  std::vector<std::byte> content;
  content.reserve(text.size() * 3 / 4);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const std::uint8_t digit = digits[static_cast<unsigned char>(c)];
    if (digit == no_digit) return std::nullopt;
    bits = (bits << 6 | digit) & 0xFFFF;
    count += 6;
    if (count >= 8) {
      count -= 8;
      content.push_back(static_cast<std::byte>(bits >> count & 0xFF));
    }
  }
  if ((bits & ((1U << count) - 1)) != 0) return std::nullopt;
  return content;
}

}  // namespace trunkline::codec
