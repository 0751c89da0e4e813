// SPDX-License-Identifier: MIT
// Guesses the protocol of a server that does not speak the native one.
#pragma once

#include <trunkline/slice.h>

#include <string_view>

namespace trunkline::wire {

/// `first_bytes` are those received so far. Returns a name for an error text, e.g. "HTTP/2 (as gRPC does)"; empty if
/// the bytes fit no protocol that is known.
std::string_view guess_foreign_peer(ByteSpan first_bytes) noexcept;

}  // namespace trunkline::wire
