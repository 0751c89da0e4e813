// SPDX-License-Identifier: MIT
// Makes whole frames of the types that carry no message: cancel, credit, ping, pong, goaway.
#pragma once

#include "wire/frame.h"

#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <array>
#include <string_view>

namespace trunkline::wire {

using PingValue = std::array<std::byte, ping_bytes>;

inline void append_header(const FrameHeader& header, BufferWriter& out) {
  write_header(header, out.prepare(header_bytes).data());
  out.advance(header_bytes);
}

/// Returns a whole frame that cancels a call. `code` is cancelled or deadline_exceeded.
constexpr FrameHeader cancel_frame(std::uint32_t call, StatusCode code) noexcept {
  return {.type = FrameType::cancel, .call = call, .number = static_cast<std::uint32_t>(code)};
}

/// Returns a whole frame that grants `bytes` (1 to 2^31 - 1) to a call, or to the connection as call 0.
constexpr FrameHeader credit_frame(std::uint32_t call, std::uint32_t bytes) noexcept {
  return {.type = FrameType::credit, .call = call, .number = bytes};
}

/// Returns the header of a ping. A PingValue must follow it.
constexpr FrameHeader ping_header() noexcept { return {.length = ping_bytes, .type = FrameType::ping}; }

/// Returns the header of a pong. The body of the ping must follow it.
constexpr FrameHeader pong_header() noexcept { return {.length = ping_bytes, .type = FrameType::pong}; }

/// Returns the value in the body of a ping or pong frame that check_header() has accepted.
inline PingValue read_ping(ByteSpan body) noexcept {
  PingValue value;
  std::memcpy(value.data(), body.data(), ping_bytes);
  return value;
}

/// Writes a goaway frame. `reason` is cut to 1024 bytes; bytes that are not UTF-8 become '?'.
void write_goaway(std::uint32_t last_call, StatusCode code, std::string_view reason, BufferWriter& out);

/// Reads the reason in the body of a goaway frame, as a view of it. Error: internal (not UTF-8).
Status read_goaway(ByteSpan body, std::string_view& reason);

}  // namespace trunkline::wire
