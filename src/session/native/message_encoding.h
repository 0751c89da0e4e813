// SPDX-License-Identifier: MIT
// Outgoing messages to payload bytes, and compressed payloads back to messages (docs/wire.md, section 7).
#pragma once

#include "session/native/negotiation.h"
#include "session/session.h"

namespace trunkline::session::native {

struct EncodedMessage {
  Slice payload;
  std::uint8_t codec = 0;
  std::uint8_t compressor = 0;
};

/// Encodes a message. Compresses it if a compressor is given, the peer accepts that, the size is at least `threshold`,
/// and the result is smaller.
/// Errors: the codec's; internal (the codec is not one this side offers); resource_exhausted (over the peer's
/// max_message_bytes); what `owner` returns for an exception.
Status encode_message(const OutgoingMessage& message, const Negotiation& negotiation, std::size_t threshold,
                      SessionOwner& owner, EncodedMessage& out);

/// The status for a message over the peer's limit.
Status message_too_long(std::uint64_t size, std::uint64_t limit);

/// Errors: resource_exhausted (claims more than max_message_bytes; nothing is allocated), internal (corrupt).
Result<Slice> decompress_message(ByteSpan payload, const Compressor& compressor, std::uint64_t max_message_bytes,
                                 SessionOwner& owner);

}  // namespace trunkline::session::native
