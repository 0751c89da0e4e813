// SPDX-License-Identifier: MIT
// JsonCodec: chooses between Values and, where built in, protobuf messages.
#include <codec/json_codec.h>

#include <codec/json_writer.h>
#include <codec/value_message.h>
#include <codec/value_reader.h>
#ifdef TRUNKLINE_HAS_PROTOBUF
#include <codec/protobuf_json.h>
#endif

namespace trunkline::codec {

bool JsonCodec::supports(const MessageType& type) const noexcept {
#ifdef TRUNKLINE_HAS_PROTOBUF
  if (type.kind == MessageKind::protobuf) return true;
#endif
  return is_carried_as_value(type);
}

Status JsonCodec::encode(MessageView message, BufferWriter& out) const {
#ifdef TRUNKLINE_HAS_PROTOBUF
  if (message.type->kind == MessageKind::protobuf) {
    return write_protobuf_json(message, out);
  }
#endif
  return write_value_message(name(), message, JsonWriter(), out);
}

Status JsonCodec::decode(const Slice& payload, MutableMessageView message) const {
#ifdef TRUNKLINE_HAS_PROTOBUF
  if (message.type->kind == MessageKind::protobuf) {
    return read_protobuf_json(payload.bytes(), limits_, message);
  }
#endif
  return read_value_message(name(), payload, limits_, &read_json, message);
}

}  // namespace trunkline::codec
