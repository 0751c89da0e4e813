// SPDX-License-Identifier: MIT
// What both sides of the handshake of WebSocket share (RFC 6455, sections 1.3 and 4).
#pragma once

#include "http/http1/message_fields.h"
#include "http/http1/request_head.h"

#include <string>
#include <string_view>

namespace trunkline::session::websocket {

/// Names the native protocol, version 1, in binary messages. Where a message begins or ends means nothing.
inline constexpr std::string_view subprotocol = "trunkline.v1";
/// The version of WebSocket itself.
inline constexpr std::string_view websocket_version = "13";

/// What a server answers to the key of its client.
std::string accept_of(std::string_view key);

/// Whether the request asks for a WebSocket, be it rightly or not.
bool is_asked_for(const http::http1::RequestHead& head) noexcept;

/// True if one of the fields `lower_case` lists `wanted`.
bool lists(const http::http1::MessageFields& fields, std::string_view lower_case, std::string_view wanted) noexcept;
/// The same for a list. The case of letters counts only if `is_exact`.
bool lists(std::string_view list, std::string_view wanted, bool is_exact) noexcept;

/// The value of a field that must be there once; empty if it is not, or not once.
std::string_view only_value(const http::http1::MessageFields& fields, std::string_view lower_case) noexcept;

}  // namespace trunkline::session::websocket
