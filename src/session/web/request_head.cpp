// SPDX-License-Identifier: MIT
// Writes the fields of requests.
#include "session/web/request_head.h"

#include "codec/base64.h"
#include "session/web/content_type.h"
#include "session/web/timeout.h"

#include <algorithm>
#include <string>

namespace trunkline::session::web {

std::string_view user_agent_of(const SessionOptions& options) noexcept {
  return options.user_agent.empty() ? std::string_view("trunkline/" TRUNKLINE_VERSION) : options.user_agent;
}

void RequestHead::write_fields(const MessageEncodings& encodings, FieldSink& sink) const {
  if (!is_get) {
    BufferWriter type;
    append_content_type(format, *codec, type);
    sink.field("content-type", as_text(type.bytes()), true);
  }
  sink.field("user-agent", user_agent, true);
  switch (format) {
    case Format::connect_unary:
      sink.field("connect-protocol-version", "1", true);
      sink.field("accept-encoding", encodings.names(), true);
      if (compressor != nullptr && !is_get) sink.field("content-encoding", compressor->name(), true);
      return;
    case Format::connect_stream:
      sink.field("connect-protocol-version", "1", true);
      sink.field("connect-accept-encoding", encodings.names(), true);
      if (compressor != nullptr) sink.field("connect-content-encoding", compressor->name(), true);
      return;
    default:
      // Proxies choose the form of the response by this field.
      if (format == Format::grpc_web_text) sink.field("accept", "application/grpc-web-text", true);
      sink.field("grpc-accept-encoding", encodings.names(), true);
      if (compressor != nullptr) sink.field("grpc-encoding", compressor->name(), true);
  }
}

void append_get_query(const Codec& codec, ByteSpan message, const Compressor* compressor, BufferWriter& out) {
  BufferWriter text;
  codec::append_unpadded_base64(message, text);
  std::string encoded(as_text(text.bytes()));
  std::replace(encoded.begin(), encoded.end(), '+', '-');
  std::replace(encoded.begin(), encoded.end(), '/', '_');
  out.append("?connect=v1&encoding=");
  out.append(subtype_of(codec));
  if (compressor != nullptr) {
    out.append("&compression=");
    out.append(compressor->name());
  }
  out.append("&base64=1&message=");
  out.append(encoded);
}

std::string_view timeout_field_of(Format format) noexcept {
  return is_connect(format) ? "connect-timeout-ms" : "grpc-timeout";
}

void append_timeout_of(Format format, base::Duration left, BufferWriter& out) {
  return is_connect(format) ? append_connect_timeout(left, out) : append_timeout(left, out);
}

}  // namespace trunkline::session::web
