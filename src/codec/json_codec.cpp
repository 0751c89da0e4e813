// SPDX-License-Identifier: MIT
// Values, types that have the form of one and, where built in, protobuf messages to JSON and back.
#include <codec/json_codec.h>

#include <codec/codec_error.h>
#include <codec/json_writer.h>
#include <codec/value_reader.h>
#ifdef TRUNKLINE_HAS_PROTOBUF
#include <codec/protobuf_json.h>
#endif

namespace trunkline::codec {

bool JsonCodec::supports(const MessageType& type) const noexcept {
#ifdef TRUNKLINE_HAS_PROTOBUF
  if (type.kind == MessageKind::protobuf) return true;
#endif
  return type.kind == MessageKind::value || type.kind == MessageKind::none || type.to_value != nullptr;
}

Status JsonCodec::encode(MessageView message, BufferWriter& out) const {
#ifdef TRUNKLINE_HAS_PROTOBUF
  if (message.type->kind == MessageKind::protobuf) {
    return write_protobuf_json(*static_cast<const google::protobuf::MessageLite*>(message.object), out);
  }
#endif
  if (message.type->kind == MessageKind::none) return Status::ok();
  if (message.type->to_value != nullptr) {
    return JsonWriter().write(name(), message.type->to_value(message.object), out);
  }
  const auto* value = message.as<Value>();
  if (value == nullptr) return cannot_encode(name(), *message.type);
  return JsonWriter().write(name(), *value, out);
}

Status JsonCodec::decode(const Slice& payload, MutableMessageView message) const {
#ifdef TRUNKLINE_HAS_PROTOBUF
  if (message.type->kind == MessageKind::protobuf) {
    return read_protobuf_json(payload.bytes(), limits_, *static_cast<google::protobuf::MessageLite*>(message.object));
  }
#endif
  const bool none = message.type->kind == MessageKind::none;
  const bool has_other_form = message.type->from_value != nullptr;
  Value read;
  Value* value = none || has_other_form ? &read : message.as<Value>();
  if (value == nullptr) return cannot_decode(name(), *message.type);
  if (none && payload.empty()) return Status::ok();
  if (Status status = read_json(payload.bytes(), limits_, *value); !status.is_ok()) return status;
  if (none && !value->is_null() && !(value->is_object() && value->size() == 0)) {
    return decode_error(name(), "content where no message is expected");
  }
  if (std::string why; has_other_form && !message.type->from_value(*value, message.object, why)) {
    return decode_error(name(), why);
  }
  return Status::ok();
}

}  // namespace trunkline::codec
