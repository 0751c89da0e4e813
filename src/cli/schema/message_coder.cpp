// SPDX-License-Identifier: MIT
// MessageCoder: converts with the library's codecs, protobuf by its definition.
#include "cli/schema/message_coder.h"

#include "cli/json/json_conversion_error.h"
#include "cli/json/json_syntax.h"
#include "cli/output/terminal.h"
#include "codec/protobuf_json_reader.h"
#include "codec/protobuf_json_writer.h"

#include <trunkline/value.h>

#include <google/protobuf/message.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace trunkline::cli::schema {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::Message;

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
    messages_ = std::make_unique<google::protobuf::DynamicMessageFactory>();
  }
}

Result<PackedMessage> MessageCoder::encode(const json::JsonText& json) const {
  if (options_.sent_as_is) return PackedMessage{Slice::copy_of(json.text), options_.codec};
  if (const Status status = json::check_json(json); !status)
    return Status(StatusCode::invalid_argument, "request is not JSON: " + std::string(status.message()));
  if (options_.codec == "protobuf") return encode_protobuf(json);
  if (options_.codec == "json") return PackedMessage{Slice::copy_of(json.text), "json"};
  Value value;
  if (Status status = codecs_.find("json")->decode(Slice::copy_of(json.text), MutableMessageView::of(value)); !status) {
    return refuse(json, status.message());
  }
  BufferWriter out;
  if (Status status = codecs_.find(options_.codec)->encode(MessageView::of(value), out); !status) {
    return refuse(json, status.message());
  }
  return PackedMessage{out.take(), options_.codec};
}

Result<PackedMessage> MessageCoder::encode_protobuf(const json::JsonText& json) const {
  const std::unique_ptr<Message> message(messages_->GetPrototype(request_)->New());
  codec::ProtobufJsonReader reader(json.text);
  if (!reader.read(*message)) {
    std::string reason = json::explain_conversion_error(nlohmann::json::parse(json.text), *request_);
    // explain_conversion_error() says more, but does not detect every error.
    if (reason.empty()) reason = reader.error(request_->full_name());
    return refuse(json, reason);
  }
  if (!message->IsInitialized()) {
    return refuse(
        json, "required fields of " + request_->full_name() + " are missing: " + message->InitializationErrorString());
  }
  return PackedMessage{Slice::from_string(message->SerializeAsString()), "protobuf"};
}

Result<std::string> MessageCoder::decode(const PackedMessage& payload) const {
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

Result<std::string> MessageCoder::decode_protobuf(const PackedMessage& payload) const {
  if (response_ == nullptr) {
    return Status(StatusCode::failed_precondition,
                  "response: it is protobuf and cannot be shown without its definition; omit --codec");
  }
  const std::unique_ptr<Message> message(messages_->GetPrototype(response_)->New());
  if (!message->ParsePartialFromString(payload.bytes.to_string())) {
    return wrong_response(std::to_string(payload.bytes.size()) + " bytes are not a " + response_->full_name());
  }
  using Defaults = codec::ProtobufJsonWriter::Defaults;
  BufferWriter out;
  codec::ProtobufJsonWriter writer(out, options_.shows_defaults ? Defaults::shown : Defaults::left_out);
  if (!writer.write(*message)) {
    return wrong_response("the " + response_->full_name() + " has no form in JSON: " + output::escaped(writer.error()));
  }
  return json::lay_out(as_text(out.bytes()), options_.layout);
}

}  // namespace trunkline::cli::schema
