// SPDX-License-Identifier: MIT
// Parsers of Values. An error text is "byte 17 of 20: <reason>"; it is empty on success.
#pragma once

#include <trunkline/value.h>

#include <string>

namespace trunkline::codec {

/// Strict JSON (RFC 8259). Names in an object must differ. An integer beyond uint64 becomes a double.
std::string read_json(ByteSpan payload, Value& value);

/// One MessagePack object whose maps have string keys; extension types are errors.
std::string read_msgpack(ByteSpan payload, Value& value);

}  // namespace trunkline::codec
