// SPDX-License-Identifier: MIT
// Reads the fields of a call, one by one.
#include "session/grpc/request_reader.h"

#include "base/token.h"
#include "http/http1/field.h"
#include "http/http2/header_rules.h"
#include "session/web/allowed_host.h"
#include "session/web/content_type.h"
#include "session/web/encoding_name.h"
#include "session/web/method_path.h"
#include "session/web/route_fields.h"
#include "session/web/timeout.h"
#include "wire/shown_text.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace trunkline::session::grpc {
namespace {

using http::http2::FieldKind;
using http::http2::HeaderRules;

/// The values are in the order of the names in name_ids(), from 1.
enum Name : std::uint8_t {
  other,
  method,
  scheme,
  authority,
  path,
  content_type,
  te,
  timeout,
  encoding,
  accept_encoding,
  user_agent,
  http_accept_encoding,
  content_length,
  message_type,
  host,
  expectation,
  /// The names from here on are in the order of `web_names`.
  first_of_web,
};

/// Protocols other than gRPC have these fields. http_accept_encoding and content_type are fields of theirs too.
constexpr std::array web_names{
    web::FieldName::accept,
    web::FieldName::connect_accept_encoding,
    web::FieldName::connect_content_encoding,
    web::FieldName::connect_protocol_version,
    web::FieldName::connect_timeout_ms,
    web::FieldName::content_encoding,
    web::FieldName::origin,
    web::FieldName::sec_fetch_site,
    web::FieldName::access_control_request_headers,
    web::FieldName::access_control_request_method,
};

const http::hpack::NameIds& name_ids() {
  static const http::hpack::NameIds ids({":method",
                                         ":scheme",
                                         ":authority",
                                         ":path",
                                         "content-type",
                                         "te",
                                         "grpc-timeout",
                                         "grpc-encoding",
                                         "grpc-accept-encoding",
                                         "user-agent",
                                         "accept-encoding",
                                         "content-length",
                                         "grpc-message-type",
                                         "host",
                                         "expect",
                                         "accept",
                                         "connect-accept-encoding",
                                         "connect-content-encoding",
                                         "connect-protocol-version",
                                         "connect-timeout-ms",
                                         "content-encoding",
                                         "origin",
                                         "sec-fetch-site",
                                         "access-control-request-headers",
                                         "access-control-request-method"},
                                        &http::http2::classify_for_table);
  return ids;
}

}  // namespace

RequestReader::RequestReader(const SessionOptions& options, const web::MessageEncodings& encodings, SessionOwner& owner)
    : options_(options),
      encodings_(encodings),
      decoder_(name_ids(), {.max_list_bytes = options.limits.max_header_bytes}),
      metadata_(options.limits.max_header_bytes),
      web_(options, encodings),
      routes_(owner),
      owner_(owner) {}

RequestReader::Outcome RequestReader::read(ByteSpan block) {
  if (!request_.metadata.empty()) request_.metadata.clear();
  if (request_.message) request_.message.reset();
  const std::uint64_t revision = decoder_.table().revision();
  if (decoder_.accepts_fields()) [[likely]] {
    const RequestHead* const known = cache_.find(block, revision);
    // A route may take what has been a call of plain HTTP before.
    const bool is_known =
        known != nullptr && (known->format == web::Format::grpc || owner_.routes_version() == routes_version_);
    if (is_known) {
      static_cast<RequestHead&>(request_) = *known;
      request_.method = method_of(known->method_number);
      return Outcome::request;
    }
  }
  const Outcome outcome = decode(block);
  const bool may_repeat =
      outcome == Outcome::request && request_.method_number != 0 && request_.metadata.empty() && !request_.message;
  if (may_repeat && !decoder_.had_size_update() && decoder_.table().revision() == revision) {
    if (request_.format != web::Format::grpc && routes_version_ != owner_.routes_version()) {
      cache_.clear();
      routes_version_ = owner_.routes_version();
    }
    cache_.keep(block, revision, request_);
  }
  return outcome;
}

