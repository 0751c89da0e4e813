// SPDX-License-Identifier: MIT
// Both sides of the handshake of WebSocket share what is here (RFC 6455, sections 1.3 and 4).
#pragma once

#include "http/http1/message_fields.h"
#include "http/http1/request_head.h"

#include <string>
#include <string_view>

namespace trunkline::session::websocket {

/// Names the native protocol, version 1, in binary messages. The bounds of messages mean nothing.
inline constexpr std::string_view subprotocol = "trunkline.v1";
/// This is the version of WebSocket itself.
inline constexpr std::string_view websocket_version = "13";

/// Returns what a server answers to the key of its client.
std::string accept_of(std::string_view key);

/// Returns whether the request asks for a WebSocket, rightly or wrongly.
bool is_asked_for(const http::http1::RequestHead& head) noexcept;

/// Returns true if one of the fields `lower_case` lists `wanted`.
bool lists(const http::http1::MessageFields& fields, std::string_view lower_case, std::string_view wanted) noexcept;
/// Returns true if `list` has the entry `wanted`. The case of letters counts only if `is_exact`.
bool lists(std::string_view list, std::string_view wanted, bool is_exact) noexcept;

/// Returns the value of a field that must come once, or nothing if it is missing or comes more often.
std::string_view only_value(const http::http1::MessageFields& fields, std::string_view lower_case) noexcept;

}  // namespace trunkline::session::websocket
