// SPDX-License-Identifier: MIT
// ChannelState: whether a channel is connected to its server.
#pragma once

#include <trunkline/detail/export.h>

#include <cstdint>
#include <string_view>

namespace trunkline {

enum class ChannelState : std::uint8_t {
  /// There is no connection, and no call has needed one yet.
  idle,
  /// A connection is being established, or waits for the server's hello.
  connecting,
  /// At least one connection is open.
  ready,
  /// The last attempt to connect failed, or the server ended its connection at once; the next one follows after the
  /// backoff.
  failing,
  /// Channel::close() was called.
  closed,
};

TRUNKLINE_API std::string_view to_string(ChannelState state) noexcept;

}  // namespace trunkline
