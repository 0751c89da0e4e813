// SPDX-License-Identifier: MIT
// The first-bytes detector: which protocol a client speaks, so that one port can serve or answer several.
#pragma once

#include <trunkline/slice.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace trunkline::wire {

enum class Protocol : std::uint8_t { native, http1, http2, tls, thrift, unknown };

std::string_view to_string(Protocol protocol) noexcept;

/// detect() decides on this many bytes at the latest.
inline constexpr std::size_t detection_bytes = 24;

/// `first_bytes` are all bytes a client has sent so far. Nullopt while they can still become more than one thing; once
/// decided, further bytes do not change the answer. Only first bytes are looked at: the rest may still break the
/// protocol's rules.
std::optional<Protocol> detect(ByteSpan first_bytes) noexcept;

/// What a client of another protocol is sent before its connection is closed, in that protocol: that this port speaks
/// Trunkline's. Empty for native, thrift and unknown.
std::string_view answer_to(Protocol protocol) noexcept;

}  // namespace trunkline::wire
