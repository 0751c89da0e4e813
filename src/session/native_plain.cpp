// SPDX-License-Identifier: MIT
// The usual call and the usual answer, in one look each: whole, in a codec known here, with nothing beside the message.
// Whatever else a frame may be is for the other files, which would come to the same for these.
#include "session/native_session.h"

#include <algorithm>

namespace trunkline::session {

/// False, with nothing changed: the frame needs the closer look. It is complete and keeps the rules of its type.
bool NativeSession::take_plain_frame(const wire::FrameHeader& header, ByteSpan body, Event& event) {
  const Codec* const codec = negotiation_.known_codec(header.codec);
  const std::uint32_t cost = cost_of(header);
  if (phase_ != ConnectionPhase::open || codec == nullptr || header.compressor != 0 || receive_credit_ < cost ||
      body.size() > options_.limits.max_message_bytes) {
    return false;
  }
  if (role_ == Role::server ? !take_plain_call(header, body.size(), event)
                            : !take_plain_answer(header, body.size(), event)) {
    return false;
  }
  event.has_message = true;
  event.codec = codec;
  event.payload = body;
  event.wire_bytes = body.size();
  event.block = input_.block();
  event.id = header.call;
  receive_credit_ -= cost;
  last_credit_.connection_bytes = event.credit.connection_bytes = cost;
  last_credit_call_ = header.call;
  return true;
}

bool NativeSession::take_plain_call(const wire::FrameHeader& header, std::size_t size, Event& event) {
  constexpr std::uint8_t flags = wire::flag::message | wire::flag::end;
  if (header.type != wire::FrameType::call || header.flags != flags || ids_wrapped_ || header.call <= last_id_ ||
      !is_after(header.call, last_id_) || goaway_sent_ || size > options_.limits.call_credit_bytes ||
      calls_.size() >= options_.max_concurrent_calls || is_held_back(header)) {
    return false;
  }
  const std::string_view name = learnt_.find(header.number);
  if (name.empty()) return false;
  last_id_ = header.call;
  event.type = EventType::call;
  event.end = true;
  event.method_number = header.number;
  event.method_name = name;
  last_credit_.call_bytes = event.credit.call_bytes = static_cast<std::uint32_t>(size);
  // Member by member: a whole one would be put together in small pieces and copied in large ones, for which the
  // processor waits.
  current_.id = header.call;
  current_.state = CurrentCall::State::waiting;
  current_.end = true;
  current_.deadline = base::never;
  current_.kept_bytes = 0;
  current_.is_refused = false;
  return true;
}

bool NativeSession::take_plain_answer(const wire::FrameHeader& header, std::size_t size, Event& event) {
  if (header.type != wire::FrameType::finish || header.flags != wire::flag::message || header.number != 0) return false;
  CallState* const call = calls_.find(header.call);
  if (call == nullptr || call->one_way || call->assembly.is_active() ||
      static_cast<std::int64_t>(size) > call->receive_credit) {
    return false;
  }
  event.type = EventType::finished;
  event.end = true;
  event.context = call->context;
  forget_call(*call);
  return true;
}

/// One frame of a message of the same kind as the last one, written in place. False, with nothing changed: it is not,
/// or something stands in its way. `size` is then of no meaning.
bool NativeSession::write_plain(wire::FrameHeader header, const Outgoing& message, std::int64_t call_credit,
                                std::size_t& size) {
  const MessageType* const type = message.message.type;
  if (type == nullptr || type != direct_type_ || message.codec != direct_codec_ || direct_number_ == 0 ||
      message.compressor != nullptr || !send_queue_.is_idle() || output_.size() > options_.limits.max_unsent_bytes) {
    return false;
  }
  size = type->size(message.message.object);
  const wire::Hello& peer = negotiation_.peer();
  const auto cost = static_cast<std::int64_t>(wire::header_bytes + size);
  if (size > peer.max_message_bytes || size > peer.max_frame_bytes || size > options_.limits.chunk_bytes ||
      static_cast<std::int64_t>(size) > call_credit || cost > send_queue_.credit()) {
    return false;
  }
  header.flags |= wire::flag::message;
  header.codec = direct_number_;
  header.length = static_cast<std::uint32_t>(size);
  std::byte* const out = output_.reserve(wire::header_bytes + size);
  wire::write_header(header, out);
  if (size > 0) type->write(message.message.object, out + wire::header_bytes);
  output_.commit(wire::header_bytes + size);
  send_queue_.take_credit(cost);
  payload_bytes_taken_ += size;
  return true;
}

}  // namespace trunkline::session
