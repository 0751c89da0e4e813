// SPDX-License-Identifier: MIT
// MessagePrefix: the five bytes before each message, a flag and its length.
#pragma once

#include "http/http2/frame.h"

#include <cstddef>
#include <cstdint>

namespace trunkline::session::web {

inline constexpr std::size_t message_prefix_bytes = 5;
inline constexpr std::uint8_t compressed_flag = 1;

struct MessagePrefix {
  /// The flags are compressed_flag, or what a protocol has for the end of a stream.
  std::uint8_t flags = 0;
  /// This is the length of the message as it is sent, compressed or not.
  std::uint32_t length = 0;
};

/// Writes message_prefix_bytes to `out`.
inline void write_message_prefix(const MessagePrefix& prefix, std::byte* out) noexcept {
  out[0] = std::byte{prefix.flags};
  http::http2::store_uint32(out + 1, prefix.length);
}

}  // namespace trunkline::session::web
