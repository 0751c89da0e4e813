// SPDX-License-Identifier: MIT
// Chooses codecs and compressors, and between a type's direct form and the virtual call.
#include "call/message_coding.h"

#include "base/exception_text.h"
#include "session/decompression.h"

#include <string>
#include <utility>

namespace trunkline::call {

namespace {

Status does_not_parse(std::string_view codec) {
  return {StatusCode::invalid_argument,
          "decode " + std::string(codec) + ": the payload is not a message of the expected type"};
}

Status decode_nothing(MutableMessageView message) {
  const MessageType& type = *message.type;
  if (type.may_be_missing && type.clear != nullptr) return type.clear(message.object), Status();
  return {StatusCode::unimplemented, "decode message: the peer sent no message where one is expected"};
}

Status replace(Slice& payload, Result<Slice> decompressed) {
  if (!decompressed) return std::move(decompressed).status();
  payload = *std::move(decompressed);
  return {};
}

Status not_supported(const Codec& codec) {
  return {StatusCode::unimplemented,
          "decode message: codec " + std::string(codec.name()) + " does not know the expected type"};
}

/// Returns true for an empty protobuf message: a gRPC client with nothing to say sends one, whatever the method takes.
bool stands_for_nothing(const Codec& codec, std::size_t bytes, const MessageType& type) noexcept {
  return bytes == 0 && type.may_be_missing && codec.name() == "protobuf";
}

/// Makes the status of an exception, inside a catch clause. An exception of the application's codecs goes no further
/// than this: the caller may be the loop, or code that has an operation to complete.
Status has_thrown(std::string_view what, ThrownText* thrown, std::string_view who = "the codec") {
  std::string message = std::string(what) + " message: " + std::string(who) + " threw an exception";
  std::string text = base::current_exception_text();
  if (thrown == nullptr) return {StatusCode::internal, message + ": " + text};
  *thrown = std::move(text);
  return {StatusCode::internal, message};
}

}  // namespace

Result<const Codec*> choose_codec(const CodecRegistry& codecs, std::string_view name, const MessageType& type) {
  if (type.kind == MessageKind::none) return static_cast<const Codec*>(nullptr);
  if (name.empty()) name = type.default_codec;
  if (name.empty()) {
    return Status(StatusCode::invalid_argument,
                  "encode message: the type has no default codec; name one in CallOptions::codec");
  }
  const Codec* codec = codecs.find(name);
  if (codec == nullptr) {
    return Status(StatusCode::invalid_argument,
                  "encode message: codec '" + std::string(name) + "' is not in the registry of this side");
  }
  if (!is_direct(*codec, type) && !codec->supports(type)) {
    return Status(StatusCode::invalid_argument,
                  "encode message: codec '" + std::string(name) + "' does not know the message's type");
  }
  return codec;
}

Result<const Compressor*> choose_compressor(const CompressorRegistry& compressors, std::string_view name) {
  if (name.empty() || name == "identity") return static_cast<const Compressor*>(nullptr);
  const Compressor* compressor = compressors.find(name);
  if (compressor == nullptr) {
    return Status(StatusCode::invalid_argument,
                  "compress message: compressor '" + std::string(name) + "' is not in the registry of this side");
  }
  return compressor;
}

Status encode_message(const Codec* codec, MessageView message, Slice& out, ThrownText* thrown) try {
  out = Slice();
  if (codec == nullptr) return {};
  if (is_direct(*codec, *message.type)) {
    const std::size_t size = message.type->size(message.object);
    if (size == 0) return {};
    Block* const block = Block::allocate(size);
    out = Slice(block, block->data(), size);
    message.type->write(message.object, block->data());
    return {};
  }
  BufferWriter writer;
  if (Status status = codec->encode(message, writer); !status.is_ok()) return status;
  out = writer.take();
  return {};
} catch (...) {
  out = Slice();
  return has_thrown("encode", thrown);
}

Status decompress_message(const Compressor& compressor, std::size_t size, Slice& payload, ThrownText* thrown) try {
  return replace(payload, session::decompress(compressor, payload.bytes(), size));
} catch (...) {
  return has_thrown("decompress", thrown, compressor.name());
}

Status decompress_unsized_message(const Compressor& compressor, std::size_t limit, Slice& payload,
                                  ThrownText* thrown) try {
  return replace(payload, session::decompress_unsized(compressor, payload.bytes(), limit));
} catch (...) {
  return has_thrown("decompress", thrown, compressor.name());
}

Status parse_message(const Codec& codec, ByteSpan payload, MutableMessageView message) try {
  if (message.type->parse(message.object, payload)) [[likely]]
    return {};
  return does_not_parse(codec.name());
} catch (...) {
  return has_thrown("decode", nullptr);
}

Status decode_message(const Codec* codec, const Slice& payload, MutableMessageView message, ThrownText* thrown) try {
  if (message.type->kind == MessageKind::none) return {};
  if (codec == nullptr) return decode_nothing(message);
  if (parses_directly(*codec, *message.type)) {
    if (message.type->parse(message.object, payload.bytes())) return {};
    return does_not_parse(codec->name());
  }
  if (!codec->supports(*message.type)) {
    return stands_for_nothing(*codec, payload.size(), *message.type) ? decode_nothing(message) : not_supported(*codec);
  }
  return codec->decode(payload, message);
} catch (...) {
  return has_thrown("decode", thrown);
}

Status decode_message(const session::Event& event, MutableMessageView message) try {
  if (message.type->kind == MessageKind::none) return {};
  if (event.codec == nullptr) return decode_nothing(message);
  if (parses_directly(*event.codec, *message.type)) [[likely]]
    return parse_message(*event.codec, event.payload, message);
  if (!event.codec->supports(*message.type)) {
    return stands_for_nothing(*event.codec, event.payload.size(), *message.type) ? decode_nothing(message)
                                                                                 : not_supported(*event.codec);
  }
  return event.codec->decode(event.payload_slice(), message);
} catch (...) {
  return has_thrown("decode", nullptr);
}

}  // namespace trunkline::call
