// SPDX-License-Identifier: MIT
// Decides which protocol a request is of, and reads what it says.
#include "session/web/call_head_reader.h"

#include "session/web/content_type.h"
#include "session/web/cors.h"
#include "session/web/encoding_name.h"
#include "session/web/get_query.h"
#include "session/web/message_limits.h"
#include "session/web/method_path.h"
#include "session/web/origin.h"
#include "session/web/timeout.h"
#include "wire/shown_text.h"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace trunkline::session::web {
namespace {

/// Reads milliseconds, in up to ten digits. Returns nothing if they are malformed.
std::optional<base::Duration> parse_connect_timeout(std::string_view text) noexcept {
  constexpr std::size_t most_digits = 10;
  if (text.empty() || text.size() > most_digits) return std::nullopt;
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return std::chrono::milliseconds(value);
}

}  // namespace

void CallHeadReader::begin() noexcept {
  present_ = 0;
  cors_origin_ = nullptr;
}

bool CallHeadReader::add(FieldName name, std::string_view value) {
  std::string& kept = values_[index(name)];
  if (has(name)) {
    kept.append(",").append(value);
  } else {
    kept.assign(value);
    present_ |= bit(name);
  }
  return is_metadata_too(name);
}

CallHeadReader::Outcome CallHeadReader::finish(const RequestLine& line, CallHead& head) {
  head = {};
  forget_request();
  if (has(FieldName::origin)) cors_origin_ = find_cors_origin(value(FieldName::origin), options_.cors_origins);
  head.cors_origin = cors_origin_;
  if (const auto type = web::read_content_type(value(FieldName::content_type));
      type && type->family == ContentType::Family::grpc && line.method == "POST") {
    return Outcome::grpc;
  }
  const bool is_get = line.method == "GET";
  if (!is_get && line.method != "POST") {
    static_cast<void>(read_method(line.target.substr(0, line.target.find('?'))));
    refuse_as_text(405, StatusCode::unimplemented,
                   "receive headers: the method " + wire::shown(line.method) + " is neither POST nor GET");
    return Outcome::refused;
  }
  return (is_get ? read_get(line, head) : read_post(line, head)) ? Outcome::call : Outcome::refused;
}

CallHeadReader::Outcome CallHeadReader::finish_route(const RequestLine& line, CallHead& head) {
  head = {};
  forget_request();
  head.format = Format::route;
  const Codec* const bytes = find_body_codec("octet-stream", *options_.codecs);
  head.codec = bytes != nullptr ? bytes : options_.codecs->codecs().front().get();
  // A page of any site may link to a page of this one, and show its pictures.
  const bool is_safe = line.method == "GET" || line.method == "HEAD" || line.method == "OPTIONS";
  if (!is_safe && !check_origin(line.authority, "")) return Outcome::refused;
  answer_format_ = Format::plain;
  answer_codec_ = head.codec;
  return read_timeout(head) ? Outcome::call : Outcome::refused;
}

const std::string* CallHeadReader::preflight_origin(std::string_view method) const noexcept {
  const bool is_question =
      method == "OPTIONS" && has(FieldName::origin) && has(FieldName::access_control_request_method);
  return is_question ? find_cors_origin(value(FieldName::origin), options_.cors_origins) : nullptr;
}

bool CallHeadReader::is_of_rpc_protocol() const noexcept {
  if (has(FieldName::connect_protocol_version)) return true;
  const auto type = web::read_content_type(value(FieldName::content_type));
  return type && type->family != ContentType::Family::body && type->family != ContentType::Family::form;
}

void CallHeadReader::forget_request() noexcept {
  method_ = {};
  message_.reset();
  is_simple_ = false;
  cors_origin_ = nullptr;
  http_status_ = 200;
  status_ = {};
  answer_format_.reset();
  answer_codec_ = nullptr;
}

