// SPDX-License-Identifier: MIT
// MsgpackCodec: encodes Values and the types that convert to a Value.
#include <codec/msgpack_codec.h>

#include <codec/msgpack_writer.h>
#include <codec/value_message.h>
#include <codec/value_reader.h>

namespace trunkline::codec {

bool MsgpackCodec::supports(const MessageType& type) const noexcept { return is_carried_as_value(type); }

Status MsgpackCodec::encode(MessageView message, BufferWriter& out) const {
  return write_value_message(name(), message, MsgpackWriter(), out);
}

Status MsgpackCodec::decode(const Slice& payload, MutableMessageView message) const {
  return read_value_message(name(), payload, limits_, &read_msgpack, message);
}

}  // namespace trunkline::codec
