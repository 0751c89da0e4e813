// SPDX-License-Identifier: MIT
// FrameHeader: writes the header of a whole message or control frame (RFC 6455, section 5.2).
#pragma once

#include "http/websocket/mask.h"
#include "http/websocket/opcode.h"

#include <cstddef>
#include <cstdint>

namespace trunkline::http::websocket {

/// The size of a header with the longest length and a mask.
inline constexpr std::size_t max_frame_header_bytes = 14;

/// The header of a whole message. Messages are not fragmented: the frame is the last one of its message.
struct FrameHeader {
  Opcode opcode = Opcode::binary;
  std::uint64_t length = 0;
  /// Clients mask what they send, so it is true for them.
  bool is_masked = false;
  Mask mask{};

  std::size_t size() const noexcept {
    const std::size_t length_bytes = length < 126 ? 0 : length <= 0xFFFF ? 2 : 8;
    return 2 + length_bytes + (is_masked ? Mask::key_bytes : 0);
  }
  /// Writes the header. Needs size() bytes of room; returns size().
  std::size_t write(std::byte* out) const noexcept;
};

}  // namespace trunkline::http::websocket
