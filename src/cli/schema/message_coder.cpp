// SPDX-License-Identifier: MIT
// MessageCoder: uses protobuf's converter between JSON and its binary form, and the library's codecs for the others.
#include "cli/schema/message_coder.h"

#include "cli/json/json_conversion_error.h"
#include "cli/json/json_syntax.h"

#include <trunkline/value.h>

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>

#include <utility>

namespace trunkline::cli::schema {
namespace {

using google::protobuf::Descriptor;
namespace util = google::protobuf::util;

constexpr const char* url_prefix = "type.googleapis.com";

std::string type_url(const Descriptor& type) { return std::string(url_prefix) + "/" + type.full_name(); }

Status refuse(const json::JsonText& json, std::string_view reason) {
  const std::string where = json.line > 1 ? " at line " + std::to_string(json.line) : "";
  return {StatusCode::invalid_argument, "request" + where + ": " + std::string(reason)};
}

Status wrong_response(std::string_view what) {
  return {StatusCode::internal, "response: " + std::string(what), StatusOrigin::local};
}

}  // namespace

MessageCoder::MessageCoder(const Descriptor* request, const Descriptor* response, CoderOptions options)
    : request_(request), response_(response), options_(std::move(options)), codecs_(CodecRegistry::with_defaults()) {
  if (request_ != nullptr) {
    resolver_.reset(util::NewTypeResolverForDescriptorPool(url_prefix, request_->file()->pool()));
  }
}

Result<Payload> MessageCoder::encode(const json::JsonText& json) const {
  if (options_.sent_as_is) return Payload{Slice::copy_of(json.text), options_.codec};
  if (const Status status = json::check_json(json); !status)
    return Status(StatusCode::invalid_argument, "request is not JSON: " + std::string(status.message()));
  if (options_.codec == "protobuf") return encode_protobuf(json);
  if (options_.codec == "json") return Payload{Slice::copy_of(json.text), "json"};
  Value value;
  if (Status status = codecs_.find("json")->decode(Slice::copy_of(json.text), MutableMessageView::of(value)); !status) {
    return refuse(json, status.message());
  }
  BufferWriter out;
  if (Status status = codecs_.find(options_.codec)->encode(MessageView::of(value), out); !status) {
    return refuse(json, status.message());
  }
  return Payload{out.take(), options_.codec};
}

Result<Payload> MessageCoder::encode_protobuf(const json::JsonText& json) const {
  std::string binary;
  const auto status = util::JsonToBinaryString(resolver_.get(), type_url(*request_), json.text, &binary);
  if (status.ok()) return Payload{Slice::from_string(std::move(binary)), "protobuf"};
  std::string reason = json::explain_conversion_error(nlohmann::json::parse(json.text), *request_);
  // explain_conversion_error() does not detect every error. The others are reported with protobuf's text.
  if (reason.empty()) reason = "not a valid " + request_->full_name() + ": " + status.message().ToString();
  return refuse(json, reason);
}

Result<std::string> MessageCoder::decode(const Payload& payload) const {
  if (payload.codec == "protobuf") return decode_protobuf(payload);
  if (payload.codec.empty()) return std::string(options_.codec == "protobuf" ? "{}" : "null");
  Value value;
  const Codec& codec = *codecs_.find(payload.codec);
  if (payload.codec == "bytes") {
    value = Value::bytes(payload.bytes.bytes());
  } else if (Status status = codec.decode(payload.bytes, MutableMessageView::of(value)); !status) {
    return wrong_response(status.message());
  }
  if (payload.codec == "json") return json::lay_out(payload.bytes.text(), options_.layout);
  BufferWriter out;
  if (Status status = codecs_.find("json")->encode(MessageView::of(value), out); !status) {
    return wrong_response(status.message());
  }
  return json::lay_out(as_text(out.bytes()), options_.layout);
}

Result<std::string> MessageCoder::decode_protobuf(const Payload& payload) const {
  if (response_ == nullptr) {
    return Status(StatusCode::failed_precondition,
                  "response: it is protobuf and cannot be shown without its definition; omit --codec");
  }
  util::JsonPrintOptions printing;
  printing.always_print_primitive_fields = options_.shows_defaults;
  std::string json;
  const auto status =
      util::BinaryToJsonString(resolver_.get(), type_url(*response_), payload.bytes.to_string(), &json, printing);
  if (status.ok()) return options_.layout == json::JsonLayout::compact ? json : json::lay_out(json, options_.layout);
  return wrong_response(std::to_string(payload.bytes.size()) + " bytes are not a " + response_->full_name() + ": " +
                        status.message().ToString());
}

}  // namespace trunkline::cli::schema
