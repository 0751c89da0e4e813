// SPDX-License-Identifier: MIT
// CloseCode: says why a WebSocket is closed, in the payload of a close frame (RFC 6455, sections 5.5.1 and 7.4).
#pragma once

#include <trunkline/slice.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace trunkline::http::websocket {

/// The code of a close. A peer may send values outside the enumeration.
enum class CloseCode : std::uint16_t {
  normal = 1000,
  going_away = 1001,
  protocol_error = 1002,
  unsupported_data = 1003,
  /// This code is never sent: it says that the peer's frame has none.
  no_code = 1005,
  invalid_payload = 1007,
  policy_violation = 1008,
  message_too_big = 1009,
  internal_error = 1011,
};

/// Returns true for a code that a frame may have: registered ones, and those of libraries and applications (3000-4999).
bool may_be_sent(CloseCode code) noexcept;

/// The code and the text of a close frame.
struct CloseReason {
  CloseCode code = CloseCode::no_code;
  /// The text in UTF-8, as a view of the payload.
  std::string_view text{};
  /// The outcome of reading. It is `normal` if the payload is right; otherwise the connection fails with this code.
  CloseCode error = CloseCode::normal;
};

/// Reads the `payload` of a close frame, without a mask.
CloseReason read_close(ByteSpan payload) noexcept;

/// Returns the payload of a close frame; empty for `no_code`. It has as much of `text`, which is UTF-8, as has room.
std::string close_payload(CloseCode code, std::string_view text);

}  // namespace trunkline::http::websocket
