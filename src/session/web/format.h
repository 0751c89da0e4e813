// SPDX-License-Identifier: MIT
// Format: how a call over HTTP is written - the protocol of its request, and what a body is made of.
#pragma once

#include <cstdint>

namespace trunkline::session::web {

enum class Format : std::uint8_t {
  /// gRPC has messages with prefixes, and the status in the trailers of HTTP. It is 0, because it is the fast one.
  grpc = 0,
  /// gRPC-Web has the same messages, and the trailers behind them in the body.
  grpc_web,
  /// Connect's streams have the same messages, and the status behind them in the body.
  connect_stream,
  /// The text form of gRPC-Web writes its bytes as base64.
  grpc_web_text,
  /// In Connect's unary calls a body is a message, and the status is that of HTTP.
  connect_unary,
  /// Plain HTTP is like connect_unary. If the handler writes a stream, the response becomes `lines`.
  plain,
  /// The request is a body, and the response a line of JSON for each message.
  lines,
  /// The request is a body, and the response an event of text/event-stream for each message.
  events,
  /// The request of a route is a body, and the response is what its handler makes of status, fields and body. Errors
  /// are as in `plain`.
  route,
};

constexpr bool is_connect(Format format) noexcept {
  return format == Format::connect_unary || format == Format::connect_stream;
}
/// Returns true for the flag of the message with which a client's response ends, compressed or not.
constexpr bool is_end_flag(Format format, unsigned flag) noexcept {
  constexpr unsigned connect_end = 0x02;
  constexpr unsigned trailers = 0x80;
  return (format == Format::connect_stream && (flag & ~1U) == connect_end) ||
         (format == Format::grpc_web && (flag & ~1U) == trailers);
}
/// Messages stand in the body as they are, each behind a prefix of message_prefix_bytes.
constexpr bool is_enveloped(Format format) noexcept { return format <= Format::connect_stream; }
/// The request is one message, which is the body as a whole. In grpc_web_text the body is the base64 of that message
/// and its prefix.
constexpr bool takes_body(Format format) noexcept { return !is_enveloped(format); }
/// A request without bytes has an empty message, and not none.
constexpr bool may_be_empty(Format format) noexcept {
  return format == Format::connect_unary || format == Format::route;
}
/// The response is one message or an error. Its headers depend on which, and carry the trailing metadata, so they are
/// written at the end of the call.
constexpr bool responds_once(Format format) noexcept {
  return format == Format::connect_unary || format == Format::plain || format == Format::route;
}

}  // namespace trunkline::session::web
