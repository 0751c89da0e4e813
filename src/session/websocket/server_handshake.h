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
  /// The response, whole.
  std::string response;
  /// Empty: the WebSocket is open. Otherwise why it is not, as the response tells the client.
  std::string problem;

  /// What a server lets in: as is_allowed_origin() and is_allowed_host() say.
  struct Limits {
    const std::vector<std::string>& allowed_origins;
    const std::vector<std::string>& allowed_hosts;
  };
  /// A client that is no browser sends no Origin, and needs none.
  static ServerHandshake answer(const http::http1::RequestHead& head, const Limits& limits);
  /// To a head that cannot be read.
  static ServerHandshake refuse(http::http1::MessageError error);
};

}  // namespace trunkline::session::websocket
