// SPDX-License-Identifier: MIT
// Converts between Values and the messages that they carry.
#include <codec/value_message.h>

#include <codec/codec_error.h>

#include <trunkline/value.h>

#include <string>

namespace trunkline::codec {

bool is_carried_as_value(const MessageType& type) noexcept {
  return type.kind == MessageKind::value || type.kind == MessageKind::none || type.to_value != nullptr;
}

Status write_value_message(std::string_view codec, MessageView message, ValueWriter&& writer, BufferWriter& out) {
  if (message.type->kind == MessageKind::none) return Status::ok();
  if (const auto* value = message.as<Value>()) return writer.write(codec, *value, out);
  if (message.type->to_value == nullptr) return cannot_encode(codec, *message.type);
  return writer.write(codec, message.type->to_value(message.object), out);
}

Status read_value_message(std::string_view codec, const Slice& payload, const CodecLimits& limits, ReadValue read,
                          MutableMessageView message) {
  if (auto* value = message.as<Value>()) return read(payload.bytes(), limits, *value);
  const bool none = message.type->kind == MessageKind::none;
  if (!none && message.type->from_value == nullptr) return cannot_decode(codec, *message.type);
  if (none && payload.empty()) return Status::ok();
  Value value;
  if (Status status = read(payload.bytes(), limits, value); !status.is_ok()) return status;
  if (none) {
    if (value.is_null() || (value.is_object() && value.size() == 0)) return Status::ok();
    return decode_error(codec, "content where no message is expected");
  }
  const std::string error = message.type->from_value(message.object, value);
  return error.empty() ? Status::ok() : decode_error(codec, error);
}

}  // namespace trunkline::codec
