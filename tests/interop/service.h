// SPDX-License-Identifier: MIT
// The conformance service in C++, in parts; README.md says what each method does.
#pragma once

#include "counting_compressor.h"
#include "event_board.h"

#include <trunkline/server.h>

#include <cstdint>

namespace trunkline::interop {

inline constexpr std::uint64_t max_message_bytes = 8u << 20;

/// What comes under `leading-*` and `trailing-*` goes back.
void echo_metadata(ServerContext& context);
/// Null without a deadline.
Value seconds_left(const ServerContext& context);

void add_echo_methods(Server& server);
void add_failing_methods(Server& server);
void add_stream_methods(Server& server, EventBoard& board);
void add_waiting_methods(Server& server, EventBoard& board);

}  // namespace trunkline::interop
