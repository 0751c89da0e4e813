// SPDX-License-Identifier: MIT
// The tables of gRPC's documents.
#include "session/grpc/http_outcome.h"

namespace trunkline::session::grpc {

StatusCode code_of_http_status(std::uint32_t http_status) noexcept {
  switch (http_status) {
    case 400:
      return StatusCode::internal;
    case 401:
      return StatusCode::unauthenticated;
    case 403:
      return StatusCode::permission_denied;
    case 404:
      return StatusCode::unimplemented;
    case 429:
    case 502:
    case 503:
    case 504:
      return StatusCode::unavailable;
    default:
      return StatusCode::unknown;
  }
}

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
