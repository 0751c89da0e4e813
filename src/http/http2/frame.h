// SPDX-License-Identifier: MIT
// FrameHeader: the nine bytes before every frame's payload, and the rules that need no payload (RFC 9113, sections 4
// and 6).
#pragma once

#include "http/http2/frame_error.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trunkline::http::http2 {

/// The type of a frame. A peer may send values outside the enumeration; such frames are skipped.
enum class FrameType : std::uint8_t {
  data = 0,
  headers = 1,
  priority = 2,
  rst_stream = 3,
  settings = 4,
  push_promise = 5,
  ping = 6,
  goaway = 7,
  window_update = 8,
  continuation = 9,
};

/// Returns the name in the RFC, e.g. "WINDOW_UPDATE"; "unknown" for a value outside the enumeration.
std::string_view to_string(FrameType type) noexcept;

namespace flag {
/// DATA and HEADERS may have this flag.
inline constexpr std::uint8_t end_stream = 0x01;
/// SETTINGS and PING may have this flag.
inline constexpr std::uint8_t ack = 0x01;
/// HEADERS, PUSH_PROMISE and CONTINUATION may have this flag.
inline constexpr std::uint8_t end_headers = 0x04;
/// DATA, HEADERS and PUSH_PROMISE may have this flag.
inline constexpr std::uint8_t padded = 0x08;
/// HEADERS may have this flag.
inline constexpr std::uint8_t priority = 0x20;
}  // namespace flag

inline constexpr std::size_t frame_header_bytes = 9;
inline constexpr std::size_t ping_bytes = 8;
inline constexpr std::uint32_t max_stream_id = 0x7FFFFFFF;
/// The length that every endpoint accepts, and the most that SETTINGS_MAX_FRAME_SIZE can allow.
inline constexpr std::uint32_t min_max_frame_bytes = 16384;
inline constexpr std::uint32_t max_frame_bytes_limit = 0xFFFFFF;
/// The bytes that a client sends first, before its SETTINGS (section 3.4).
inline constexpr std::string_view client_preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

struct FrameHeader {
  /// The length of the payload in bytes, as 24 bits.
  std::uint32_t length = 0;
  FrameType type{};
  std::uint8_t flags = 0;
  /// The id of the stream, as 31 bits; 0 is the connection.
  std::uint32_t stream = 0;

  bool has(std::uint8_t flag) const noexcept { return (flags & flag) != 0; }
  bool operator==(const FrameHeader&) const = default;
};

/// Load and store big-endian integers, which need not be aligned in memory.
inline std::uint32_t load_uint32(const std::byte* in) noexcept {
  return std::to_integer<std::uint32_t>(in[0]) << 24 | std::to_integer<std::uint32_t>(in[1]) << 16 |
         std::to_integer<std::uint32_t>(in[2]) << 8 | std::to_integer<std::uint32_t>(in[3]);
}
inline void store_uint32(std::byte* out, std::uint32_t value) noexcept {
  out[0] = static_cast<std::byte>(value >> 24);
  out[1] = static_cast<std::byte>(value >> 16);
  out[2] = static_cast<std::byte>(value >> 8);
  out[3] = static_cast<std::byte>(value);
}

/// Reads frame_header_bytes. The reserved bit is ignored.
inline FrameHeader read_frame_header(const std::byte* in) noexcept {
  const std::uint32_t length_and_type = load_uint32(in);
  return {.length = length_and_type >> 8,
          .type = static_cast<FrameType>(length_and_type & 0xFF),
          .flags = std::to_integer<std::uint8_t>(in[4]),
          .stream = load_uint32(in + 5) & max_stream_id};
}

/// Writes a header. `out` has room for frame_header_bytes.
inline void write_frame_header(const FrameHeader& header, std::byte* out) noexcept {
  store_uint32(out, header.length << 8 | static_cast<std::uint32_t>(header.type));
  out[4] = static_cast<std::byte>(header.flags);
  store_uint32(out + 5, header.stream);
}

/// Applies every rule for lengths and stream ids that needs neither the payload nor the state of a stream. A frame of
/// unknown type is only too long or right. A frame with a stream error has to be skipped by its length; it carries no
/// part of a header block.
FrameError check_frame_header(const FrameHeader& header, std::uint32_t max_frame_bytes) noexcept;

}  // namespace trunkline::http::http2
