// SPDX-License-Identifier: MIT
// detect(): finds out by its first bytes which protocol a client speaks, so that one port can serve or reject
// several.
#pragma once

#include <trunkline/slice.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace trunkline::wire {

/// The protocol of a connection's first bytes. session::Protocol is a protocol that a port serves.
enum class DetectedProtocol : std::uint8_t {
  native,
  http1,
  http2,
  tls,
  thrift,
  /// The first bytes are a line that begins like one of HTTP, with a word in capital letters, but is none.
  text,
  unknown,
};

std::string_view to_string(DetectedProtocol protocol) noexcept;

/// detect() has decided once it has this many bytes.
inline constexpr std::size_t detection_bytes = 24;

/// Detects the protocol of `first_bytes`, which are all bytes that a client has sent so far. Returns nullopt while they
/// may belong to several; further bytes do not change a decision. What follows them may still violate the protocol.
std::optional<DetectedProtocol> detect(ByteSpan first_bytes) noexcept;

/// Returns the bytes that the server sends to a client of another protocol before it closes the connection: they say,
/// in that protocol, that this port speaks Trunkline's. For unknown, whose client may speak another version of the
/// native protocol or have its bytes altered, they are a preface and goaway. Empty for native, thrift and text.
std::string_view rejection_for(DetectedProtocol protocol) noexcept;

}  // namespace trunkline::wire