RequestReader::Outcome RequestReader::decode(ByteSpan block) {
  static_cast<RequestHead&>(request_) = {};
  request_.method = {};
  verb_.clear();
  path_.clear();
  authority_.clear();
  has_content_type_ = has_grpc_type_ = is_path_right_ = false;
  has_looked_for_route_ = has_unknown_expectation_ = false;
  route_ = web::RouteFinder::Outcome::none;
  allowed_ = web::methods_of_calls;
  answer_format_.reset();
  web_.begin();
  metadata_.begin();
  faults_ = 0;
  http_status_ = 200;
  status_ = {};
  preflight_origin_ = nullptr;
  HeaderRules rules(HeaderRules::Section::request);
  bool is_valid = true;
  decoder_.begin(block);
  for (http::hpack::Field field;;) {
    const auto step = decoder_.next(field);
    if (step == http::hpack::Decoder::Step::error) return Outcome::failed;
    if (step == http::hpack::Decoder::Step::end_too_large) {
      refuse(431, StatusCode::resource_exhausted,
             "receive headers: more than max_header_bytes " + std::to_string(options_.limits.max_header_bytes));
      if (has_grpc_type_) answer_format_ = web::Format::grpc;
      return is_valid ? Outcome::refused : Outcome::malformed;
    }
    if (step == http::hpack::Decoder::Step::end) break;
    field.value = base::trim_blanks(field.value);
    const auto kind = static_cast<FieldKind>(field.kind);
    is_valid = is_valid && rules.accept(kind);
    if (is_valid && !has_looked_for_route_ && kind == FieldKind::regular) find_route();
    is_valid = is_valid && take(field);
  }
  if (!is_valid || !rules.is_complete()) return Outcome::malformed;
  if (!web::is_allowed_host(authority_, options_.allowed_hosts)) {
    refuse_host();
    return Outcome::refused;
  }
  if (!has_looked_for_route_) find_route();
  const bool is_of_rpc_protocol =
      has_grpc_type_ || (route_ != web::RouteFinder::Outcome::none && web_.is_of_rpc_protocol());
  if (is_of_rpc_protocol) route_ = web::RouteFinder::Outcome::none;
  if (route_ != web::RouteFinder::Outcome::route) preflight_origin_ = web_.preflight_origin(verb_);
  if (preflight_origin_ != nullptr) return Outcome::refused;
  if (has_grpc_type_) {
    end_grpc();
  } else if (route_ != web::RouteFinder::Outcome::none) {
    end_route();
  } else {
    end_web();
  }
  if (has_unknown_expectation_ && status_.is_ok()) {
    refuse(417, StatusCode::invalid_argument, "receive headers: expect is not 100-continue");
  }
  return status_.is_ok() ? Outcome::request : Outcome::refused;
}

RequestReader::Outcome RequestReader::read_trailers(ByteSpan block) {
  HeaderRules rules(HeaderRules::Section::trailers);
  bool is_valid = true;
  decoder_.begin(block);
  for (http::hpack::Field field;;) {
    const auto step = decoder_.next(field);
    if (step == http::hpack::Decoder::Step::error) return Outcome::failed;
    if (step != http::hpack::Decoder::Step::field) break;
    is_valid = is_valid && rules.accept(static_cast<FieldKind>(field.kind));
  }
  return is_valid && rules.is_complete() ? Outcome::request : Outcome::malformed;
}

RequestReader::Outcome RequestReader::skip(ByteSpan block) {
  decoder_.begin(block);
  return decoder_.skip_rest() == http::hpack::Decoder::Step::error ? Outcome::failed : Outcome::request;
}

/// Looks for a route, once the pseudo-fields have been read.
void RequestReader::find_route() {
  has_looked_for_route_ = true;
  if (owner_.routes_version() == 0) return;
  // A path that has a number is not kept.
  if (request_.method_number != 0) path_.assign("/").append(request_.method);
  route_ = routes_.find(verb_, path_);
  if (route_ != web::RouteFinder::Outcome::route) return;
  route_fields_.clear();
  route_fields_.add(web::request_line_name, std::string(verb_).append(" ").append(path_));
  if (!authority_.empty()) route_fields_.add("host", authority_);
}

/// The request is for a route, or would be if it had another method of HTTP. A refusal as a call does not count.
void RequestReader::end_route() {
  http_status_ = 200;
  status_ = {};
  request_.method_number = 0;
  if (route_ == web::RouteFinder::Outcome::not_allowed) {
    return refuse(405, StatusCode::unimplemented, "receive headers: this path takes " + routes_.allowed());
  }
  web::CallHead head;
  const auto outcome = web_.finish_route({.method = verb_, .target = path_, .authority = authority_}, head);
  answer_format_ = web_.answer_format();
  answer_codec_ = web_.answer_codec();
  if (outcome == web::CallHeadReader::Outcome::refused)
    refuse(web_.http_status(), web_.status().code(), web_.status().message());
  request_.format = head.format;
  request_.is_get = false;
  request_.codec = head.codec;
  request_.compressor = nullptr;
  request_.accepted = {};
  request_.timeout = head.timeout;
  request_.method = routes_.name();
  request_.metadata = std::exchange(route_fields_, {});
}

