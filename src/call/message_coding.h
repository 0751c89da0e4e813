// SPDX-License-Identifier: MIT
// Converts typed messages to payloads and back, by a codec, or by the direct form of the type where it has one.
#pragma once

#include "session/event.h"

#include <trunkline/codec.h>
#include <trunkline/compressor.h>

#include <optional>
#include <string>
#include <string_view>

namespace trunkline::call {

/// Returns true if the type's direct form writes the same bytes as `codec`.
inline bool is_direct(const Codec& codec, const MessageType& type) noexcept {
  return type.size != nullptr && codec.name() == type.direct_codec;
}

/// Returns true if the type's direct form parses the bytes of `codec`.
inline bool parses_directly(const Codec& codec, const MessageType& type) noexcept {
  return type.parse != nullptr && codec.name() == type.direct_codec;
}

/// Returns the codec called `name`, or the type's default if `name` is empty; null for messages of kind none. Error:
/// invalid_argument (the registry has no such codec, there is no default, or the codec does not know the type).
Result<const Codec*> choose_codec(const CodecRegistry& codecs, std::string_view name, const MessageType& type);
/// Returns the compressor called `name`; null for "identity" and for an empty name. Error: invalid_argument (the
/// registry has no such compressor).
Result<const Compressor*> choose_compressor(const CompressorRegistry& compressors, std::string_view name);

/// The text of an exception that a codec threw. Functions that are given one put the text there and not into the
/// status.
using ThrownText = std::optional<std::string>;

/// Replaces `out`; a null codec gives no bytes. Errors: those of the codec, and internal (it threw an exception).
Status encode_message(const Codec* codec, MessageView message, Slice& out, ThrownText* thrown = nullptr);

/// Replaces `payload`, which is compressed with `compressor`, by the `size` bytes that it decompresses to. Errors:
/// internal (corrupt, or the compressor threw an exception).
Status decompress_message(const Compressor& compressor, std::size_t size, Slice& payload, ThrownText* thrown);
/// Replaces a payload in the compressor's unsized form by what it decompresses to, at most `limit` bytes. Errors:
/// internal, as above, and resource_exhausted (there are more bytes).
Status decompress_unsized_message(const Compressor& compressor, std::size_t limit, Slice& payload, ThrownText* thrown);

/// Decodes a message. If none is expected (kind none), any payload is accepted. If one is expected and there is none
/// (`codec` is null), a type that may be missing is cleared. Errors: those of the codec (invalid_argument: the payload
/// does not parse; resource_exhausted: it exceeds a limit of the codec), internal (the codec threw an exception),
/// unimplemented (an expected message is missing, or the codec does not know the type).
Status decode_message(const Codec* codec, const Slice& payload, MutableMessageView message,
                      ThrownText* thrown = nullptr);
/// Decodes the message of an event. Takes a reference to its bytes only if the direct form does not parse them.
Status decode_message(const session::Event& event, MutableMessageView message);
/// Decodes a message by the type's direct form. Requires parses_directly(codec, *message.type).
Status parse_message(const Codec& codec, ByteSpan payload, MutableMessageView message);

}  // namespace trunkline::call
