// SPDX-License-Identifier: MIT
// Bytes as hexadecimal text, as the specifications print them.
#pragma once

#include <trunkline/slice.h>

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::http {

/// Spaces are skipped.
inline std::vector<std::byte> from_hex(std::string_view text) {
  std::vector<std::byte> bytes;
  std::string pair;
  for (const char character : text) {
    if (character == ' ') continue;
    pair += character;
    if (pair.size() < 2) continue;
    bytes.push_back(static_cast<std::byte>(std::stoi(pair, nullptr, 16)));
    pair.clear();
  }
  return bytes;
}

inline std::string to_hex(ByteSpan bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

}  // namespace trunkline::http
