// SPDX-License-Identifier: MIT
// How calls end that HTTP ends, and not gRPC: by the status of a proxy, or by the reset of a stream.
#pragma once

#include "http/http2/error_code.h"

#include <trunkline/status.h>

#include <cstdint>

namespace trunkline::session::grpc {

/// The code for a response without grpc-status (gRPC's http-grpc-status-mapping.md).
StatusCode code_of_http_status(std::uint32_t http_status) noexcept;

/// The code for a stream that the peer resets (gRPC's PROTOCOL-HTTP2.md, "Errors").
StatusCode code_of_reset(http::http2::ErrorCode code) noexcept;

}  // namespace trunkline::session::grpc
