// SPDX-License-Identifier: MIT
// ResponseHead: the part of a response before its content.
#pragma once

#include "http/http1/message_fields.h"

#include <cstdint>
#include <string_view>

namespace trunkline::http::http1 {

/// The parts of a head, as views of the bytes that were read.
struct ResponseHead : MessageFields {
  std::uint16_t status = 0;
  std::string_view reason;
  /// The last digit of HTTP/1.0 or HTTP/1.1.
  std::uint8_t minor_version = 1;

  /// Returns true if the server takes further requests on the connection.
  bool keeps_connection() const noexcept { return !has_close && (minor_version > 0 || has_keep_alive); }
};

}  // namespace trunkline::http::http1
