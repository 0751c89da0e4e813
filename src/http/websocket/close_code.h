// SPDX-License-Identifier: MIT
// CloseCode: why a WebSocket is closed, and the payload of the frame that says so (RFC 6455, sections 5.5.1 and 7.4).
#pragma once

#include <trunkline/slice.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::http::websocket {

/// A peer may send values outside the enumeration.
enum class CloseCode : std::uint16_t {
  normal = 1000,
  going_away = 1001,
  protocol_error = 1002,
  unsupported_data = 1003,
  /// Never sent: the peer's frame has none.
  no_code = 1005,
  invalid_payload = 1007,
  policy_violation = 1008,
  message_too_big = 1009,
  internal_error = 1011,
};

/// True for a code that a frame may have: registered ones, and those of libraries and applications (3000 to 4999).
bool may_be_sent(CloseCode code) noexcept;

/// What a close frame says.
struct CloseReason {
  CloseCode code = CloseCode::no_code;
  /// A view of the payload, UTF-8.
  std::string_view text{};
  /// Ok is `normal`. Otherwise the payload is malformed, and the connection fails with this code.
  CloseCode error = CloseCode::normal;
};

/// `payload` is that of a close frame, without a mask.
CloseReason read_close(ByteSpan payload) noexcept;

/// The payload of a close frame; empty for `no_code`. Of `text`, which is UTF-8, as much is sent as has room.
std::string close_payload(CloseCode code, std::string_view text);

}  // namespace trunkline::http::websocket
