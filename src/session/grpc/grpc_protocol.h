// SPDX-License-Identifier: MIT
// The row of gRPC over HTTP/2 in the table of protocols.
#pragma once

#include "session/protocol.h"

namespace trunkline::session::grpc {

/// For servers: its sessions begin no calls.
const Protocol& protocol() noexcept;

}  // namespace trunkline::session::grpc