bool CallHeadReader::read_post(const RequestLine& line, CallHead& head) {
  if (!read_content_type(head)) return false;
  constexpr std::string_view way_out = " without a content-type such as application/json";
  if (is_simple_ && !check_origin(line.authority, way_out)) return false;
  // An EventSource learns more of an error from the status of HTTP.
  answer_format_ = head.format == Format::events ? Format::plain : head.format;
  answer_codec_ = head.codec;
  return read_method(line.target.substr(0, line.target.find('?'))) && read_version() && read_timeout(head) &&
         read_encodings(head);
}

bool CallHeadReader::read_get(const RequestLine& line, CallHead& head) {
  head.is_get = true;
  if (!check_fetch_site()) return false;
  const std::size_t question = std::min(line.target.find('?'), line.target.size());
  const std::string_view query = line.target.substr(std::min(question + 1, line.target.size()));
  answer_format_ = Format::plain;
  head.format = Format::plain;
  std::string_view reason;
  auto read = read_get_query(query, reason);
  if (!read) return refuse(StatusCode::invalid_argument, "receive headers: " + std::string(reason));
  if (read->is_connect || has(FieldName::connect_protocol_version)) {
    answer_format_ = head.format = Format::connect_unary;
    if (read->encoding.empty() || !read->message) {
      return refuse(StatusCode::invalid_argument, "receive headers: the query lacks encoding or message");
    }
  }
  const std::string_view encoding = read->encoding.empty() ? std::string_view("json") : read->encoding;
  head.codec = find_body_codec(encoding, *options_.codecs);
  if (head.codec == nullptr) {
    return refuse_as_text(415, StatusCode::unimplemented,
                          "receive headers: encoding " + wire::shown(encoding) + " in the query is not known here");
  }
  answer_codec_ = head.codec;
  if (head.format == Format::plain && wants_events(head.codec)) head.format = Format::events;
  if (!read_method(line.target.substr(0, question)) || !read_version() || !read_timeout(head)) return false;
  head.accepted = encodings_.read_http_list(value(FieldName::accept_encoding));
  message_ = std::move(read->message);
  if (const std::uint64_t limit = options_.limits.max_message_bytes; message_ && message_->size() > limit) {
    const Status status = message_over_limit(message_->size(), limit);
    return refuse(status.code(), status.message());
  }
  return read_encoding(read->compression, "compression", head);
}

bool CallHeadReader::read_content_type(CallHead& head) {
  const std::string_view text = value(FieldName::content_type);
  // A request without a body has no type; a page of another site can send a body without one.
  is_simple_ = text.empty();
  const auto type = text.empty() ? ContentType{ContentType::Family::body, "json"} : web::read_content_type(text);
  const CodecRegistry& codecs = *options_.codecs;
  if (type) {
    switch (type->family) {
      case ContentType::Family::grpc:
        break;
      case ContentType::Family::grpc_web:
        head.format = Format::grpc_web;
        head.codec = find_codec(type->subtype, codecs);
        break;
      case ContentType::Family::grpc_web_text:
        head.format = Format::grpc_web_text;
        head.codec = find_codec(type->subtype, codecs);
        break;
      case ContentType::Family::connect:
        head.format = Format::connect_stream;
        head.codec = find_codec(type->subtype, codecs);
        break;
      case ContentType::Family::form:
        is_simple_ = true;
        [[fallthrough]];
      case ContentType::Family::body:
        head.codec = find_body_codec(type->subtype, codecs);
        head.format = has(FieldName::connect_protocol_version) ? Format::connect_unary
                      : wants_events(head.codec)               ? Format::events
                                                               : Format::plain;
        break;
    }
  }
  if (head.codec != nullptr) return true;
  return refuse_as_text(415, StatusCode::unimplemented,
                        "receive headers: content-type " + wire::shown(text) + " is not known here");
}

bool CallHeadReader::read_method(std::string_view path) {
  method_ = method_of_path(path, decoded_method_);
  if (!method_.empty()) return true;
  http_status_ = 404;
  return refuse(StatusCode::unimplemented, "receive headers: the path names no method");
}

