// SPDX-License-Identifier: MIT
// Percent-encodes text, and reads encoded bytes.
#include "session/web/percent_encoding.h"

#include <algorithm>

namespace trunkline::session::web {
namespace {

constexpr bool stands_for_itself(char letter) noexcept { return letter >= 0x20 && letter <= 0x7E && letter != '%'; }

constexpr int hex_digit(char letter) noexcept {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'A' && letter <= 'F') return letter - 'A' + 10;
  if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
  return -1;
}

}  // namespace

bool needs_percent_encoding(std::string_view text) noexcept {
  return !std::all_of(text.begin(), text.end(), stands_for_itself);
}

void append_percent_encoded(std::string_view text, BufferWriter& out) {
  while (!text.empty()) {
    const auto plain =
        static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), stands_for_itself) - text.begin());
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) return;
    append_percent_encoded_byte(static_cast<unsigned char>(text.front()), out);
    text.remove_prefix(1);
  }
}

void append_percent_decoded(std::string_view encoded, BufferWriter& out) {
  for (std::size_t percent; (percent = encoded.find('%')) != encoded.npos;) {
    out.append(encoded.substr(0, percent));
    encoded.remove_prefix(percent);
    const int byte = percent_encoded_byte(encoded);
    out.push_back(byte < 0 ? std::byte{'%'} : static_cast<std::byte>(byte));
    encoded.remove_prefix(byte < 0 ? 1 : 3);
  }
  out.append(encoded);
}

void append_percent_encoded_byte(unsigned char byte, BufferWriter& out) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  const char encoded[3] = {'%', digits[byte >> 4], digits[byte & 15]};
  out.append(std::string_view(encoded, 3));
}

int percent_encoded_byte(std::string_view text) noexcept {
  if (text.size() < 3 || text[0] != '%') return -1;
  const int high = hex_digit(text[1]);
  const int low = hex_digit(text[2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

}  // namespace trunkline::session::web
