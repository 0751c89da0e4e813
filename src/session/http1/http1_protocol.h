// SPDX-License-Identifier: MIT
// Declares the rows of the protocols over HTTP/1.1.
#pragma once

#include "session/protocol.h"

namespace trunkline::session::http1 {

/// Returns the row of servers for Connect, gRPC-Web, plain HTTP and WebSocket: each request says which it is.
const Protocol& protocol() noexcept;
/// These two rows are for clients only.
const Protocol& connect_protocol() noexcept;
const Protocol& grpc_web_protocol() noexcept;

}  // namespace trunkline::session::http1