/// Refuses the host of the request, before anything else that may be wrong with the request.
void RequestReader::refuse_host() {
  route_ = web::RouteFinder::Outcome::none;
  http_status_ = 200;
  status_ = {};
  const bool is_grpc = has_grpc_type_ && verb_ == "POST";
  if (is_grpc) answer_format_ = web::Format::grpc;
  answer_codec_ = request_.codec;
  refuse(is_grpc ? 200 : web::misdirected_request, StatusCode::permission_denied,
         web::text_of_refused_host(authority_));
}

/// web_ has refused the HTTP method. Sets which methods the path takes, or refuses with 404 if it names none.
void RequestReader::refuse_http_method() {
  if (web_.method().empty()) return;
  allowed_ = owner_.http_methods_of(web_.method());
  if (!allowed_.empty()) return;
  http_status_ = 404;
  status_ = Status(StatusCode::unimplemented, "receive headers: the path names no method");
}

void RequestReader::end_grpc() {
  const bool is_post = verb_ == "POST";
  if (is_post) answer_format_ = web::Format::grpc;
  answer_codec_ = request_.codec;
  if (web_.has_foreign_fields()) {
    for (const web::FieldName name : web_names) {
      if (web_.has(name) && !web::is_metadata_too(name)) take_metadata(web::to_string(name), web_.value(name));
    }
  }
  if (!is_post) return refuse(405, StatusCode::internal, "receive headers: the method is not POST");
  refuse_for(Fault::content_type);
  if (!is_path_right_) refuse(200, StatusCode::unimplemented, "receive headers: :path is malformed");
  refuse_for(Fault::timeout);
  refuse_for(Fault::encoding);
  refuse_for(Fault::metadata);
}

/// The fields of gRPC-Web that are gRPC's too have been read.
void RequestReader::end_web() {
  // A path that has a number is not kept.
  if (request_.method_number != 0) path_.assign("/").append(request_.method);
  web::CallHead head;
  const auto outcome = web_.finish({.method = verb_, .target = path_, .authority = authority_}, head);
  const bool is_grpc_web = head.format == web::Format::grpc_web || head.format == web::Format::grpc_web_text;
  if (outcome == web::CallHeadReader::Outcome::refused) {
    refuse(web_.http_status(), web_.status().code(), web_.status().message());
    if (http_status_ == 405) refuse_http_method();
  }
  refuse_for(Fault::content_type);
  if (is_grpc_web) {
    refuse_for(Fault::timeout);
    refuse_for(Fault::encoding);
  }
  refuse_for(Fault::metadata);
  answer_format_ = web_.answer_format();
  answer_codec_ = web_.answer_codec();
  request_.format = head.format;
  request_.is_get = head.is_get;
  request_.cors_origin = head.cors_origin;
  request_.codec = head.codec;
  request_.method = web_.method();
  request_.message = web_.message();
  if (is_grpc_web) return;
  request_.compressor = head.compressor;
  request_.accepted = head.accepted;
  request_.timeout = head.timeout;
}

/// Takes one field. Returns false if the request is malformed.
bool RequestReader::take(const http::hpack::Field& field) {
  const bool is_unchanged =
      field.name_id != content_length && field.name_id != te && (field.name_id != host || authority_.empty());
  if (route_ == web::RouteFinder::Outcome::route && is_unchanged) {
    web::add_request_field(field.name, field.value, route_fields_);
  }
  switch (field.name_id) {
    case path:
      take_path(field);
      return true;
    case method:
      verb_.assign(field.value);
      return true;
    case content_type:
      take_content_type(field);
      return true;
    case content_length:
      return take_content_length(field.value);
    case timeout:
      request_.timeout = web::parse_timeout(field.value);
      if (!request_.timeout) {
        note(Fault::timeout, 400, StatusCode::internal, "receive headers: grpc-timeout is malformed");
      }
      return true;
    case encoding:
      if (web::names_identity(field.value)) return true;
      request_.compressor = encodings_.find(field.value);
      if (request_.compressor == nullptr) {
        note(Fault::encoding, 200, StatusCode::unimplemented,
             "receive headers: grpc-encoding " + wire::shown(field.value) + " is not known here");
      }
      return true;
    case accept_encoding:
      request_.accepted.insert(encodings_.read_list(field.value));
      return true;
    case authority:
      authority_.assign(field.value);
      return true;
    case host:
      return take_host(field.value);
    case http_accept_encoding:
      static_cast<void>(web_.add(web::FieldName::accept_encoding, field.value));
      return true;
    case expectation:
      request_.expects_continue = http::http1::equals_ignoring_case(field.value, "100-continue");
      has_unknown_expectation_ = has_unknown_expectation_ || !request_.expects_continue;
      return true;
    case Name::user_agent:
      request_.user_agent = user_agents_.number_of(field.value, [this] { cache_.clear(); });
      return true;
    case scheme:
    case te:
    case message_type:
      return true;
    default:
      if (field.name_id >= first_of_web && !web_.add(web_names[field.name_id - first_of_web], field.value)) return true;
      take_metadata(field.name, field.value);
      return true;
  }
}

