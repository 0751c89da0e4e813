// SPDX-License-Identifier: MIT
// RequestHead: the part of a request before its content.
#pragma once

#include "http/http1/message_fields.h"

#include <cstdint>
#include <string_view>

namespace trunkline::http::http1 {

/// The parts of a head, as views of the bytes that were read.
struct RequestHead : MessageFields {
  std::string_view method;
  /// The target as it was sent.
  std::string_view target;
  /// The host in the target, with its port. It is usually empty, because the target has none.
  std::string_view target_host;
  /// The path of the target, percent-encoded as it was sent, with the slash before it; "*" for the server as a whole;
  /// empty for CONNECT.
  std::string_view path;
  /// The part of the target after the question mark.
  std::string_view query;
  /// The last digit of HTTP/1.0 or HTTP/1.1.
  std::uint8_t minor_version = 1;

  /// Returns the host that the request names, with its port. That of the target comes first (RFC 9112, section 3.2.2).
  std::string_view authority() const noexcept { return target_host.empty() ? host : target_host; }
  /// Returns true if the client wants to send further requests on the connection.
  bool keeps_connection() const noexcept { return !has_close && (minor_version > 0 || has_keep_alive); }
};

}  // namespace trunkline::http::http1
