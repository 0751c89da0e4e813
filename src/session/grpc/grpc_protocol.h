// SPDX-License-Identifier: MIT
// The rows of the protocols over HTTP/2.
#pragma once

#include "session/protocol.h"

namespace trunkline::session::grpc {

/// gRPC. Servers: also Connect, gRPC-Web and plain HTTP, because the requests say which it is.
const Protocol& protocol() noexcept;
/// Clients only.
const Protocol& connect_protocol() noexcept;
const Protocol& grpc_web_protocol() noexcept;

}  // namespace trunkline::session::grpc
