// SPDX-License-Identifier: MIT
// Frames of WebSocket as a peer may send them, right or wrong.
#pragma once

#include "http/websocket/mask.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::http::websocket {

/// What may be wrong with a frame is a member.
struct FrameOfText {
  unsigned opcode = 2;
  std::string payload{};
  bool is_last = true;
  bool is_masked = true;
  unsigned reserved_bits = 0;
  /// Bytes of the length: 0, 2 or 8; -1: as few as it needs.
  int length_bytes = -1;
  std::string key = "\x11\x22\x33\x44";

  std::string bytes() const {
    const std::uint64_t size = payload.size();
    const int needed = size < 126 ? 0 : size <= 0xFFFF ? 2 : 8;
    const int used = length_bytes < 0 ? needed : length_bytes;
    const unsigned short_length = used == 0 ? static_cast<unsigned>(size) : used == 2 ? 126 : 127;
    std::string out;
    out += static_cast<char>((is_last ? 0x80 : 0) | reserved_bits << 4 | opcode);
    out += static_cast<char>((is_masked ? 0x80 : 0) | short_length);
    for (int i = used - 1; i >= 0; --i) out += static_cast<char>(size >> 8 * i);
    if (is_masked) out += key;
    for (std::size_t i = 0; i < payload.size(); ++i) {
      out += static_cast<char>(is_masked ? payload[i] ^ key[i % key.size()] : payload[i]);
    }
    return out;
  }
};

inline std::string masked(unsigned opcode, std::string_view payload, bool is_last = true) {
  return FrameOfText{.opcode = opcode, .payload = std::string(payload), .is_last = is_last}.bytes();
}

inline std::string plain(unsigned opcode, std::string_view payload, bool is_last = true) {
  return FrameOfText{.opcode = opcode, .payload = std::string(payload), .is_last = is_last, .is_masked = false}.bytes();
}

}  // namespace trunkline::http::websocket
