// SPDX-License-Identifier: MIT
// Protobuf messages by the JSON mapping of protobuf (https://protobuf.dev/programming-guides/json/).
#pragma once

#include <trunkline/codec.h>
#include <trunkline/slice.h>
#include <trunkline/status.h>

#include <google/protobuf/message_lite.h>

namespace trunkline::codec {

/// Names in lowerCamelCase, fields with default values left out. Errors: internal for a lite message or missing
/// required fields; nothing is appended then.
Status write_protobuf_json(const google::protobuf::MessageLite& message, BufferWriter& out);

/// Errors: invalid_argument for text that is not JSON, an unknown field (named), a value that does not fit its field
/// (named), missing required fields (named). `limits` bound the search for the reason, not the message.
Status read_protobuf_json(ByteSpan payload, const CodecLimits& limits, google::protobuf::MessageLite& message);

}  // namespace trunkline::codec
