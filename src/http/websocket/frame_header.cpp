// SPDX-License-Identifier: MIT
// FrameHeader: the three forms of the length.
#include "http/websocket/frame_header.h"

namespace trunkline::http::websocket {

std::size_t FrameHeader::write(std::byte* out) const noexcept {
  constexpr unsigned last_of_message = 0x80;
  constexpr unsigned masked = 0x80;
  const std::size_t whole = size();
  const std::size_t length_bytes = whole - 2 - (is_masked ? Mask::key_bytes : 0);
  const unsigned short_length = length_bytes == 0 ? static_cast<unsigned>(length) : length_bytes == 2 ? 126U : 127U;
  out[0] = static_cast<std::byte>(last_of_message | static_cast<unsigned>(opcode));
  out[1] = static_cast<std::byte>((is_masked ? masked : 0U) | short_length);
  for (std::size_t i = 0; i < length_bytes; ++i) {
    out[2 + i] = static_cast<std::byte>(length >> 8 * (length_bytes - 1 - i));
  }
  if (is_masked) mask.write_key(out + 2 + length_bytes);
  return whole;
}

}  // namespace trunkline::http::websocket
