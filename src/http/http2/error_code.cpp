// SPDX-License-Identifier: MIT
// The names of the error codes.
#include "http/http2/error_code.h"

#include <array>

namespace trunkline::http::http2 {

std::string_view to_string(ErrorCode code) noexcept {
  static constexpr std::array<std::string_view, 14> names{"NO_ERROR",
                                                          "PROTOCOL_ERROR",
                                                          "INTERNAL_ERROR",
                                                          "FLOW_CONTROL_ERROR",
                                                          "SETTINGS_TIMEOUT",
                                                          "STREAM_CLOSED",
                                                          "FRAME_SIZE_ERROR",
                                                          "REFUSED_STREAM",
                                                          "CANCEL",
                                                          "COMPRESSION_ERROR",
                                                          "CONNECT_ERROR",
                                                          "ENHANCE_YOUR_CALM",
                                                          "INADEQUATE_SECURITY",
                                                          "HTTP_1_1_REQUIRED"};
  const auto number = static_cast<std::uint32_t>(code);
  return number < names.size() ? names[number] : "unknown";
}

}  // namespace trunkline::http::http2
