// SPDX-License-Identifier: MIT
// ClientHandshake: how a client asks for a WebSocket, and whether it gets one (RFC 6455, section 4.1).
#pragma once

#include "http/http1/response_head.h"

#include <trunkline/slice.h>

#include <string>
#include <string_view>

namespace trunkline::session::websocket {

class ClientHandshake {
 public:
  static constexpr std::size_t nonce_bytes = 16;

  /// `host` is the value of Host. `nonce` consists of random bytes, new for each connection.
  ClientHandshake(std::string_view host, ByteSpan nonce);

  std::string request() const;
  /// Returns what is wrong with the response, or nothing if the WebSocket is open.
  std::string problem_of(const http::http1::ResponseHead& head) const;

 private:
  const std::string host_;
  std::string key_;
};

}  // namespace trunkline::session::websocket
