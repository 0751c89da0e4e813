// SPDX-License-Identifier: MIT
// Takes fields by what their names mean.
#include "session/web/response_fields.h"

#include "codec/base64.h"
#include "session/web/encoding_name.h"
#include "session/web/percent_encoding.h"
#include "session/web/repeated_status.h"
#include "session/web/status_fields.h"
#include "wire/shown_text.h"

namespace trunkline::session::web {

ResponseFields::ResponseFields(const SessionOptions& options, const MessageEncodings& encodings,
                               ClientProtocol protocol)
    : options_(options), encodings_(encodings), protocol_(protocol), reader_(options.limits.max_header_bytes) {}

void ResponseFields::begin(std::uint32_t http_status) {
  facts_ = {};
  facts_.http_status = http_status;
  metadata_.clear();
  reader_.begin();
  refusal_ = status_ = {};
  content_type_.clear();
  message_.clear();
  details_.clear();
}

void ResponseFields::add(std::string_view name, std::string_view value) {
  if (take(name, value) || !refusal_.is_ok()) return;
  refusal_ = reader_.add(name, value, metadata_);
}

void ResponseFields::finish() {
  if (facts_.has_status) status_ = read_status_fields(code_, message_.bytes(), details_.bytes());
}

/// Returns false if the field is metadata, or means nothing.
bool ResponseFields::take(std::string_view name, std::string_view value) {
  if (name == "content-type") {
    facts_.take_content_type(value, *options_.codecs);
    if (facts_.codec == nullptr) content_type_ = wire::shown(value);
    return true;
  }
  return protocol_ == ClientProtocol::connect ? take_of_connect(name, value) : take_of_grpc_web(name, value);
}

bool ResponseFields::take_of_connect(std::string_view name, std::string_view value) {
  if (name == "content-encoding") {
    facts_.body_compressor = compressor_of(value);
  } else if (name == "connect-content-encoding") {
    facts_.compressor = compressor_of(value);
  } else if (name == "accept-encoding") {
    facts_.accepted = encodings_.read_http_list(value);
  } else if (name == "connect-accept-encoding") {
    facts_.accepted = encodings_.read_list(value);
  } else {
    return false;
  }
  return true;
}

bool ResponseFields::take_of_grpc_web(std::string_view name, std::string_view value) {
  if (name == "grpc-encoding") {
    facts_.compressor = compressor_of(value);
  } else if (name == "grpc-accept-encoding") {
    facts_.accepted = encodings_.read_list(value);
  } else if (name == status_field_name) {
    if (facts_.has_status && value != code_ && refusal_.is_ok()) refusal_ = differing_codes(code_, value);
    facts_.has_status = true;
    code_ = value;
  } else if (name == message_field_name) {
    message_.clear();
    append_percent_decoded(value, message_);
  } else if (name == details_field_name) {
    details_.clear();
    static_cast<void>(codec::append_decoded_base64(value, details_));
  } else if (name == pushback_field_name) {
    facts_.pushback = read_pushback(value);
  } else {
    return false;
  }
  return true;
}

const Compressor* ResponseFields::compressor_of(std::string_view name) {
  const Compressor* const found = encodings_.find(name);
  if (found == nullptr && !names_identity(name)) facts_.has_unknown_encoding = true;
  return found;
}

}  // namespace trunkline::session::web
