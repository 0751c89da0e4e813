// SPDX-License-Identifier: MIT
// Encoding, compression and decompression of whole messages.
#include "session/native/message_encoding.h"

#include "base/exception_text.h"
#include "wire/leb128.h"

#include <string>

namespace trunkline::session::native {

namespace {

/// Replaces the payload by its compressed form if that is smaller.
void compress(const Compressor& compressor, std::uint8_t number, EncodedMessage& out) {
  BufferWriter writer(out.payload.size() + 16);
  std::byte prefix[10];
  writer.append(ByteSpan(prefix, wire::write_leb128(out.payload.size(), prefix)));
  if (!compressor.compress(out.payload.bytes(), writer).is_ok() || writer.size() >= out.payload.size()) return;
  out.payload = writer.take();
  out.compressor = number;
}

}  // namespace

Status message_too_long(std::uint64_t size, std::uint64_t limit) {
  return {StatusCode::resource_exhausted, "send message: size " + std::to_string(size) +
                                              " exceeds the peer's max_message_bytes " + std::to_string(limit)};
}

Status encode_message(const OutgoingMessage& message, const Negotiation& negotiation, std::size_t threshold,
                      SessionOwner& owner, EncodedMessage& out) try {
  out.codec = negotiation.number_of(*message.codec);
  out.compressor = 0;
  if (out.codec == 0) {
    return {StatusCode::internal,
            "send message: codec " + std::string(message.codec->name()) + " is not in the registry of this side"};
  }
  if (message.message.type == nullptr) {
    out.payload = message.payload;
  } else {
    BufferWriter writer;
    if (Status status = message.codec->encode(message.message, writer); !status.is_ok()) return status;
    out.payload = writer.take();
  }
  const std::uint64_t limit = negotiation.peer().max_message_bytes;
  if (out.payload.size() > limit) return message_too_long(out.payload.size(), limit);
  if (message.compressor != nullptr && out.payload.size() >= threshold &&
      negotiation.peer_accepts(*message.compressor)) {
    if (const std::uint8_t number = negotiation.number_of(*message.compressor); number != 0)
      compress(*message.compressor, number, out);
  }
  return {};
} catch (...) {
  // A codec or compressor of the application's: the call must still be ended.
  return owner.on_codec_exception("send message: encoding it", base::current_exception_text());
}

Result<Slice> decompress_message(ByteSpan payload, const Compressor& compressor, std::uint64_t max_message_bytes,
                                 SessionOwner& owner) try {
  std::uint64_t size = 0;
  const std::size_t prefix = wire::read_leb128(payload, wire::message_size_bytes, size);
  if (prefix == 0) return Status(StatusCode::internal, "decompress message: bad size prefix");
  if (size > max_message_bytes) {
    return Status(StatusCode::resource_exhausted, "decompress message: uncompressed size " + std::to_string(size) +
                                                      " exceeds max_message_bytes " +
                                                      std::to_string(max_message_bytes));
  }
  Block* block = Block::allocate(static_cast<std::size_t>(size));
  Slice result(block, block->data(), static_cast<std::size_t>(size));
  Status status = compressor.decompress(payload.subspan(prefix), {block->data(), static_cast<std::size_t>(size)});
  if (!status.is_ok()) {
    return Status(StatusCode::internal,
                  "decompress message: " + std::string(compressor.name()) + ": " + std::string(status.message()));
  }
  return result;
} catch (...) {
  return owner.on_codec_exception("decompress message: " + std::string(compressor.name()),
                                  base::current_exception_text());
}

}  // namespace trunkline::session::native
