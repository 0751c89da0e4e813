// SPDX-License-Identifier: MIT
// ServerHandshake: what a server answers to a client that asks for a WebSocket (RFC 6455, section 4.2).
#pragma once

#include "http/http1/message_error.h"
#include "http/http1/request_head.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::session::websocket {

struct ServerHandshake {
  /// This is the whole response.
  std::string response;
  /// This is empty if the WebSocket is open. Otherwise it says why it is not, as the response tells the client.
  std::string problem;

  /// Says what a server lets in, by the rules of is_allowed_origin() and is_allowed_host().
  struct Limits {
    const std::vector<std::string>& allowed_origins;
    const std::vector<std::string>& allowed_hosts;
  };
  /// Answers a request. A client that is no browser sends no Origin, and needs none.
  static ServerHandshake answer(const http::http1::RequestHead& head, const Limits& limits);
  /// Answers a head that cannot be read.
  static ServerHandshake refuse(http::http1::MessageError error);
};

}  // namespace trunkline::session::websocket
