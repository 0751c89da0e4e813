// SPDX-License-Identifier: MIT
// ChannelState: how a channel stands with its server.
#pragma once

#include <trunkline/export.h>

#include <cstdint>
#include <string_view>

namespace trunkline {

enum class ChannelState : std::uint8_t {
  idle,        ///< no connection, and none wanted yet
  connecting,  ///< being made, or waiting for the server's hello
  ready,       ///< at least one connection is open
  failing,     ///< the last attempt has failed; the next is made after the backoff
  closed,      ///< close() was called
};

TRUNKLINE_API std::string_view to_string(ChannelState state) noexcept;

}  // namespace trunkline
