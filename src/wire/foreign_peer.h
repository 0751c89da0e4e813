// SPDX-License-Identifier: MIT
// What a server seems to speak that answered a client with something else than the native protocol.
#pragma once

#include <trunkline/slice.h>

#include <string_view>

namespace trunkline::wire {

/// `first_bytes` are those that have come so far. A name for people, e.g. "HTTP/2 (as gRPC does)"; empty if they tell
/// nothing.
std::string_view guess_foreign_peer(ByteSpan first_bytes) noexcept;

}  // namespace trunkline::wire
