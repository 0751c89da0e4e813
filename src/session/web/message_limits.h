// SPDX-License-Identifier: MIT
// Limits what the sessions over HTTP, of all versions and both roles, take of messages and for them.
#pragma once

#include <trunkline/status.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace trunkline::session::web {

/// An unread message takes this much beside its bytes (call::UnreadMessages), so those without bytes are limited too.
inline constexpr std::uint32_t record_bytes = 16;
/// Content may have this many bytes without room taken for it in advance.
inline constexpr std::size_t most_bytes_without_room = 64 << 10;
/// A call over HTTP/1.1 takes this much memory beside its message.
inline constexpr std::size_t bytes_per_exchange = 512;

inline Status message_over_limit(std::uint64_t size, std::uint64_t limit) {
  return {StatusCode::resource_exhausted,
          "receive message: size " + std::to_string(size) + " exceeds max_message_bytes " + std::to_string(limit)};
}

}  // namespace trunkline::session::web
