// SPDX-License-Identifier: MIT
// Reads the fields of a response, one by one.
#include "session/grpc/response_reader.h"

#include "base/token.h"
#include "codec/base64.h"
#include "session/web/encoding_name.h"
#include "session/web/percent_encoding.h"
#include "session/web/repeated_status.h"
#include "session/web/status_fields.h"
#include "wire/shown_text.h"

#include <algorithm>
#include <charconv>

namespace trunkline::session::grpc {
namespace {

using http::http2::FieldKind;
using http::http2::HeaderRules;

/// The values are in the order of the names in name_ids() and connect_name_ids(), from 1.
enum Name : std::uint8_t {
  other,
  http_status,
  content_type,
  encoding,
  accept_encoding,
  grpc_status,
  grpc_message,
  grpc_details,
  pushback,
  content_length,
  // The names from here on are those of Connect.
  content_encoding,
  stream_encoding,
  stream_accept_encoding,
  http_accept_encoding,
};

const http::hpack::NameIds& name_ids() {
  static const http::hpack::NameIds ids(
      {":status", "content-type", "grpc-encoding", "grpc-accept-encoding", "grpc-status", "grpc-message",
       "grpc-status-details-bin", "grpc-retry-pushback-ms", "content-length"},
      &http::http2::classify_for_table);
  return ids;
}

const http::hpack::NameIds& connect_name_ids() {
  static const http::hpack::NameIds ids(
      {":status", "content-type", "grpc-encoding", "grpc-accept-encoding", "grpc-status", "grpc-message",
       "grpc-status-details-bin", "grpc-retry-pushback-ms", "content-length", "content-encoding",
       "connect-content-encoding", "connect-accept-encoding", "accept-encoding"},
      &http::http2::classify_for_table);
  return ids;
}

// The memo of a content type is 0 if it is unknown. From of_codec_memo on it stands for the position of a codec.
constexpr std::uint32_t other_memo = 1;
constexpr std::uint32_t of_call_memo = 2;
constexpr std::uint32_t unknown_codec_memo = 3;
constexpr std::uint32_t of_codec_memo = 4;

}  // namespace

ResponseReader::ResponseReader(const SessionOptions& options, const web::MessageEncodings& encodings,
                               ClientProtocol protocol)
    : options_(options),
      encodings_(encodings),
      protocol_(protocol),
      decoder_(protocol == ClientProtocol::connect ? connect_name_ids() : name_ids(),
               {.max_list_bytes = options.limits.max_header_bytes}),
      metadata_(options.limits.max_header_bytes) {}

ResponseReader::Outcome ResponseReader::read(ByteSpan block, Section section) {
  if (!response_.metadata.empty()) response_.metadata.clear();
  const std::uint64_t revision = decoder_.table().revision();
  if (decoder_.accepts_fields()) [[likely]] {
    const Meaning* const known = cache_.find(block, revision);
    if (known != nullptr && known->section == section) {
      static_cast<web::ResponseFacts&>(response_) = known->head;
      if (!status_.is_ok()) status_ = {};
      return Outcome::response;
    }
  }
  const Outcome outcome = decode(block, section);
  const bool is_usual = outcome == Outcome::response && status_.is_ok() && response_.metadata.empty() &&
                        (response_.content == ResponseContent::none || response_.content == ResponseContent::of_call ||
                         response_.codec != nullptr);
  if (is_usual && !decoder_.had_size_update() && decoder_.table().revision() == revision) {
    cache_.keep(block, revision, {section, response_});
  }
  return outcome;
}

bool ResponseReader::is_usual_end(ByteSpan block) const noexcept {
  if (!decoder_.accepts_fields()) return false;
  // A block that is kept has neither an error nor metadata.
  const Meaning* const known = cache_.find(block, decoder_.table().revision());
  return known != nullptr && known->section == Section::trailers && known->head.has_status && !known->head.accepted &&
         !known->head.pushback;
}

ResponseReader::Outcome ResponseReader::decode(ByteSpan block, Section section) {
  static_cast<web::ResponseFacts&>(response_) = {};
  metadata_.begin();
  status_ = {};
  refusal_ = {};
  message_.clear();
  details_.clear();
  HeaderRules rules(section);
  bool is_valid = true;
  decoder_.begin(block);
  for (http::hpack::Field field;;) {
    const auto step = decoder_.next(field);
    if (step == http::hpack::Decoder::Step::error) return Outcome::failed;
    if (step == http::hpack::Decoder::Step::end_too_large) {
      refusal_ = Status(StatusCode::resource_exhausted, "receive headers: more than max_header_bytes " +
                                                            std::to_string(options_.limits.max_header_bytes));
      break;
    }
    if (step == http::hpack::Decoder::Step::end) break;
    field.value = base::trim_blanks(field.value);
    is_valid = is_valid && rules.accept(static_cast<FieldKind>(field.kind)) && take(field);
  }
  if (!is_valid || (refusal_.is_ok() && !rules.is_complete())) return Outcome::malformed;
  if (!refusal_.is_ok()) {
    status_ = refusal_;
    return Outcome::refused;
  }
  if (response_.has_status) status_ = web::read_status_fields(code_, message_.bytes(), details_.bytes());
  return Outcome::response;
}

ResponseReader::Outcome ResponseReader::skip(ByteSpan block) {
  decoder_.begin(block);
  return decoder_.skip_rest() == http::hpack::Decoder::Step::error ? Outcome::failed : Outcome::response;
}

/// Takes one field. Returns false if the response is malformed.
bool ResponseReader::take(const http::hpack::Field& field) {
  switch (field.name_id) {
    case http_status:
      // The rules of HTTP have let three digits pass.
      response_.http_status = static_cast<std::uint32_t>((field.value[0] - '0') * 100 + (field.value[1] - '0') * 10 +
                                                         (field.value[2] - '0'));
      return true;
    case content_type:
      take_content_type(field);
      return true;
    case encoding:
      if (protocol_ == ClientProtocol::connect) return true;
      response_.compressor = compressor_of(field.value);
      return true;
    case content_encoding:
      response_.body_compressor = compressor_of(field.value);
      return true;
    case stream_encoding:
      response_.compressor = compressor_of(field.value);
      return true;
    case http_accept_encoding:
      response_.accepted = encodings_.read_http_list(field.value);
      return true;
    case stream_accept_encoding:
    case accept_encoding:
      response_.accepted = encodings_.read_list(field.value);
      return true;
    case grpc_status:
      if (response_.has_status && field.value != code_ && refusal_.is_ok())
        refusal_ = web::differing_codes(code_, field.value);
      response_.has_status = true;
      code_.assign(field.value);
      return true;
    case grpc_message:
      message_.clear();
      web::append_percent_decoded(field.value, message_);
      return true;
    case grpc_details:
      details_.clear();
      static_cast<void>(codec::append_decoded_base64(field.value, details_));
      return true;
    case pushback:
      response_.pushback = web::read_pushback(field.value);
      return true;
    case content_length:
      return take_content_length(field.value);
    default:
      if (refusal_.is_ok()) refusal_ = metadata_.add(field.name, field.value, response_.metadata);
      return true;
  }
}

bool ResponseReader::take_content_length(std::string_view value) {
  std::uint64_t length = 0;
  const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), length);
  if (error != std::errc() || stop != value.data() + value.size()) return false;
  if (response_.content_length && *response_.content_length != length) return false;
  response_.content_length = length;
  return true;
}