void RequestReader::take_path(const http::hpack::Field& field) {
  // The memo lives as long as the path stays in a table or the cache of literals, so a number has one path only.
  if (*field.memo != 0) {
    is_path_right_ = true;
    request_.method_number = *field.memo;
    request_.method = method_of(request_.method_number);
    return;
  }
  path_.assign(field.value);
  request_.method = web::method_of_path(path_, decoded_method_);
  is_path_right_ = !request_.method.empty();
  if (!is_path_right_) return;
  constexpr std::size_t longest = 256;
  const bool is_encoded = request_.method.size() + 1 != path_.size();
  if (is_encoded || path_.size() > longest || methods_.size() >= options_.limits.max_methods) return;
  request_.method = methods_.emplace_back(request_.method);
  method_bytes_ += sizeof(std::string) + request_.method.size();
  request_.method_number = *field.memo = static_cast<std::uint32_t>(methods_.size());
}

/// A request that names two hosts could be meant for either (RFC 9113, section 8.3.1).
bool RequestReader::take_host(std::string_view value) {
  if (authority_.empty()) authority_.assign(value);
  return http::http1::are_equal_hosts(authority_, value);
}

bool RequestReader::take_content_length(std::string_view value) {
  std::uint64_t length = 0;
  const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), length);
  if (error != std::errc() || stop != value.data() + value.size()) return false;
  if (request_.content_length && *request_.content_length != length) return false;
  request_.content_length = length;
  return true;
}

void RequestReader::take_content_type(const http::hpack::Field& field) {
  if (has_content_type_) {
    return note(Fault::content_type, 415, StatusCode::invalid_argument, "receive headers: two content-types");
  }
  has_content_type_ = true;
  const auto& codecs = options_.codecs->codecs();
  // The memo is the position of the codec, from 1.
  if (*field.memo == 0) {
    const auto subtype = web::subtype_of_content_type(field.value);
    if (!subtype) return static_cast<void>(web_.add(web::FieldName::content_type, field.value));
    has_grpc_type_ = true;
    const Codec* const known = web::find_codec(*subtype, *options_.codecs);
    if (known == nullptr) {
      return note(Fault::content_type, 415, StatusCode::unimplemented,
                  "receive headers: content-type " + std::string(field.value.substr(0, 128)) + " is not known here");
    }
    const auto found =
        std::find_if(codecs.begin(), codecs.end(), [known](const auto& one) { return one.get() == known; });
    *field.memo = static_cast<std::uint32_t>(found - codecs.begin() + 1);
  }
  has_grpc_type_ = true;
  request_.codec = codecs[*field.memo - 1].get();
}

void RequestReader::take_metadata(std::string_view name, std::string_view value) {
  if (has(Fault::metadata)) return;
  const Status status = metadata_.add(name, value, request_.metadata);
  if (status.is_ok()) return;
  note(Fault::metadata, status.code() == StatusCode::resource_exhausted ? 431 : 400, status.code(), status.message());
}

/// Keeps what is wrong with a field, until it is known whether that matters. The first of its kind counts.
void RequestReader::note(Fault fault, std::uint32_t http_status, StatusCode code, std::string_view text) {
  if (has(fault)) return;
  faults_ |= bit(fault);
  refusals_[static_cast<std::size_t>(fault)] = {http_status, Status(code, text)};
}

/// Refuses the request if it has the fault.
void RequestReader::refuse_for(Fault fault) {
  if (!has(fault)) return;
  const Refusal& refusal = refusals_[static_cast<std::size_t>(fault)];
  refuse(refusal.http_status, refusal.status.code(), refusal.status.message());
}

/// Refuses the request. The first reason counts.
void RequestReader::refuse(std::uint32_t http_status, StatusCode code, std::string_view text) {
  if (!status_.is_ok()) return;
  http_status_ = http_status;
  status_ = Status(code, text);
}

}  // namespace trunkline::session::grpc
