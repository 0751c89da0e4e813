// SPDX-License-Identifier: MIT
// Reads and writes protobuf messages by protobuf's JSON mapping (https://protobuf.dev/programming-guides/json/).
#pragma once

#include <trunkline/codec.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <google/protobuf/message_lite.h>

namespace trunkline::codec {

/// Writes names in lowerCamelCase and omits fields with default values. Error: internal for a lite message and for
/// missing required fields; nothing is appended then.
Status write_protobuf_json(const google::protobuf::MessageLite& message, BufferWriter& out);

/// Error: invalid_argument for text that is not JSON, an unknown field, a value that does not match its field, or a
/// missing required field; the error text names the field. `limits` apply to the search for the reason only.
Status read_protobuf_json(ByteSpan payload, const CodecLimits& limits, google::protobuf::MessageLite& message);

}  // namespace trunkline::codec