const Compressor* ResponseReader::compressor_of(std::string_view name) {
  const Compressor* const found = encodings_.find(name);
  if (found == nullptr && !web::names_identity(name)) response_.has_unknown_encoding = true;
  return found;
}

void ResponseReader::take_content_type(const http::hpack::Field& field) {
  if (protocol_ != ClientProtocol::grpc) return take_web_content_type(field.value);
  const auto& codecs = options_.codecs->codecs();
  if (*field.memo == 0) {
    const auto subtype = web::subtype_of_content_type(field.value);
    const bool is_plain = field.value.size() <= web::media_type.size() || field.value[web::media_type.size()] != '+';
    const Codec* const known = subtype ? web::find_codec(*subtype, *options_.codecs) : nullptr;
    const auto found =
        std::find_if(codecs.begin(), codecs.end(), [known](const auto& one) { return one.get() == known; });
    *field.memo = !subtype           ? other_memo
                  : is_plain         ? of_call_memo
                  : known == nullptr ? unknown_codec_memo
                                     : of_codec_memo + static_cast<std::uint32_t>(found - codecs.begin());
  }
  const std::uint32_t memo = *field.memo;
  response_.content = memo == other_memo     ? ResponseContent::other
                      : memo == of_call_memo ? ResponseContent::of_call
                                             : ResponseContent::of_codec;
  response_.codec = memo >= of_codec_memo ? codecs[memo - of_codec_memo].get() : nullptr;
  if (memo == other_memo || memo == unknown_codec_memo) content_type_ = wire::shown(field.value);
}

void ResponseReader::take_web_content_type(std::string_view value) {
  response_.take_content_type(value, *options_.codecs);
  if (response_.codec == nullptr) content_type_ = wire::shown(value);
}

}  // namespace trunkline::session::grpc
