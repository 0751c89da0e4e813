// SPDX-License-Identifier: MIT
// Declares the rows of the protocols over HTTP/2.
#pragma once

#include "session/protocol.h"

namespace trunkline::session::grpc {

/// Returns the row of gRPC. Servers use it for Connect, gRPC-Web and plain HTTP as well: each request says which it is.
const Protocol& protocol() noexcept;
/// These two rows are for clients only.
const Protocol& connect_protocol() noexcept;
const Protocol& grpc_web_protocol() noexcept;

}  // namespace trunkline::session::grpc
