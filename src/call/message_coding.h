// SPDX-License-Identifier: MIT
// Typed messages to payloads and back, by the codec of a name, through the direct form where there is one.
#pragma once

#include "session/event.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>

#include <optional>
#include <string>
#include <string_view>

namespace trunkline::call {

/// True if `codec` stands for the type's direct form.
inline bool is_direct(const Codec& codec, const MessageType& type) noexcept {
  return type.size != nullptr && codec.name() == type.direct_codec;
}

/// True if the type's direct form parses what `codec` stands for.
inline bool parses_directly(const Codec& codec, const MessageType& type) noexcept {
  return type.parse != nullptr && codec.name() == type.direct_codec;
}

/// The codec named, or the type's default if `name` is empty; null for messages of kind none. Errors: invalid_argument
/// (no such codec in the registry, no default, or the codec does not know the type).
Result<const Codec*> choose_codec(const CodecRegistry& codecs, std::string_view name, const MessageType& type);
/// The compressor named; null for "identity" and for an empty name. Error: invalid_argument (not in the registry).
Result<const Compressor*> choose_compressor(const CompressorRegistry& compressors, std::string_view name);

/// What a codec has thrown: goes there instead of into the status.
using ThrownText = std::optional<std::string>;

/// Replaces `out`. `codec` null: no bytes. Errors: the codec's; internal (it threw an exception).
Status encode_message(const Codec* codec, MessageView message, Slice& out, ThrownText* thrown = nullptr);

/// Any payload will do where no message is wanted (kind none), and no message where its type parses with a direct codec
/// of no name. Errors: the codec's (invalid_argument: does not parse; resource_exhausted: over a limit of the codec's),
/// internal (there is no message where one is wanted, or the codec threw an exception), unimplemented (the codec does
/// not know the type).
Status decode_message(const Codec* codec, const Slice& payload, MutableMessageView message,
                      ThrownText* thrown = nullptr);
/// The same for the message of an event, without taking a reference to its bytes where the direct form allows.
Status decode_message(const session::Event& event, MutableMessageView message);
/// The same by the type's direct form: parses_directly(codec, *message.type).
Status parse_message(const Codec& codec, ByteSpan payload, MutableMessageView message);

}  // namespace trunkline::call