bool CallHeadReader::read_version() {
  const std::string_view version = value(FieldName::connect_protocol_version);
  if (!has(FieldName::connect_protocol_version) || version == "1") return true;
  return refuse(StatusCode::invalid_argument,
                "receive headers: connect-protocol-version " + wire::shown(version) + " is not 1");
}

bool CallHeadReader::read_timeout(CallHead& head) {
  const bool is_grpc_web = head.format == Format::grpc_web || head.format == Format::grpc_web_text;
  const FieldName name = is_grpc_web ? FieldName::grpc_timeout : FieldName::connect_timeout_ms;
  if (!has(name)) return true;
  head.timeout = is_grpc_web ? parse_timeout(value(name)) : parse_connect_timeout(value(name));
  if (head.timeout) return true;
  return refuse(is_grpc_web ? StatusCode::internal : StatusCode::invalid_argument,
                "receive headers: " + std::string(to_string(name)) + " is malformed");
}

bool CallHeadReader::read_encodings(CallHead& head) {
  FieldName encoding = FieldName::content_encoding;
  switch (head.format) {
    case Format::grpc_web:
    case Format::grpc_web_text:
      encoding = FieldName::grpc_encoding;
      head.accepted = encodings_.read_list(value(FieldName::grpc_accept_encoding));
      break;
    case Format::connect_stream:
      encoding = FieldName::connect_content_encoding;
      head.accepted = encodings_.read_list(value(FieldName::connect_accept_encoding));
      break;
    default:
      head.accepted = encodings_.read_http_list(value(FieldName::accept_encoding));
  }
  return read_encoding(value(encoding), to_string(encoding), head);
}

bool CallHeadReader::read_encoding(std::string_view name, std::string_view field, CallHead& head) {
  if (names_identity(name)) return true;
  head.compressor = encodings_.find(name);
  if (head.compressor != nullptr) return true;
  std::string text = "receive headers: ";
  text.append(field).append(" ").append(wire::shown(name)).append(" is not known here");
  return refuse(StatusCode::unimplemented, text);
}

/// A browser sends the request for a page of any site, without asking the server first, but says whose page it is.
bool CallHeadReader::check_origin(std::string_view authority, std::string_view way_out) {
  const std::string_view origin = value(FieldName::origin);
  if (!has(FieldName::origin) || cors_origin_ != nullptr) return true;
  if (is_allowed_origin(origin, authority, options_.allowed_origins)) return true;
  return refuse_as_text(
      403, StatusCode::permission_denied,
      "receive headers: a page of " + wire::shown(origin) + " may not call this server" + std::string(way_out));
}

/// A page of any site can have the browser send a GET, as if for a picture, with the user's cookies.
bool CallHeadReader::check_fetch_site() {
  const std::string_view site = value(FieldName::sec_fetch_site);
  if (site.empty() || site == "same-origin" || site == "none" || cors_origin_ != nullptr) return true;
  return refuse_as_text(403, StatusCode::permission_denied,
                        "receive headers: a page of another site may not call this server by GET");
}

/// Events are lines of text, as JSON can be written and other codecs cannot.
bool CallHeadReader::wants_events(const Codec* codec) const noexcept {
  if (codec == nullptr || codec->name() != "json") return false;
  const std::string_view accept = value(FieldName::accept);
  return accept.find("text/event-stream") != accept.npos && accept.find("application/json") == accept.npos;
}

bool CallHeadReader::refuse_as_text(std::uint32_t http_status, StatusCode code, std::string_view text) {
  http_status_ = http_status;
  answer_format_.reset();
  status_ = Status(code, text);
  return false;
}

bool CallHeadReader::refuse(StatusCode code, std::string_view text) {
  status_ = Status(code, text);
  return false;
}

}  // namespace trunkline::session::web
