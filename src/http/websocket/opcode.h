// SPDX-License-Identifier: MIT
// Opcode: the kind of a WebSocket frame (RFC 6455, section 5.2).
#pragma once

#include <cstddef>
#include <cstdint>

namespace trunkline::http::websocket {

enum class Opcode : std::uint8_t { continuation = 0, text = 1, binary = 2, close = 8, ping = 9, pong = 10 };

/// Returns true for control frames, which may stand between the fragments of a message.
constexpr bool is_control(Opcode opcode) noexcept { return (static_cast<std::uint8_t>(opcode) & 8) != 0; }

/// The longest control frame; a longer one is an error of the peer.
inline constexpr std::size_t max_control_bytes = 125;

}  // namespace trunkline::http::websocket
