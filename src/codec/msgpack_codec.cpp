// SPDX-License-Identifier: MIT
// Values, and types that have the form of one, to MessagePack and back.
#include <codec/msgpack_codec.h>

#include <codec/codec_error.h>
#include <codec/msgpack_writer.h>
#include <codec/value_reader.h>

namespace trunkline::codec {

bool MsgpackCodec::supports(const MessageType& type) const noexcept {
  return type.kind == MessageKind::value || type.kind == MessageKind::none || type.to_value != nullptr;
}

Status MsgpackCodec::encode(MessageView message, BufferWriter& out) const {
  if (message.type->kind == MessageKind::none) return Status::ok();
  if (message.type->to_value != nullptr) {
    return MsgpackWriter().write(name(), message.type->to_value(message.object), out);
  }
  const auto* value = message.as<Value>();
  if (value == nullptr) return cannot_encode(name(), *message.type);
  return MsgpackWriter().write(name(), *value, out);
}

Status MsgpackCodec::decode(const Slice& payload, MutableMessageView message) const {
  const bool none = message.type->kind == MessageKind::none;
  const bool has_other_form = message.type->from_value != nullptr;
  Value read;
  Value* value = none || has_other_form ? &read : message.as<Value>();
  if (value == nullptr) return cannot_decode(name(), *message.type);
  if (none && payload.empty()) return Status::ok();
  if (Status status = read_msgpack(payload.bytes(), limits_, *value); !status.is_ok()) return status;
  if (none && !value->is_null() && !(value->is_object() && value->size() == 0)) {
    return decode_error(name(), "content where no message is expected");
  }
  if (std::string why; has_other_form && !message.type->from_value(*value, message.object, why)) {
    return decode_error(name(), why);
  }
  return Status::ok();
}

}  // namespace trunkline::codec
