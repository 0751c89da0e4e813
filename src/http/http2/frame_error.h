// SPDX-License-Identifier: MIT
// FrameError: a frame that breaks a rule, and what ends because of it (RFC 9113, section 5.4).
#pragma once

#include "http/http2/error_code.h"

#include <cstdint>
#include <string_view>

namespace trunkline::http::http2 {

enum class ErrorScope : std::uint8_t {
  none,
  /// The stream is reset, and the connection goes on.
  stream,
  /// The connection ends with GOAWAY.
  connection,
};

struct [[nodiscard]] FrameError {
  ErrorScope scope = ErrorScope::none;
  ErrorCode code = ErrorCode::no_error;
  /// A static text that says which rule was broken.
  std::string_view reason;

  explicit operator bool() const noexcept { return scope != ErrorScope::none; }
};

constexpr FrameError stream_error(ErrorCode code, std::string_view reason) noexcept {
  return {ErrorScope::stream, code, reason};
}
constexpr FrameError connection_error(ErrorCode code, std::string_view reason) noexcept {
  return {ErrorScope::connection, code, reason};
}

}  // namespace trunkline::http::http2
