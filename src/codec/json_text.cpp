// SPDX-License-Identifier: MIT
// Writes and reads the escapes of JSON.
#include <codec/json_text.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>

namespace trunkline::codec {
namespace {

/// Returns the letter after the backslash; 'u' for a control character without a short form, 0 for a character that
/// needs no escape.
constexpr char escape_of(char c) noexcept {
  switch (c) {
    case '"':
      return '"';
    case '\\':
      return '\\';
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return static_cast<unsigned char>(c) < 0x20 ? 'u' : '\0';
  }
}

/// Returns the value of four hexadecimal digits; nullopt for other text.
std::optional<unsigned> read_hex(std::string_view digits) noexcept {
  unsigned value = 0;
  if (digits.size() < 4) return std::nullopt;
  const char* const end = digits.data() + 4;
  return std::from_chars(digits.data(), end, value, 16).ptr == end ? std::optional(value) : std::nullopt;
}

/// Returns the half of a surrogate pair with whose escape the text begins; nullopt if it begins with something else.
std::optional<unsigned> surrogate_at(std::string_view text) noexcept {
  const std::optional<unsigned> unit = text.starts_with("\\u") ? read_hex(text.substr(2)) : std::nullopt;
  return unit && *unit >= 0xD800 && *unit <= 0xDFFF ? unit : std::nullopt;
}

}  // namespace

std::size_t plain_json_size(std::string_view text) noexcept {
  // Eight bytes at a time: the lowest byte whose high bit is set in `found` is the first of the three kinds.
  constexpr std::uint64_t ones = 0x0101010101010101;
  constexpr std::uint64_t high_bits = ones << 7;
  constexpr std::size_t word_bytes = std::endian::native == std::endian::little ? sizeof(std::uint64_t) : SIZE_MAX;
  std::size_t at = 0;
  for (; text.size() - at >= word_bytes; at += word_bytes) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data() + at, sizeof(eight));
    const auto zero_bytes = [](std::uint64_t word) { return (word - ones) & ~word; };
    const std::uint64_t controls = (eight - ones * 0x20) & ~eight;
    const std::uint64_t found =
        (controls | zero_bytes(eight ^ ones * '"') | zero_bytes(eight ^ ones * '\\')) & high_bits;
    if (found != 0) return at + static_cast<std::size_t>(std::countr_zero(found)) / 8;
  }
  while (at < text.size() && escape_of(text[at]) == '\0') ++at;
  return at;
}

void append_json_text(std::string_view content, BufferWriter& out) {
  static constexpr std::string_view hex = "0123456789abcdef";
  out.append("\"");
  for (;;) {
    const std::size_t plain = plain_json_size(content);
    out.append(content.substr(0, plain));
    if (plain == content.size()) break;
    const auto c = static_cast<unsigned char>(content[plain]);
    const char escape = escape_of(content[plain]);
    const char sequence[] = {'\\', escape, '0', '0', hex[c >> 4 & 15U], hex[c & 15U]};
    out.append(std::string_view(sequence, escape == 'u' ? 6 : 2));
    content.remove_prefix(plain + 1);
  }
  out.append("\"");
}

std::string replace_lone_surrogates(std::string_view json) {
  constexpr std::size_t escape_bytes = 6;
  constexpr unsigned first_low = 0xDC00;
  std::string out;
  out.reserve(json.size());
  while (!json.empty()) {
    const std::size_t plain = std::min(json.find('\\'), json.size());
    out.append(json.substr(0, plain));
    json.remove_prefix(plain);
    const std::optional<unsigned> unit = surrogate_at(json);
    const std::optional<unsigned> next = unit ? surrogate_at(json.substr(escape_bytes)) : std::nullopt;
    const bool is_pair = unit && next && *unit < first_low && *next >= first_low;
    const std::size_t taken = is_pair ? 2 * escape_bytes : unit ? escape_bytes : std::min<std::size_t>(2, json.size());
    out.append(unit && !is_pair ? std::string_view("\\ufffd") : json.substr(0, taken));
    json.remove_prefix(taken);
  }
  return out;
}

}  // namespace trunkline::codec
