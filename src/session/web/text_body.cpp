// SPDX-License-Identifier: MIT
// Decodes bodies of base64.
#include "session/web/text_body.h"

#include "codec/base64.h"
#include "http/http2/frame.h"
#include "session/web/message_prefix.h"

#include <algorithm>

namespace trunkline::session::web {
namespace {

/// Decodes texts of base64 that stand behind each other. Returns false if they are none.
bool decode_texts(std::string_view text, BufferWriter& out) {
  while (!text.empty()) {
    const std::size_t padding = std::min(text.find('='), text.size());
    const std::size_t end = std::min(text.find_first_not_of('=', padding), text.size());
    if (!codec::append_decoded_base64(text.substr(0, end), out)) return false;
    text.remove_prefix(end);
  }
  return true;
}

}  // namespace

Status read_text_body(std::string_view text, TextBody& out) {
  BufferWriter writer;
  if (!decode_texts(text, writer)) return {StatusCode::internal, "receive message: the body is not base64"};
  Slice bytes = writer.take();
  if (bytes.empty()) return {StatusCode::unimplemented, "receive message: the body has no message, expected one"};
  if (bytes.size() < message_prefix_bytes) {
    return {StatusCode::internal, "receive message: the client ended amid a message"};
  }
  const auto flags = std::to_integer<std::uint8_t>(bytes.data()[0]);
  const std::uint32_t length = http::http2::load_uint32(bytes.data() + 1);
  if (flags > compressed_flag) return {StatusCode::internal, "receive message: bad prefix"};
  bytes.remove_prefix(message_prefix_bytes);
  if (bytes.size() < length) return {StatusCode::internal, "receive message: the client ended amid a message"};
  if (bytes.size() > length) {
    return {
        StatusCode::unimplemented,
        "receive message: application/grpc-web-text has one message in a request; streams need application/grpc-web"};
  }
  out = {.is_compressed = flags == compressed_flag, .message = std::move(bytes)};
  return {};
}

}  // namespace trunkline::session::web
