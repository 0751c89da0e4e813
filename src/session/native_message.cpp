// SPDX-License-Identifier: MIT
// Messages out of frames: codec and compressor numbers, pieces, decompression.
#include "session/native_session.h"

#include <string>

namespace trunkline::session {

/// Numbers outside the peer's list end the session; false then.
bool NativeSession::check_numbers(const wire::FrameHeader& header, bool first) {
  if (header.codec == 0 && header.compressor == 0) return true;
  if (!first) {
    fail(Status(StatusCode::internal, "receive message: codec and compressor belong on the first frame of a message"));
    return false;
  }
  if (header.codec != 0 && !negotiation_.is_peer_codec(header.codec)) {
    fail(Status(StatusCode::internal,
                "receive message: codec number " + std::to_string(header.codec) + " is not in the peer's hello"));
    return false;
  }
  if (header.compressor != 0 && !negotiation_.is_peer_compressor(header.compressor)) {
    fail(Status(StatusCode::internal, "receive message: compressor number " + std::to_string(header.compressor) +
                                          " is not in the peer's hello"));
    return false;
  }
  return true;
}

/// A message that is whole in this frame.
Status NativeSession::take_message(const wire::FrameHeader& header, ByteSpan payload, Block* owner, Event& event) {
  event.block = owner;
  return decode_payload(header.codec, header.compressor, payload, event);
}

Status NativeSession::decode_payload(std::uint8_t codec, std::uint8_t compressor, ByteSpan payload, Event& event) {
  event.has_message = true;
  event.payload = payload;
  event.wire_bytes = payload.size();
  if (payload.size() > options_.limits.max_message_bytes) {
    return {StatusCode::resource_exhausted, "receive message: size " + std::to_string(payload.size()) +
                                                " exceeds max_message_bytes " +
                                                std::to_string(options_.limits.max_message_bytes)};
  }
  if (codec == 0) {
    if (payload.empty()) return {};
    return {StatusCode::internal, "receive message: bytes without a codec"};
  }
  event.codec = negotiation_.peer_codec(codec);
  if (event.codec == nullptr) {
    return {StatusCode::unimplemented,
            "receive message: codec " + negotiation_.strange_codec(codec) + " is not known here"};
  }
  if (compressor == 0) return {};
  const Compressor* known = negotiation_.peer_compressor(compressor);
  if (known == nullptr) {
    return {StatusCode::unimplemented,
            "receive message: compressor " + negotiation_.strange_compressor(compressor) + " is not known here"};
  }
  Result<Slice> plain = decompress_message(payload, *known, options_.limits.max_message_bytes, owner_);
  if (!plain.is_ok()) return std::move(plain).status();
  if (plain->size() > payload.size() && !has_room_for(plain->size())) return too_much_unread(plain->size());
  event_bytes_ = *std::move(plain);
  event.compressor = known;
  event.payload = event_bytes_.bytes();
  event.block = event_bytes_.block();
  return {};
}

bool NativeSession::has_room_for(std::uint64_t size) const noexcept {
  return assembly_bytes_ + unread_bytes_ + size <= options_.limits.max_unread_bytes;
}

Status NativeSession::too_much_unread(std::uint64_t size) const {
  return {StatusCode::resource_exhausted, "receive message: " + std::to_string(assembly_bytes_ + unread_bytes_ + size) +
                                              " bytes of unfinished and unread messages exceed max_unread_bytes " +
                                              std::to_string(options_.limits.max_unread_bytes)};
}

Status NativeSession::begin_assembly(CallState& call, const wire::FrameHeader& header, const wire::HeaderBlock& block) {
  if (block.message_bytes > options_.limits.max_message_bytes) {
    return {StatusCode::resource_exhausted, "receive message: message_bytes " + std::to_string(block.message_bytes) +
                                                " exceeds max_message_bytes " +
                                                std::to_string(options_.limits.max_message_bytes)};
  }
  if (!has_room_for(block.message_bytes)) return too_much_unread(block.message_bytes);
  call.assembly.begin(static_cast<std::size_t>(block.message_bytes), header.codec, header.compressor);
  assembly_bytes_ += call.assembly.total();
  return {};
}

void NativeSession::drop_assembly(CallState& call) noexcept {
  if (!call.assembly.is_active()) return;
  assembly_bytes_ -= call.assembly.total();
  call.assembly.reset();
}

/// A frame that begins, continues or ends a message in pieces. event.has_message tells whether the message is whole.
Status NativeSession::take_piece(CallState& call, const wire::FrameHeader& header, const wire::HeaderBlock& block,
                                 ByteSpan piece, Event& event) {
  const bool last = !header.has(wire::flag::more);
  if (!call.assembly.is_active()) {
    if (Status status = begin_assembly(call, header, block); !status.is_ok()) return status;
  }
  if (Status status = call.assembly.check_piece(piece.size(), last); !status.is_ok()) return status;
  if (!piece.empty()) std::memcpy(call.assembly.position(), piece.data(), piece.size());
  call.assembly.advance(piece.size());
  if (!last) return {};
  const std::uint8_t codec = call.assembly.codec();
  const std::uint8_t compressor = call.assembly.compressor();
  assembly_bytes_ -= call.assembly.total();
  event_bytes_ = call.assembly.take();
  event.block = event_bytes_.block();
  return decode_payload(codec, compressor, event_bytes_.bytes(), event);
}

}  // namespace trunkline::session
