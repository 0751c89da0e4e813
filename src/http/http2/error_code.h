// SPDX-License-Identifier: MIT
// ErrorCode: says why a stream or connection ends (RFC 9113, section 7).
#pragma once

#include <cstdint>
#include <string_view>

namespace trunkline::http::http2 {

/// The code of an error. A peer may send values outside the enumeration; they have no special meaning.
enum class ErrorCode : std::uint32_t {
  no_error = 0,
  protocol_error = 1,
  internal_error = 2,
  flow_control_error = 3,
  settings_timeout = 4,
  stream_closed = 5,
  frame_size_error = 6,
  refused_stream = 7,
  cancel = 8,
  compression_error = 9,
  connect_error = 10,
  enhance_your_calm = 11,
  inadequate_security = 12,
  http_1_1_required = 13,
};

/// Returns the name in the RFC, e.g. "PROTOCOL_ERROR"; "unknown" for a value outside the enumeration.
std::string_view to_string(ErrorCode code) noexcept;

}  // namespace trunkline::http::http2
