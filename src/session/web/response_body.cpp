// SPDX-License-Identifier: MIT
// Writes messages, and the ends of streams.
#include "session/web/response_body.h"

#include "codec/base64.h"
#include "session/web/connect_error.h"
#include "session/web/message_prefix.h"
#include "session/web/metadata_fields.h"
#include "session/web/status_fields.h"

#include <string>

namespace trunkline::session::web {
namespace {

constexpr std::uint8_t connect_end_flag = 0x02;
constexpr std::uint8_t trailers_flag = 0x80;

/// Appends the payload behind its prefix.
void append_prefixed(std::uint8_t flags, ByteSpan payload, BufferWriter& out) {
  write_message_prefix({.flags = flags, .length = static_cast<std::uint32_t>(payload.size())},
                       out.prepare(message_prefix_bytes).data());
  out.advance(message_prefix_bytes);
  out.append(payload);
}

/// Line feeds of JSON stand between its tokens only, where a space means the same.
void append_in_one_line(ByteSpan json, BufferWriter& out) {
  for (const std::byte letter : json) {
    const bool breaks = letter == std::byte{'\n'} || letter == std::byte{'\r'};
    out.push_back(breaks ? std::byte{' '} : letter);
  }
}

void append_trailer(std::string_view name, std::string_view value, BufferWriter& out) {
  out.append(name);
  out.append(": ");
  out.append(value);
  out.append("\r\n");
}

void append_trailers(const Status& status, const Metadata* trailing, BufferWriter& out) {
  constexpr std::size_t no_limit = ~std::size_t{0};
  StatusFields fields;
  fields.assign(status, no_limit);
  append_trailer(status_field_name, fields.code(), out);
  if (!fields.message().empty()) append_trailer(message_field_name, fields.message(), out);
  if (!fields.details().empty()) append_trailer(details_field_name, fields.details(), out);
  if (const auto pause = status.retry_after()) {
    append_trailer(pushback_field_name, std::to_string(pause->count()), out);
  }
  if (trailing == nullptr) return;
  BufferWriter room;
  for (const auto& [name, value] : *trailing) append_trailer(name, field_value(name, value, room), out);
}

}  // namespace

void append_message(Format format, ByteSpan payload, bool is_compressed, BufferWriter& out) {
  switch (format) {
    case Format::grpc:
    case Format::grpc_web:
    case Format::connect_stream:
      return append_prefixed(std::uint8_t{is_compressed}, payload, out);
    case Format::grpc_web_text: {
      BufferWriter message;
      append_prefixed(std::uint8_t{is_compressed}, payload, message);
      return codec::append_base64(message.bytes(), out);
    }
    case Format::connect_unary:
    case Format::plain:
    case Format::route:
      return out.append(payload);
    case Format::lines:
      append_in_one_line(payload, out);
      return out.append("\n");
    case Format::events:
      out.append("data: ");
      append_in_one_line(payload, out);
      return out.append("\n\n");
  }
}

void append_end(Format format, const Status& status, const Metadata* trailing, BufferWriter& out) {
  BufferWriter text;
  switch (format) {
    case Format::grpc:
      return;
    case Format::grpc_web:
      append_trailers(status, trailing, text);
      return append_prefixed(trailers_flag, text.bytes(), out);
    case Format::grpc_web_text: {
      append_trailers(status, trailing, text);
      BufferWriter message;
      append_prefixed(trailers_flag, text.bytes(), message);
      return codec::append_base64(message.bytes(), out);
    }
    case Format::connect_stream:
      append_end_of_stream(status, trailing, text);
      return append_prefixed(connect_end_flag, text.bytes(), out);
    case Format::connect_unary:
      return append_connect_error(status, out);
    case Format::plain:
    case Format::route:
      append_connect_error(status, out);
      return out.append("\n");
    case Format::lines:
      if (status.is_ok()) return;
      append_end_of_stream(status, nullptr, out);
      return out.append("\n");
    case Format::events:
      // An EventSource would connect again if it were not told that the stream is over.
      out.append(status.is_ok() ? "event: end\ndata: " : "event: error\ndata: ");
      append_end_of_stream(status, trailing, out);
      return out.append("\n\n");
  }
}

}  // namespace trunkline::session::web
