// SPDX-License-Identifier: MIT
// Follows the table of gRPC's document.
#include "session/grpc/http_outcome.h"

namespace trunkline::session::grpc {

StatusCode code_of_reset(http::http2::ErrorCode code) noexcept {
  using http::http2::ErrorCode;
  switch (code) {
    case ErrorCode::refused_stream:
      return StatusCode::unavailable;
    case ErrorCode::cancel:
      return StatusCode::cancelled;
    case ErrorCode::enhance_your_calm:
      return StatusCode::resource_exhausted;
    case ErrorCode::inadequate_security:
      return StatusCode::permission_denied;
    case ErrorCode::http_1_1_required:
      return StatusCode::unknown;
    default:
      return StatusCode::internal;
  }
}

}  // namespace trunkline::session::grpc
