// SPDX-License-Identifier: MIT
// The fields of a response, one by one.
#include "session/grpc/response_reader.h"

#include "codec/base64.h"
#include "session/grpc/content_type.h"
#include "session/grpc/percent_encoding.h"
#include "session/grpc/rpc_status.h"
#include "wire/text.h"

#include <algorithm>
#include <charconv>

namespace trunkline::session::grpc {
namespace {

using http::http2::FieldKind;
using http::http2::HeaderRules;

/// In the order of the names below, from 1.
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
};

const http::hpack::NameIds& name_ids() {
  static const http::hpack::NameIds ids(
      {":status", "content-type", "grpc-encoding", "grpc-accept-encoding", "grpc-status", "grpc-message",
       "grpc-status-details-bin", "grpc-retry-pushback-ms", "content-length"},
      &http::http2::classify_for_table);
  return ids;
}

// The memo of a content type: 0 is unknown, and from of_codec_memo on stand the positions of codecs.
constexpr std::uint32_t other_memo = 1;
constexpr std::uint32_t of_call_memo = 2;
constexpr std::uint32_t unknown_codec_memo = 3;
constexpr std::uint32_t of_codec_memo = 4;

std::string utf8_of(ByteSpan text) {
  std::string copy(text.size(), '\0');
  wire::copy_as_utf8(as_text(text), reinterpret_cast<std::byte*>(copy.data()));
  return copy;
}

}  // namespace

ResponseReader::ResponseReader(const SessionOptions& options, const MessageEncodings& encodings)
    : options_(options),
      encodings_(encodings),
      decoder_(name_ids(), {.max_list_bytes = options.limits.max_header_bytes}),
      metadata_(options.limits.max_header_bytes) {}

ResponseReader::Outcome ResponseReader::read(ByteSpan block, Section section) {
  if (!response_.metadata.empty()) response_.metadata.clear();
  const std::uint64_t revision = decoder_.table().revision();
  if (decoder_.accepts_fields()) [[likely]] {
    const Meaning* const known = cache_.find(block, revision);
    if (known != nullptr && known->section == section) {
      static_cast<ResponseHead&>(response_) = known->head;
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

ResponseReader::Outcome ResponseReader::decode(ByteSpan block, Section section) {
  static_cast<ResponseHead&>(response_) = {};
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
    is_valid = is_valid && rules.accept(static_cast<FieldKind>(field.kind)) && take(field);
  }
  if (!is_valid || (refusal_.is_ok() && !rules.is_complete())) return Outcome::malformed;
  if (!refusal_.is_ok()) {
    status_ = refusal_;
    return Outcome::refused;
  }
  if (response_.has_status) make_status();
  return Outcome::response;
}

ResponseReader::Outcome ResponseReader::skip(ByteSpan block) {
  decoder_.begin(block);
  return decoder_.skip_rest() == http::hpack::Decoder::Step::error ? Outcome::failed : Outcome::response;
}

/// False: the response is malformed.
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
      response_.compressor = encodings_.find(field.value);
      return true;
    case accept_encoding:
      response_.accepted = encodings_.read_list(field.value);
      return true;
    case grpc_status:
      response_.has_status = true;
      code_.assign(field.value);
      return true;
    case grpc_message:
      message_.clear();
      append_percent_decoded(field.value, message_);
      return true;
    case grpc_details:
      details_.clear();
      static_cast<void>(codec::append_decoded_base64(field.value, details_));
      return true;
    case pushback:
      take_pushback(field.value);
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

void ResponseReader::take_content_type(const http::hpack::Field& field) {
  const auto& codecs = options_.codecs->codecs();
  if (*field.memo == 0) {
    const auto subtype = subtype_of_content_type(field.value);
    const bool is_plain = field.value.size() <= media_type.size() || field.value[media_type.size()] != '+';
    const Codec* const known = subtype ? find_codec(*subtype, *options_.codecs) : nullptr;
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
  if (memo == other_memo || memo == unknown_codec_memo) content_type_.assign(field.value.substr(0, 128));
}

/// What is no number forbids a retry (gRPC's A6).
void ResponseReader::take_pushback(std::string_view value) {
  std::int64_t pause = 0;
  const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), pause);
  const bool is_number = error == std::errc() && stop == value.data() + value.size();
  constexpr std::int64_t longest = 24 * 3600 * 1000;
  response_.pushback = std::chrono::milliseconds(is_number ? std::min(pause, longest) : -1);
}

void ResponseReader::make_status() {
  if (code_ == "0") return;
  std::uint32_t code = 0;
  const auto [stop, error] = std::from_chars(code_.data(), code_.data() + code_.size(), code);
  if (error != std::errc() || stop != code_.data() + code_.size()) {
    status_ = Status(StatusCode::unknown, "receive trailers: grpc-status is no number", StatusOrigin::peer);
    return;
  }
  const StatusCode known = is_valid_status_code(code) ? static_cast<StatusCode>(code) : StatusCode::unknown;
  if (known == StatusCode::ok) return;
  status_ = Status(known, utf8_of(message_.bytes()), StatusOrigin::peer);
  if (details_.size() > 0) static_cast<void>(add_details_of(details_.bytes(), status_));
}

}  // namespace trunkline::session::grpc
