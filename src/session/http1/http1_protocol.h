// SPDX-License-Identifier: MIT
// The rows of the protocols over HTTP/1.1.
#pragma once

#include "session/protocol.h"

namespace trunkline::session::http1 {

/// Servers: Connect, gRPC-Web, plain HTTP and WebSocket, because the requests say which it is.
const Protocol& protocol() noexcept;
/// Clients only.
const Protocol& connect_protocol() noexcept;
const Protocol& grpc_web_protocol() noexcept;

}  // namespace trunkline::session::http1
