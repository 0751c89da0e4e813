// SPDX-License-Identifier: MIT
// How calls end that HTTP/2 ends, and not gRPC: by the reset of a stream.
#pragma once

#include "http/http2/error_code.h"

#include <trunkline/status.h>

namespace trunkline::session::grpc {

/// The code for a stream that the peer resets (gRPC's PROTOCOL-HTTP2.md, "Errors").
StatusCode code_of_reset(http::http2::ErrorCode code) noexcept;

}  // namespace trunkline::session::grpc
