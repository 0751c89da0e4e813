// SPDX-License-Identifier: MIT
// sha1(): the hash that the handshake of WebSocket needs (RFC 3174). It protects nothing.
#pragma once

#include <trunkline/slice.h>

#include <array>
#include <cstddef>
#include <string_view>

namespace trunkline::http::websocket {

std::array<std::byte, 20> sha1(std::string_view text);

}  // namespace trunkline::http::websocket
