// SPDX-License-Identifier: MIT
// Parses Values. Errors are complete: "decode <codec>: byte 17 of 20: <reason>", with invalid_argument, or with
// resource_exhausted if a limit is exceeded.
#pragma once

#include <trunkline/codec.h>
#include <trunkline/value.h>

namespace trunkline::codec {

/// Reads strict JSON (RFC 8259). The names in an object must be unique. An integer beyond uint64 becomes a double.
Status read_json(ByteSpan payload, const CodecLimits& limits, Value& value);

/// Reads one MessagePack object whose maps have string keys; extension types are errors.
Status read_msgpack(ByteSpan payload, const CodecLimits& limits, Value& value);

}  // namespace trunkline::codec
