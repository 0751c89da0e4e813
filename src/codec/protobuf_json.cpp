// SPDX-License-Identifier: MIT
// Checks what the mapping leaves to its users, and words the errors.
#include <codec/protobuf_json.h>

#include <codec/codec_error.h>
#include <codec/protobuf_json_reader.h>
#include <codec/protobuf_json_writer.h>
#include <codec/value_reader.h>

#include <google/protobuf/message.h>

namespace trunkline::codec {
namespace {

bool is_json(ByteSpan payload) {
  constexpr unsigned most_levels = 500;
  JsonScanner scanner(as_text(payload));
  return scanner.skip_value(most_levels) && scanner.is_at_end();
}

Status decode_failure(ByteSpan payload, const CodecLimits& limits, const ProtobufJsonReader& reader,
                      const std::string& type) {
  if (!is_json(payload)) {
    // The parser of JSON says where the text is wrong.
    Value checked;
    Status syntax = read_json(payload, limits, checked);
    if (syntax.code() == StatusCode::invalid_argument && !syntax.message().ends_with("levels")) return syntax;
  }
  return decode_error("json", reader.error(type));
}

/// Returns the full message; null for a lite one. The type often knows, and costs less than to ask the object.
template <class Message, class Lite>
Message* full_message(const MessageType& type, Lite& lite) {
  return type.descriptor != nullptr ? static_cast<Message*>(&lite) : dynamic_cast<Message*>(&lite);
}

}  // namespace

Status write_protobuf_json(MessageView view, BufferWriter& out) {
  const auto& lite = *static_cast<const google::protobuf::MessageLite*>(view.object);
  const auto* const message = full_message<const google::protobuf::Message>(*view.type, lite);
  if (message == nullptr)
    return encode_error("json", lite.GetTypeName() + " is a lite message, which has no JSON form");
  if (!message->IsInitialized()) {
    return encode_error("json",
                        lite.GetTypeName() + ": missing required fields: " + message->InitializationErrorString());
  }
  const std::size_t begin = out.size();
  ProtobufJsonWriter writer(out);
  if (writer.write(*message)) return Status::ok();
  out.truncate(begin);
  return encode_error("json", lite.GetTypeName() + ": " + writer.error());
}

Status read_protobuf_json(ByteSpan payload, const CodecLimits& limits, MutableMessageView view) {
  auto& lite = *static_cast<google::protobuf::MessageLite*>(view.object);
  auto* const message = full_message<google::protobuf::Message>(*view.type, lite);
  if (message == nullptr) {
    return {StatusCode::internal, "decode json: " + lite.GetTypeName() + " is a lite message, which has no JSON form"};
  }
  message->Clear();
  ProtobufJsonReader reader(as_text(payload));
  if (!reader.read(*message)) return decode_failure(payload, limits, reader, lite.GetTypeName());
  if (!message->IsInitialized()) {
    return decode_error("json",
                        lite.GetTypeName() + ": missing required fields: " + message->InitializationErrorString());
  }
  return Status::ok();
}

}  // namespace trunkline::codec
