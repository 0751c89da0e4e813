// SPDX-License-Identifier: MIT
// Writes the fields of responses.
#include "session/web/response_head.h"

#include "session/web/content_type.h"
#include "session/web/cors.h"
#include "session/web/metadata_fields.h"
#include "session/web/route_fields.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace trunkline::session::web {
namespace {

constexpr std::string_view trailer_prefix = "trailer-";
constexpr std::array<std::string_view, 2> reserved_names{"accept-encoding", "content-encoding"};

void write_metadata(std::string_view prefix, const Metadata* metadata, BufferWriter& room, FieldSink& sink) {
  if (metadata == nullptr) return;
  std::string prefixed;
  for (const auto& [name, value] : *metadata) {
    if (prefix.empty()) {
      sink.field(name, field_value(name, value, room), false);
      continue;
    }
    prefixed.assign(prefix).append(name);
    sink.field(prefixed, field_value(name, value, room), false);
  }
}

/// Writes the fields of a route as they are, whatever their names end with.
void write_route_fields(const Metadata& leading, FieldSink& sink) {
  for (const auto& [name, value] : leading) {
    if (!is_runtime_name(name)) sink.field(name, value, false);
  }
}

}  // namespace

std::uint32_t http_status_of(StatusCode code) noexcept {
  switch (code) {
    case StatusCode::ok:
      return 200;
    case StatusCode::cancelled:
      return 499;
    case StatusCode::invalid_argument:
    case StatusCode::failed_precondition:
    case StatusCode::out_of_range:
      return 400;
    case StatusCode::deadline_exceeded:
      return 504;
    case StatusCode::not_found:
      return 404;
    case StatusCode::already_exists:
    case StatusCode::aborted:
      return 409;
    case StatusCode::permission_denied:
      return 403;
    case StatusCode::resource_exhausted:
      return 429;
    case StatusCode::unimplemented:
      return 501;
    case StatusCode::unavailable:
      return 503;
    case StatusCode::unauthenticated:
      return 401;
    case StatusCode::unknown:
    case StatusCode::internal:
    case StatusCode::data_loss:
      break;
  }
  return 500;
}

std::uint32_t ResponseHead::http_status() const noexcept {
  if (format == Format::route && !is_error()) return http_status_in(leading);
  if (!responds_once(format) || !is_error()) return 200;
  return http_error != 0 ? http_error : http_status_of(status->code());
}

bool ResponseHead::has_content() const noexcept {
  return has_length() && (format != Format::route || http_status() != 205);
}

bool ResponseHead::has_length() const noexcept {
  if (format != Format::route || is_error()) return true;
  const std::uint32_t code = http_status();
  return code != 204 && code != 304;
}

void ResponseHead::write_fields(const MessageEncodings& encodings, FieldSink& sink) const {
  BufferWriter room;
  if (format == Format::route && !is_error()) {
    if (leading != nullptr) write_route_fields(*leading, sink);
    if (content_bytes && has_length()) {
      sink.field("content-length", std::to_string(has_content() ? *content_bytes : 0), false);
    }
    return write_metadata(trailer_prefix, trailing, room, sink);
  }
  if (cors_origin != nullptr) write_cors_fields(*cors_origin, leading, sink);
  if (responds_once(format) && is_error()) {
    sink.field("content-type", "application/json", true);
    if (http_error == 405) sink.field("allow", "POST", true);
  } else {
    append_content_type(format, *codec, room);
    sink.field("content-type", as_text(room.bytes()), true);
  }
  switch (format) {
    case Format::grpc:
    case Format::grpc_web:
    case Format::grpc_web_text:
      sink.field("grpc-accept-encoding", encodings.names(), true);
      if (compressor != nullptr) sink.field("grpc-encoding", compressor->name(), true);
      break;
    case Format::connect_stream:
      sink.field("connect-accept-encoding", encodings.names(), true);
      if (compressor != nullptr) sink.field("connect-content-encoding", compressor->name(), true);
      break;
    case Format::connect_unary:
    case Format::plain:
    case Format::route:
      if (compressor != nullptr) sink.field("content-encoding", compressor->name(), true);
      break;
    case Format::lines:
    case Format::events:
      sink.field("cache-control", "no-store", true);
      break;
  }
  // The handler's fields about its content are not true of an error.
  if (format != Format::route) write_metadata({}, leading, room, sink);
  if (responds_once(format)) write_metadata(trailer_prefix, trailing, room, sink);
}

void append_refusal_text(std::uint32_t http_status, const Status& status, BufferWriter& out) {
  out.append(std::to_string(http_status));
  out.append(": ");
  out.append(status.message());
  out.append("\n");
}

void write_refusal_fields(std::uint32_t http_status, std::string_view allowed, const std::string* cors_origin,
                          FieldSink& sink) {
  if (cors_origin != nullptr) write_cors_fields(*cors_origin, nullptr, sink);
  sink.field("content-type", "text/plain; charset=utf-8", true);
  sink.field("x-content-type-options", "nosniff", true);
  if (http_status == 405) sink.field("allow", allowed, true);
  if (http_status == 415) {
    sink.field("accept-post",
               "application/json, application/proto, application/connect+json, application/connect+proto", true);
  }
}

Metadata take_trailing(Metadata fields, Metadata& trailing) {
  const auto is_trailing = [](const Metadata::Entry& entry) {
    return entry.name.size() > trailer_prefix.size() && entry.name.starts_with(trailer_prefix);
  };
  if (std::none_of(fields.begin(), fields.end(), is_trailing)) return fields;
  Metadata leading;
  for (const Metadata::Entry& entry : fields) {
    if (is_trailing(entry)) {
      trailing.add(std::string_view(entry.name).substr(trailer_prefix.size()), entry.value);
    } else {
      leading.add(entry.name, entry.value);
    }
  }
  return leading;
}

Status check_web_metadata(const Metadata& metadata) {
  if (Status status = check_sendable(metadata); !status.is_ok()) return status;
  for (const auto& [name, value] : metadata) {
    const bool is_reserved = name.starts_with("connect-") || name.starts_with(trailer_prefix) ||
                             std::find(reserved_names.begin(), reserved_names.end(), name) != reserved_names.end();
    if (is_reserved)
      return {StatusCode::invalid_argument, "send metadata: entry " + name + " has a name that is reserved"};
  }
  return {};
}

}  // namespace trunkline::session::web
