// SPDX-License-Identifier: MIT
// ProtobufCodec: encodes protobuf messages in their binary form and decodes them.
#include <codec/protobuf_codec.h>

#include <codec/codec_error.h>

#include <google/protobuf/empty.pb.h>
#include <google/protobuf/message_lite.h>

#include <limits>

namespace trunkline::codec {
namespace {

/// The largest message that protobuf can serialize or parse.
constexpr std::size_t max_bytes = std::numeric_limits<int>::max();

std::string missing_fields(const google::protobuf::MessageLite& message) {
  return message.GetTypeName() + ": missing required fields: " + message.InitializationErrorString();
}

Status parse(const Slice& payload, google::protobuf::MessageLite& message) {
  if (payload.size() > max_bytes) {
    return decode_error("protobuf", "payload of " + std::to_string(payload.size()) + " bytes exceeds 2147483647");
  }
  // ParseFromArray() would print to standard error if a required field is missing.
  if (!message.ParsePartialFromArray(payload.data(), static_cast<int>(payload.size()))) {
    return decode_error("protobuf", std::to_string(payload.size()) + " bytes are not a " + message.GetTypeName());
  }
  if (!message.IsInitialized()) return decode_error("protobuf", missing_fields(message));
  return Status::ok();
}

}  // namespace

bool ProtobufCodec::supports(const MessageType& type) const noexcept {
  return type.kind == MessageKind::protobuf || type.kind == MessageKind::none;
}

Status ProtobufCodec::encode(MessageView view, BufferWriter& out) const {
  if (view.type->kind == MessageKind::none) return Status::ok();
  if (view.type->kind != MessageKind::protobuf) return cannot_encode(name(), *view.type);
  const auto& message = *static_cast<const google::protobuf::MessageLite*>(view.object);
  if (!message.IsInitialized()) return encode_error(name(), missing_fields(message));
  const std::size_t size = message.ByteSizeLong();
  if (size > max_bytes) {
    return encode_error(name(), message.GetTypeName() + " of " + std::to_string(size) + " bytes exceeds 2147483647");
  }
  message.SerializeWithCachedSizesToArray(reinterpret_cast<std::uint8_t*>(out.prepare(size).data()));
  out.advance(size);
  return Status::ok();
}

Status ProtobufCodec::decode(const Slice& payload, MutableMessageView view) const {
  if (view.type->kind == MessageKind::none) {
    google::protobuf::Empty message;
    return parse(payload, message);
  }
  if (view.type->kind != MessageKind::protobuf) return cannot_decode(name(), *view.type);
  return parse(payload, *static_cast<google::protobuf::MessageLite*>(view.object));
}

}  // namespace trunkline::codec
