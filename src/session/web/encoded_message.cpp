// SPDX-License-Identifier: MIT
// Encodes one message, and compresses it.
#include "session/web/encoded_message.h"

#include "base/exception_text.h"
#include "session/decompression.h"

#include <string>

namespace trunkline::session::web {

Status EncodedMessage::encode(const OutgoingMessage& message, const Wish& wish, const SessionOptions& options,
                              SessionOwner& owner) try {
  const MessageType* const type = message.message.type;
  if (type == nullptr) {
    if (message.codec != &wish.codec) {
      return {StatusCode::internal, "send message: codec " + std::string(message.codec->name()) +
                                        " is not the call's, " + std::string(wish.codec.name())};
    }
    payload = message.payload;
  } else if (type->size != nullptr && wish.codec.name() == type->direct_codec) {
    // The type may have the direct form only.
    const std::size_t size = type->size(message.message.object);
    BufferWriter writer(size);
    if (size > 0) type->write(message.message.object, writer.prepare(size).data());
    writer.advance(size);
    payload = writer.take();
  } else {
    BufferWriter writer;
    if (Status status = wish.codec.encode(message.message, writer); !status.is_ok()) return status;
    payload = writer.take();
  }
  if (payload.size() > 0xFFFFFFFF) return {StatusCode::resource_exhausted, "send message: it exceeds 4 GiB"};
  if (wish.compressor == nullptr || payload.size() < options.compression_threshold) return {};
  BufferWriter compressed(payload.size());
  if (!wish.compressor->compress_unsized(payload.bytes(), compressed).is_ok()) return {};
  if (compressed.size() >= payload.size() && !wish.in_any_case) return {};
  // A peer of this kind would refuse a message that decompresses to so much.
  if (payload.size() > most_decompressed(compressed.size(), options.limits)) return {};
  payload = compressed.take();
  is_compressed = true;
  return {};
} catch (...) {
  // A codec or compressor of the application has thrown, and the call must still be ended.
  return owner.on_codec_exception("send message: encoding it", base::current_exception_text());
}

}  // namespace trunkline::session::web
