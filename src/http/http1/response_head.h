// SPDX-License-Identifier: MIT
// ResponseHead: what stands before the content of a response.
#pragma once

#include "http/http1/message_fields.h"

#include <cstdint>
#include <string_view>

namespace trunkline::http::http1 {

/// Views of the bytes that were read.
struct ResponseHead : MessageFields {
  std::uint16_t status = 0;
  std::string_view reason;
  /// HTTP/1.0 or HTTP/1.1.
  std::uint8_t minor_version = 1;

  /// The server takes further requests on the connection.
  bool keeps_connection() const noexcept { return !has_close && (minor_version > 0 || has_keep_alive); }
};

}  // namespace trunkline::http::http1
