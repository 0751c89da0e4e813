// SPDX-License-Identifier: MIT
// Says how calls end that HTTP/2 ends by the reset of a stream, and not gRPC by a status.
#pragma once

#include "http/http2/error_code.h"

#include <trunkline/status.h>

namespace trunkline::session::grpc {

/// Returns the code for a stream that the peer resets (gRPC's PROTOCOL-HTTP2.md, "Errors").
StatusCode code_of_reset(http::http2::ErrorCode code) noexcept;

}  // namespace trunkline::session::grpc
