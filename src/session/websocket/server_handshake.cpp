// SPDX-License-Identifier: MIT
// Checks the requirements, one by one, each with its own refusal.
#include "session/websocket/server_handshake.h"

#include "codec/base64.h"
#include "http/http1/head_writer.h"
#include "session/web/allowed_host.h"
#include "session/web/origin.h"
#include "session/websocket/upgrade.h"

#include <trunkline/slice.h>

#include <cstddef>
#include <optional>

namespace trunkline::session::websocket {

namespace {

/// Names a field that tells the client what would be taken.
struct Hint {
  std::string_view name;
  std::string_view value;
};

ServerHandshake refusal(std::uint16_t http_status, std::string problem, const Hint& hint = {}) {
  BufferWriter out;
  http::http1::HeadWriter head(out);
  head.status_line(http_status);
  head.known_field("Content-Type", "text/plain; charset=utf-8");
  head.number_field("Content-Length", problem.size() + 1);
  head.known_field("Connection", hint.name == "Upgrade" ? "Upgrade, close" : "close");
  if (!hint.name.empty()) head.known_field(hint.name, hint.value);
  head.end();
  out.append(problem);
  out.append("\n");
  return {.response = std::string(as_text(out.bytes())), .problem = std::move(problem)};
}

constexpr Hint upgrade_hint{"Upgrade", "websocket"};

/// Returns true for 16 bytes in base64.
bool is_key(std::string_view key) {
  const auto bytes = codec::decode_base64(key);
  return bytes.has_value() && bytes->size() == 16;
}

bool has_content(const http::http1::RequestHead& head) noexcept {
  return head.is_chunked || head.content_length.value_or(0) > 0 || head.expects_continue;
}

/// Checks the Origin of the page, which browsers send always, and once.
std::optional<ServerHandshake> check_origin(const http::http1::RequestHead& head,
                                            const std::vector<std::string>& allowed_origins) {
  if (head.find("origin") == nullptr) return std::nullopt;
  const std::string_view origin = only_value(head, "origin");
  if (web::is_allowed_origin(origin, head.authority(), allowed_origins)) return std::nullopt;
  return refusal(403, "allowed_origins does not allow the Origin of the page");
}

std::optional<ServerHandshake> check(const http::http1::RequestHead& head, const ServerHandshake::Limits& limits) {
  if (!web::is_allowed_host(head.authority(), limits.allowed_hosts)) {
    return refusal(web::misdirected_request, web::text_of_refused_host(head.authority()));
  }
  if (head.method != "GET") return refusal(405, "a WebSocket is asked for with GET", {"Allow", "GET"});
  if (!lists(head.upgrade, "websocket", false)) {
    return refusal(426, "this port speaks the native protocol of Trunkline, version 1, also over WebSocket",
                   upgrade_hint);
  }
  if (head.minor_version < 1) return refusal(400, "a WebSocket needs HTTP/1.1");
  if (has_content(head)) return refusal(400, "a request for a WebSocket has no content");
  if (only_value(head, "sec-websocket-version") != websocket_version) {
    return refusal(426, "Sec-WebSocket-Version is not 13", {"Sec-WebSocket-Version", websocket_version});
  }
  if (!is_key(only_value(head, "sec-websocket-key"))) {
    return refusal(400, "Sec-WebSocket-Key is not 16 bytes in base64");
  }
  if (!lists(head, "sec-websocket-protocol", subprotocol)) {
    return refusal(400, "Sec-WebSocket-Protocol does not list trunkline.v1");
  }
  return check_origin(head, limits.allowed_origins);
}

}  // namespace

ServerHandshake ServerHandshake::answer(const http::http1::RequestHead& head, const Limits& limits) {
  if (std::optional<ServerHandshake> refused = check(head, limits)) return *std::move(refused);
  BufferWriter out;
  http::http1::HeadWriter response(out);
  response.status_line(101);
  response.known_field("Upgrade", "websocket");
  response.known_field("Connection", "Upgrade");
  response.known_field("Sec-WebSocket-Accept", accept_of(only_value(head, "sec-websocket-key")));
  response.known_field("Sec-WebSocket-Protocol", subprotocol);
  response.end();
  return {.response = std::string(as_text(out.bytes())), .problem = {}};
}

ServerHandshake ServerHandshake::refuse(http::http1::MessageError error) {
  return refusal(http::http1::http_status_of(error), std::string(to_string(error)));
}

}  // namespace trunkline::session::websocket
