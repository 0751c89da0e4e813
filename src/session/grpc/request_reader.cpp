// SPDX-License-Identifier: MIT
// The fields of a call, one by one.
#include "session/grpc/request_reader.h"

#include "http/http2/header_rules.h"
#include "session/grpc/content_type.h"
#include "session/grpc/method_path.h"
#include "session/grpc/timeout.h"

#include <algorithm>
#include <charconv>

namespace trunkline::session::grpc {
namespace {

using http::http2::FieldKind;
using http::http2::HeaderRules;

/// In the order of the names below, from 1.
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
};

const http::hpack::NameIds& name_ids() {
  static const http::hpack::NameIds ids(
      {":method", ":scheme", ":authority", ":path", "content-type", "te", "grpc-timeout", "grpc-encoding",
       "grpc-accept-encoding", "user-agent", "accept-encoding", "content-length", "grpc-message-type"},
      &http::http2::classify_for_table);
  return ids;
}

}  // namespace

RequestReader::RequestReader(const SessionOptions& options, const MessageEncodings& encodings)
    : options_(options),
      encodings_(encodings),
      decoder_(name_ids(), {.max_list_bytes = options.limits.max_header_bytes}),
      metadata_(options.limits.max_header_bytes) {}

RequestReader::Outcome RequestReader::read(ByteSpan block) {
  if (!request_.metadata.empty()) request_.metadata.clear();
  const std::uint64_t revision = decoder_.table().revision();
  if (decoder_.accepts_fields()) [[likely]] {
    if (const RequestHead* const known = cache_.find(block, revision)) {
      static_cast<RequestHead&>(request_) = *known;
      request_.method = method_of(known->method_number);
      return Outcome::request;
    }
  }
  const Outcome outcome = decode(block);
  const bool may_repeat = outcome == Outcome::request && request_.method_number != 0 && request_.metadata.empty();
  if (may_repeat && !decoder_.had_size_update() && decoder_.table().revision() == revision) {
    cache_.keep(block, revision, request_);
  }
  return outcome;
}

RequestReader::Outcome RequestReader::decode(ByteSpan block) {
  static_cast<RequestHead&>(request_) = {};
  request_.method = {};
  has_content_type_ = has_grpc_type_ = is_post_ = is_head_ = false;
  metadata_.begin();
  http_status_ = 200;
  status_ = {};
  HeaderRules rules(HeaderRules::Section::request);
  bool is_valid = true;
  decoder_.begin(block);
  for (http::hpack::Field field;;) {
    const auto step = decoder_.next(field);
    if (step == http::hpack::Decoder::Step::error) return Outcome::failed;
    if (step == http::hpack::Decoder::Step::end_too_large) {
      refuse(431, StatusCode::resource_exhausted,
             "receive headers: more than max_header_bytes " + std::to_string(options_.limits.max_header_bytes));
      return is_valid ? Outcome::refused : Outcome::malformed;
    }
    if (step == http::hpack::Decoder::Step::end) break;
    is_valid = is_valid && rules.accept(static_cast<FieldKind>(field.kind)) && take(field);
  }
  if (!is_valid || !rules.is_complete()) return Outcome::malformed;
  if (!has_content_type_) refuse(415, StatusCode::invalid_argument, "receive headers: no content-type");
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

/// False: the request is malformed.
bool RequestReader::take(const http::hpack::Field& field) {
  switch (field.name_id) {
    case path:
      take_path(field);
      return true;
    case method:
      is_post_ = field.value == "POST";
      is_head_ = field.value == "HEAD";
      if (!is_post_) refuse(405, StatusCode::internal, "receive headers: the method is not POST");
      return true;
    case content_type:
      take_content_type(field);
      return true;
    case content_length:
      return take_content_length(field.value);
    case timeout:
      request_.timeout = parse_timeout(field.value);
      if (!request_.timeout) refuse(400, StatusCode::internal, "receive headers: grpc-timeout is malformed");
      return true;
    case encoding:
      if (field.value == "identity") return true;
      request_.compressor = encodings_.find(field.value);
      if (request_.compressor == nullptr) {
        refuse(200, StatusCode::unimplemented,
               "receive headers: grpc-encoding " + std::string(field.value) + " is not known here");
      }
      return true;
    case accept_encoding:
      request_.accepted.insert(encodings_.read_list(field.value));
      return true;
    case scheme:
    case authority:
    case te:
    case user_agent:
    case http_accept_encoding:
    case message_type:
      return true;
    default:
      take_metadata(field);
      return true;
  }
}

void RequestReader::take_path(const http::hpack::Field& field) {
  // The memo lives as long as the path stays in a table or the cache of literals, so a number has one path only.
  if (*field.memo != 0) {
    request_.method_number = *field.memo;
    request_.method = method_of(request_.method_number);
    return;
  }
  path_.assign(field.value);
  request_.method = method_of_path(path_, decoded_method_);
  if (request_.method.empty()) return refuse(200, StatusCode::unimplemented, "receive headers: :path is malformed");
  constexpr std::size_t longest = 256;
  const bool is_encoded = request_.method.size() + 1 != path_.size();
  if (is_encoded || path_.size() > longest || methods_.size() >= options_.limits.max_methods) return;
  request_.method = methods_.emplace_back(request_.method);
  method_bytes_ += sizeof(std::string) + request_.method.size();
  request_.method_number = *field.memo = static_cast<std::uint32_t>(methods_.size());
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
  if (has_content_type_) return refuse(415, StatusCode::invalid_argument, "receive headers: two content-types");
  has_content_type_ = true;
  const auto& codecs = options_.codecs->codecs();
  // The memo is the position of the codec, from 1.
  if (*field.memo == 0) {
    const auto subtype = subtype_of_content_type(field.value);
    has_grpc_type_ = subtype.has_value();
    const Codec* const known = subtype ? find_codec(*subtype, *options_.codecs) : nullptr;
    if (known == nullptr) {
      return refuse(415, StatusCode::invalid_argument,
                    "receive headers: content-type " + std::string(field.value.substr(0, 128)) + " is not known here");
    }
    const auto found =
        std::find_if(codecs.begin(), codecs.end(), [known](const auto& one) { return one.get() == known; });
    *field.memo = static_cast<std::uint32_t>(found - codecs.begin() + 1);
  }
  has_grpc_type_ = true;
  request_.codec = codecs[*field.memo - 1].get();
}

void RequestReader::take_metadata(const http::hpack::Field& field) {
  if (!status_.is_ok()) return;
  const Status status = metadata_.add(field.name, field.value, request_.metadata);
  if (status.is_ok()) return;
  refuse(status.code() == StatusCode::resource_exhausted ? 431 : 400, status.code(), status.message());
}

/// The first reason counts.
void RequestReader::refuse(std::uint32_t http_status, StatusCode code, std::string_view text) {
  if (!status_.is_ok()) return;
  http_status_ = http_status;
  status_ = Status(code, text);
}

}  // namespace trunkline::session::grpc
