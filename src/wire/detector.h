// SPDX-License-Identifier: MIT
// The protocol detector: which protocol a client speaks, by its first bytes, so that one port can serve or reject
// several.
#pragma once

#include <trunkline/slice.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace trunkline::wire {

/// What the first bytes of a connection say about it. session::Protocol is a protocol that a port serves.
enum class DetectedProtocol : std::uint8_t {
  native,
  http1,
  http2,
  tls,
  thrift,
  /// A line that begins like one of HTTP, with a word in capital letters, but is none.
  text,
  unknown,
};

std::string_view to_string(DetectedProtocol protocol) noexcept;

/// detect() has decided once it has this many bytes.
inline constexpr std::size_t detection_bytes = 24;

/// `first_bytes` are all bytes that a client has sent so far. Nullopt while they may belong to more than one protocol;
/// further bytes do not change a decision. Only the first bytes count: what follows may still violate the protocol.
std::optional<DetectedProtocol> detect(ByteSpan first_bytes) noexcept;

/// What the server sends to a client of another protocol before it closes the connection: in that protocol, that this
/// port speaks Trunkline's. For unknown, whose client may speak another version of the native protocol or have its
/// bytes altered on the way, a preface and goaway. Empty for native, thrift and text.
std::string_view rejection_for(DetectedProtocol protocol) noexcept;

}  // namespace trunkline::wire
