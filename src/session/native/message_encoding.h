// SPDX-License-Identifier: MIT
// Turns outgoing messages into payload bytes, and compressed payloads back into messages (docs/wire.md, section 7).
#pragma once

#include "session/native/negotiation.h"
#include "session/session.h"

namespace trunkline::session::native {

struct EncodedMessage {
  Slice payload;
  std::uint8_t codec = 0;
  std::uint8_t compressor = 0;
};

/// Encodes a message. Compresses it if a compressor is given, the peer accepts that, the size is at least
/// compression_threshold, and the result is smaller and within max_decompression_ratio.
/// Errors: the codec's; internal (the codec is not one this side offers); resource_exhausted (over the peer's
/// max_message_bytes); what `owner` returns for an exception.
Status encode_message(const OutgoingMessage& message, const Negotiation& negotiation, const SessionOptions& options,
                      SessionOwner& owner, EncodedMessage& out);

/// Returns the status for a message over the peer's limit.
Status message_too_long(std::uint64_t size, std::uint64_t limit);

/// Holds a compressed payload without its size prefix, and the size to which it claims to decompress.
struct CompressedMessage {
  ByteSpan bytes;
  std::size_t decompressed_bytes = 0;
};

/// Reads the size before the compressor's bytes. Errors: resource_exhausted (over max_message_bytes or
/// max_decompression_ratio), internal (no size).
Result<CompressedMessage> read_compressed(ByteSpan payload, const ConnectionLimits& limits);

/// Decompresses a message. Errors: internal (corrupt, or not of the claimed size); what `owner` makes of an exception.
Result<Slice> decompress_message(const CompressedMessage& message, const Compressor& compressor, SessionOwner& owner);

}  // namespace trunkline::session::native
