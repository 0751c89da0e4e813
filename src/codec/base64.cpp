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

/// Returns the values of the digits of both alphabets.
constexpr std::array<std::uint8_t, 256> make_any_digits() {
  std::array<std::uint8_t, 256> both = make_digits();
  both['-'] = 62;
  both['_'] = 63;
  return both;
}
constexpr std::array<std::uint8_t, 256> any_digits = make_any_digits();

std::string_view without_padding(std::string_view text) noexcept {
  for (int i = 0; i < 2 && !text.empty() && text.back() == '='; ++i) text.remove_suffix(1);
  return text;
}

constexpr std::size_t content_bytes(std::size_t digit_count) noexcept {
  return digit_count / 4 * 3 + digit_count % 4 * 3 / 4;
}

enum class UnusedBits : std::uint8_t { zero, any };

/// Writes content_bytes() of the text, which has no padding, even if it returns false.
bool decode_digits(std::string_view text, std::byte* out, const std::array<std::uint8_t, 256>& values = digits,
                   UnusedBits unused = UnusedBits::zero) noexcept {
  if (text.size() % 4 == 1) return false;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const std::uint8_t digit = values[static_cast<unsigned char>(c)];
    if (digit == no_digit) return false;
    bits = (bits << 6 | digit) & 0xFFFF;
    count += 6;
    if (count >= 8) {
      count -= 8;
      *out++ = static_cast<std::byte>(bits >> count & 0xFF);
    }
  }
  return unused == UnusedBits::any || (bits & ((1U << count) - 1)) == 0;
}

}  // namespace

void append_unpadded_base64(ByteSpan content, BufferWriter& out) {
  const std::size_t length = content.size() / 3 * 4 + (content.size() % 3 * 4 + 2) / 3;
  MutableByteSpan room = out.prepare(length);
  std::size_t at = 0;
  for (std::size_t i = 0; i < content.size(); i += 3) {
    const std::size_t have = std::min<std::size_t>(3, content.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < have ? std::to_integer<std::uint32_t>(content[i + j]) : 0);
    }
    for (std::size_t j = 0; j <= have; ++j) room[at++] = static_cast<std::byte>(alphabet[group >> (18 - 6 * j) & 63]);
  }
  out.advance(length);
}

void append_base64(ByteSpan content, BufferWriter& out) {
  append_unpadded_base64(content, out);
  out.append(std::string_view("==").substr(0, (3 - content.size() % 3) % 3));
}

std::optional<std::vector<std::byte>> decode_base64(std::string_view text) {
  if (text.size() % 4 != 0) return std::nullopt;
  text = without_padding(text);
  std::vector<std::byte> content(content_bytes(text.size()));
  if (!decode_digits(text, content.data())) return std::nullopt;
  return content;
}

bool decode_any_base64(std::string_view text, std::string& content) {
  const std::string_view unpadded = without_padding(text);
  if (unpadded.size() != text.size() && text.size() % 4 != 0) return false;
  content.resize(content_bytes(unpadded.size()));
  return decode_digits(unpadded, reinterpret_cast<std::byte*>(content.data()), any_digits, UnusedBits::any);
}

bool append_decoded_base64(std::string_view text, BufferWriter& out) {
  const std::string_view unpadded = without_padding(text);
  if (unpadded.size() != text.size() && text.size() % 4 != 0) return false;
  const std::size_t length = content_bytes(unpadded.size());
  if (!decode_digits(unpadded, out.prepare(length).data())) return false;
  out.advance(length);
  return true;
}

}  // namespace trunkline::codec
