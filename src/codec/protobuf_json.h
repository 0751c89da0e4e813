// SPDX-License-Identifier: MIT
// Reads and writes protobuf messages by protobuf's JSON mapping (https://protobuf.dev/programming-guides/json/).
#pragma once

#include <trunkline/codec.h>
#include <trunkline/message.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

namespace trunkline::codec {

/// Writes names in lowerCamelCase and omits fields with default values. The message is of the kind protobuf. Error:
/// internal for a lite message, for missing required fields, and for what has no form in JSON, such as a Timestamp out
/// of range; nothing is appended then.
Status write_protobuf_json(MessageView message, BufferWriter& out);

/// Reads a message. Error: invalid_argument for text that is not JSON, an unknown field, a field that comes twice, a
/// value that does not match its field, or a missing required field; the error text names the field. `limits` apply to
/// the search for the reason only.
Status read_protobuf_json(ByteSpan payload, const CodecLimits& limits, MutableMessageView message);

}  // namespace trunkline::codec
