// SPDX-License-Identifier: MIT
// Carries messages that are Values or convert to one: Value, Empty, texts and plain types.
#pragma once

#include <codec/value_writer.h>

#include <trunkline/codec.h>

namespace trunkline::codec {

bool is_carried_as_value(const MessageType& type) noexcept;

/// Writes a message, with the contract of Codec::encode().
Status write_value_message(std::string_view codec, MessageView message, ValueWriter&& writer, BufferWriter& out);

/// The type of read_json() and read_msgpack().
using ReadValue = Status (*)(ByteSpan payload, const CodecLimits& limits, Value& value);
/// Reads a message, with the contract of Codec::decode().
Status read_value_message(std::string_view codec, const Slice& payload, const CodecLimits& limits, ReadValue read,
                          MutableMessageView message);

}  // namespace trunkline::codec
