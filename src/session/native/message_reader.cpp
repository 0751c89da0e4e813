// SPDX-License-Identifier: MIT
// Checks codec and compressor numbers, joins chunks, and decompresses messages.
#include "session/native/message_reader.h"

#include "wire/leb128.h"

#include <algorithm>
#include <cstring>
#include <string>

namespace trunkline::session::native {

Status MessageReader::check_numbers(const wire::FrameHeader& header, bool first) const {
  if (header.codec == 0 && header.compressor == 0) return {};
  if (!first) {
    return {StatusCode::internal, "receive message: codec and compressor belong on the first frame of a message"};
  }
  if (header.codec != 0 && !negotiation_.is_peer_codec(header.codec)) {
    return {StatusCode::internal,
            "receive message: codec number " + std::to_string(header.codec) + " is not in the peer's hello"};
  }
  if (header.compressor != 0 && !negotiation_.is_peer_compressor(header.compressor)) {
    return {StatusCode::internal,
            "receive message: compressor number " + std::to_string(header.compressor) + " is not in the peer's hello"};
  }
  return {};
}

Status MessageReader::check_codec(const wire::FrameHeader& header, std::size_t bytes) {
  if (header.codec != 0 || !header.has(wire::flag::message)) return {};
  if (bytes == 0 && !header.has(wire::flag::more)) return {};
  return {StatusCode::internal, "receive message: a message without codec has bytes or more frames"};
}

Status MessageReader::read_whole(const wire::FrameHeader& header, ByteSpan payload, Block* block, Event& event) {
  event.block = block;
  return decode(header.codec, header.compressor, payload, event);
}

Status MessageReader::decode(std::uint8_t codec, std::uint8_t compressor, ByteSpan payload, Event& event) {
  event.has_message = true;
  event.payload = payload;
  event.wire_bytes = payload.size();
  if (payload.size() > options_.limits.max_message_bytes) {
    return {StatusCode::resource_exhausted, "receive message: size " + std::to_string(payload.size()) +
                                                " exceeds max_message_bytes " +
                                                std::to_string(options_.limits.max_message_bytes)};
  }
  if (codec == 0) return {};  // A message without a codec is empty.
  event.codec = negotiation_.peer_codec(codec);
  if (event.codec == nullptr) {
    return {StatusCode::unimplemented,
            "receive message: codec " + negotiation_.unknown_codec(codec) + " is not known here"};
  }
  if (compressor == 0) return {};
  const Compressor* known = negotiation_.peer_compressor(compressor);
  if (known == nullptr) {
    return {StatusCode::unimplemented,
            "receive message: compressor " + negotiation_.unknown_compressor(compressor) + " is not known here"};
  }
  Result<CompressedMessage> message = read_compressed(payload, options_.limits);
  if (!message.is_ok()) return std::move(message).status();
  event.compressor = known;
  event.is_compressed = true;
  event.payload = message->bytes;
  event.decompressed_bytes = message->decompressed_bytes;
  return {};
}

Status MessageReader::decompress(Event& event) {
  Result<Slice> decompressed = decompress_message({event.payload, event.decompressed_bytes}, *event.compressor, owner_);
  if (!decompressed.is_ok()) return std::move(decompressed).status();
  current_.retain_payload(*std::move(decompressed));
  event.is_compressed = false;
  event.payload = current_.payload().bytes();
  event.block = current_.payload().block();
  return {};
}

/// Returns the room that a message takes until it is handed out. The compressed request that begins a call is
/// decompressed then. Later messages wait for the application as they are.
std::size_t MessageReader::room_for(const CallState& call, std::uint64_t total, const wire::FrameHeader& header,
                                    ByteSpan first_chunk) const {
  std::uint64_t plain = 0;
  if (header.compressor != 0 && call.pending != nullptr)
    wire::read_leb128(first_chunk, wire::message_size_bytes, plain);
  return static_cast<std::size_t>(std::max(total, std::min(plain, options_.limits.max_message_bytes)));
}

Status MessageReader::begin(CallState& call, const wire::FrameHeader& header, const wire::HeaderBlock& block,
                            ByteSpan chunk) {
  if (block.message_bytes > options_.limits.max_message_bytes) {
    return {StatusCode::resource_exhausted, "receive message: message_bytes " + std::to_string(block.message_bytes) +
                                                " exceeds max_message_bytes " +
                                                std::to_string(options_.limits.max_message_bytes)};
  }
  if (!calls_.memory().may_ever_hold(block.message_bytes)) return calls_.memory().exceeded_by(block.message_bytes);
  const MessageAssembly::Description message{.total = static_cast<std::size_t>(block.message_bytes),
                                             .room = room_for(call, block.message_bytes, header, chunk),
                                             .codec = header.codec,
                                             .compressor = header.compressor};
  const MessageUse use = call.pending != nullptr ? MessageUse::request : MessageUse::of_open_call;
  if (calls_.has_waiting() || call.returnable_credit < 0 || !calls_.memory().try_retain_message(message.room, use)) {
    call.assembly.begin_waiting(message, call.returnable_credit < 0);
    calls_.add_waiting(call);
  } else {
    call.assembly.begin(message);
  }
  return {};
}

Status MessageReader::read_chunk(CallState& call, const wire::FrameHeader& header, const wire::HeaderBlock& block,
                                 ByteSpan chunk, Event& event) {
  const bool last = !header.has(wire::flag::more);
  if (!call.assembly.is_active()) {
    if (Status status = begin(call, header, block, chunk); !status.is_ok()) return status;
  }
  if (Status status = call.assembly.check_chunk(chunk.size(), last); !status.is_ok()) return status;
  // The rest has come within the call's credit, so it needs no room beyond that.
  if (last && call.assembly.is_waiting()) {
    const ReceiveCredit::Waiting waiting = calls_.end_waiting(call);
    credit_.drop_waiting(waiting);
    credit_.return_call(call, static_cast<std::int64_t>(waiting.bytes));
  }
  if (!chunk.empty()) std::memcpy(call.assembly.position(chunk.size()), chunk.data(), chunk.size());
  call.assembly.advance(chunk.size());
  if (call.assembly.is_admitted()) calls_.memory().count_long_message(chunk.size());
  if (!last) return {};
  const std::uint8_t codec = call.assembly.codec();
  const std::uint8_t compressor = call.assembly.compressor();
  if (call.assembly.is_admitted()) calls_.memory().release_message(call.assembly.room(), call.assembly.room_left());
  current_.retain_payload(call.assembly.take());
  event.block = current_.payload().block();
  return decode(codec, compressor, current_.payload().bytes(), event);
}

}  // namespace trunkline::session::native
