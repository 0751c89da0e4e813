// SPDX-License-Identifier: MIT
// Writes the request, and checks its response.
#include "session/websocket/client_handshake.h"

#include "codec/base64.h"
#include "http/http1/head_writer.h"
#include "session/websocket/upgrade.h"
#include "wire/text.h"

namespace trunkline::session::websocket {

namespace {

constexpr std::size_t max_reason_bytes = 100;

/// Returns what the server says, as a log may show it.
std::string status_of(const http::http1::ResponseHead& head) {
  const std::string_view reason = head.reason.substr(0, max_reason_bytes);
  std::string shown(reason.size(), ' ');
  wire::copy_as_utf8(reason, reinterpret_cast<std::byte*>(shown.data()));
  std::string text = std::to_string(head.status);
  if (!shown.empty()) text += " " + wire::escape_controls(shown);
  return text;
}

}  // namespace

ClientHandshake::ClientHandshake(std::string_view host, ByteSpan nonce) : host_(host) {
  BufferWriter key;
  codec::append_base64(nonce, key);
  key_ = as_text(key.bytes());
}

std::string ClientHandshake::request() const {
  BufferWriter out;
  http::http1::HeadWriter head(out);
  static_cast<void>(head.request_line("GET", "/"));
  head.known_field("Host", host_);
  head.known_field("Upgrade", "websocket");
  head.known_field("Connection", "Upgrade");
  head.known_field("Sec-WebSocket-Key", key_);
  head.known_field("Sec-WebSocket-Version", websocket_version);
  head.known_field("Sec-WebSocket-Protocol", subprotocol);
  head.end();
  return std::string(as_text(out.bytes()));
}

std::string ClientHandshake::problem_of(const http::http1::ResponseHead& head) const {
  if (head.status != 101) return "the server answers " + status_of(head);
  if (!lists(head.upgrade, "websocket", false)) return "the server has not switched to WebSocket";
  if (only_value(head, "sec-websocket-accept") != accept_of(key_)) {
    return "Sec-WebSocket-Accept does not fit the key, so something else than a server of WebSocket answers";
  }
  if (only_value(head, "sec-websocket-protocol") != subprotocol) {
    return "the server has not chosen the subprotocol " + std::string(subprotocol);
  }
  if (head.find("sec-websocket-extensions") != nullptr) return "the server uses an extension that was not offered";
  return {};
}

}  // namespace trunkline::session::websocket
