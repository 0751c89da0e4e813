// SPDX-License-Identifier: MIT
// Encodes, compresses and decompresses whole messages.
#include "session/native/message_encoding.h"

#include "base/exception_text.h"
#include "session/decompression.h"
#include "wire/leb128.h"

#include <string>

namespace trunkline::session::native {

namespace {

/// Messages up to this size may decompress from any number of bytes: they are cheap to make.
constexpr std::uint64_t bytes_without_ratio = 64 << 10;

constexpr bool exceeds_ratio(std::uint64_t size, std::uint64_t compressed, std::uint64_t ratio) noexcept {
  return size > bytes_without_ratio && size / ratio > compressed;
}

/// Replaces the payload by its compressed form if that is smaller, and not so small that the peer may refuse it.
void compress(const Compressor& compressor, std::uint8_t number, std::uint64_t max_ratio, EncodedMessage& out) {
  BufferWriter writer(out.payload.size() + 16);
  std::byte prefix[10];
  writer.append(ByteSpan(prefix, wire::write_leb128(out.payload.size(), prefix)));
  const std::size_t prefix_bytes = writer.size();
  if (!compressor.compress(out.payload.bytes(), writer).is_ok() || writer.size() >= out.payload.size()) return;
  if (exceeds_ratio(out.payload.size(), writer.size() - prefix_bytes, max_ratio)) return;
  out.payload = writer.take();
  out.compressor = number;
}

}  // namespace

Status message_too_long(std::uint64_t size, std::uint64_t limit) {
  return {StatusCode::resource_exhausted, "send message: size " + std::to_string(size) +
                                              " exceeds the peer's max_message_bytes " + std::to_string(limit)};
}

Status encode_message(const OutgoingMessage& message, const Negotiation& negotiation, const SessionOptions& options,
                      SessionOwner& owner, EncodedMessage& out) try {
  out.codec = negotiation.number_of(*message.codec);
  out.compressor = 0;
  if (out.codec == 0) {
    return {StatusCode::internal,
            "send message: codec " + std::string(message.codec->name()) + " is not in the registry of this side"};
  }
  const MessageType* const type = message.message.type;
  if (type == nullptr) {
    out.payload = message.payload;
  } else if (type->size != nullptr && message.codec->name() == type->direct_codec) {
    const std::size_t size = type->size(message.message.object);
    Block* const block = Block::allocate(size);
    out.payload = Slice(block, block->data(), size);
    type->write(message.message.object, block->data());
  } else {
    BufferWriter writer;
    if (Status status = message.codec->encode(message.message, writer); !status.is_ok()) return status;
    out.payload = writer.take();
  }
  const std::uint64_t limit = negotiation.peer().max_message_bytes;
  if (out.payload.size() > limit) return message_too_long(out.payload.size(), limit);
  if (message.compressor != nullptr && out.payload.size() >= options.compression_threshold &&
      negotiation.peer_accepts(*message.compressor)) {
    if (const std::uint8_t number = negotiation.number_of(*message.compressor); number != 0)
      compress(*message.compressor, number, options.limits.max_decompression_ratio, out);
  }
  return {};
} catch (...) {
  // A codec or compressor of the application has thrown, and the call must still be ended.
  return owner.on_codec_exception("send message: encoding it", base::current_exception_text());
}

Result<CompressedMessage> read_compressed(ByteSpan payload, const ConnectionLimits& limits) {
  std::uint64_t size = 0;
  const std::size_t prefix = wire::read_leb128(payload, wire::message_size_bytes, size);
  if (prefix == 0) return Status(StatusCode::internal, "decompress message: bad size prefix");
  if (size > limits.max_message_bytes) {
    return Status(StatusCode::resource_exhausted, "decompress message: uncompressed size " + std::to_string(size) +
                                                      " exceeds max_message_bytes " +
                                                      std::to_string(limits.max_message_bytes));
  }
  const ByteSpan bytes = payload.subspan(prefix);
  if (exceeds_ratio(size, bytes.size(), limits.max_decompression_ratio)) {
    return Status(StatusCode::resource_exhausted,
                  "decompress message: " + std::to_string(bytes.size()) + " bytes to " + std::to_string(size) +
                      ", which exceeds max_decompression_ratio " + std::to_string(limits.max_decompression_ratio));
  }
  return CompressedMessage{bytes, static_cast<std::size_t>(size)};
}

Result<Slice> decompress_message(const CompressedMessage& message, const Compressor& compressor,
                                 SessionOwner& owner) try {
  return decompress(compressor, message.bytes, message.decompressed_bytes);
} catch (...) {
  return owner.on_codec_exception("decompress message: " + std::string(compressor.name()),
                                  base::current_exception_text());
}

}  // namespace trunkline::session::native
