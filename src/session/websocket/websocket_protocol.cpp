// SPDX-License-Identifier: MIT
// Recognises a connection that may become a WebSocket, and makes its session.
#include "session/websocket/websocket_protocol.h"

#include "session/websocket/websocket_session.h"

#include <algorithm>
#include <memory>
#include <string_view>

namespace trunkline::session::websocket {
namespace {

/// The session reads in the fields of the request whether it asks for a WebSocket.
ProtocolMatch match(ByteSpan first_bytes) noexcept {
  constexpr std::string_view start = "GET ";
  const std::size_t size = std::min(first_bytes.size(), start.size());
  if (as_text(first_bytes.first(size)) != start.substr(0, size)) return ProtocolMatch::no;
  return size == start.size() ? ProtocolMatch::yes : ProtocolMatch::undecided;
}

std::unique_ptr<Session> make_session(const SessionParameters& parameters) {
  return std::make_unique<WebSocketSession>(parameters);
}

}  // namespace

const Protocol& protocol() noexcept {
  static constexpr Protocol row{
      .name = "websocket", .alpn = "http/1.1", .match = &match, .make_session = &make_session};
  return row;
}

}  // namespace trunkline::session::websocket
