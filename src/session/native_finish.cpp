// SPDX-License-Identifier: MIT
// The server's answer: finish frames.
#include "session/native_session.h"

#include "wire/text.h"

#include <algorithm>
#include <string>

namespace trunkline::session {

Status NativeSession::finish(CallId id, const Status& status, const Outgoing& message, const Metadata* trailing,
                             bool unprocessed) {
  if (!local_events_.empty()) [[unlikely]]
    drop_local_events(id);
  const bool plain = status.is_ok() && (trailing == nullptr || trailing->empty());
  CallState* call = nullptr;
  if (current_.is_live() && current_.id == id) {
    const bool one_way = current_.state == CurrentCall::State::one_way;
    current_.state = CurrentCall::State::none;
    if (one_way) return {};
    if (plain && finish_direct(id, message, negotiation_.peer().call_credit)) [[likely]]
      return {};
  } else {
    call = calls_.find(id);
    if (call == nullptr || transition(role_, call->phase, CallInput::finish).action != CallAction::accept) return {};
    if (unattached_ == id) unattached_ = 0;
    const bool is_silent = call->one_way || phase_ == ConnectionPhase::closed;
    if (is_silent || (plain && !call->has_queue() && finish_direct(id, message, call->send_credit))) {
      forget_call(*call);
      return {};
    }
  }
  return finish_queued(id, call, status, message, trailing, unprocessed);
}

/// The one frame of a plain answer, encoded in place. False: it has to take the other way.
bool NativeSession::finish_direct(CallId id, const Outgoing& message, std::int64_t call_credit) {
  std::uint8_t codec = 0;
  std::size_t size = 0;
  if (write_plain({.type = wire::FrameType::finish, .call = id}, message, call_credit, size)) [[likely]]
    return true;
  if (!measure(message, codec, size) || !may_send_direct(size, size, call_credit)) return false;
  wire::FrameHeader header{.type = wire::FrameType::finish, .codec = codec, .call = id};
  if (message.has_message()) {
    header.flags = wire::flag::message;
    send_queue_.take_credit(static_cast<std::int64_t>(wire::header_bytes + size));
  }
  write_direct(header, {}, message, size);
  return true;
}

/// With anything that does not fit finish_direct(): behind what the call has queued, or at once. A peer that does not
/// read what is queued keeps a draining connection open until the drain's timeout, which closes it.
Status NativeSession::finish_queued(CallId id, CallState* call, const Status& status, const Outgoing& message,
                                    const Metadata* trailing, bool unprocessed) {
  Status said = status;
  EncodedMessage encoded;
  const bool with_message = said.is_ok() && message.has_message();
  if (with_message) said = encode_message(message, negotiation_, options_.compression_threshold, owner_, encoded);
  bool too_long = false;
  Slice fields = finish_fields(said, trailing, too_long);
  if (too_long) {
    // An error of the handler's says more than this one.
    if (said.is_ok()) {
      said =
          Status(StatusCode::resource_exhausted,
                 "finish call: trailing metadata exceeds the peer's max_header_bytes " + std::to_string(header_room()));
    }
    fields = finish_fields(said, nullptr, too_long);
  }
  const bool carries = with_message && said.is_ok();
  // Broken off: what is queued may never get credit, and a finish without a message drops what is unfinished.
  if (call != nullptr && call->is_refused && !said.is_ok()) send_queue_.remove(*call);
  const bool must_wait =
      (call != nullptr && call->has_queue()) || (negotiation_.is_ordered() && !send_queue_.is_idle());
  if (!carries && !must_wait) {
    write_finish(id, said, unprocessed, fields.bytes());
    if (call != nullptr) forget_call(*call);
    return said;
  }
  if (call == nullptr) {
    call = open_call(id, nullptr);
    if (current_.id == id) {
      call->peer_has_ended = current_.end;
      call->receive_credit -= last_credit_.call_bytes;
      call->returnable_credit -= last_credit_.further_bytes;
    }
  } else {
    call->peer_has_ended = !call->takes_more();
  }
  call->context = nullptr;
  call->phase = CallPhase::closed;
  drop_assembly(*call);  // what still comes is discarded
  drop_kept(*call);
  call->deadline.cancel();
  QueuedFrame* frame = QueuedFramePool::make();
  frame->type = wire::FrameType::finish;
  frame->flags = carries ? wire::flag::message : std::uint8_t{0};
  if (unprocessed && !said.is_ok()) frame->flags |= wire::flag::unprocessed;
  frame->number = static_cast<std::uint32_t>(said.code());
  if (carries) {
    frame->codec = encoded.codec;
    frame->compressor = encoded.compressor;
    payload_bytes_taken_ += encoded.payload.size();
    frame->payload = std::move(encoded.payload);
  }
  frame->fields = std::move(fields);
  send_queue_.push(*call, frame);
  can_pump_ = true;
  return said;
}

/// Message, details and trailing metadata as header fields. Details that do not fit are left out, and the message is
/// cut; metadata that does not fit is too long.
Slice NativeSession::finish_fields(const Status& status, const Metadata* trailing, bool& too_long) {
  const std::size_t limit = header_room();
  const std::size_t metadata_bytes = trailing == nullptr ? 0 : trailing->total_bytes() + 6 * trailing->size();
  too_long = metadata_bytes + 64 > limit;
  if (too_long || (status.is_ok() && metadata_bytes == 0)) return {};
  BufferWriter out;
  wire::HeaderBlockWriter writer(out);
  writer.begin();
  if (metadata_bytes > 0) writer.metadata(*trailing);
  if (!status.message().empty()) {
    const std::size_t room = std::min<std::size_t>(limit - metadata_bytes - 16, 4096);
    writer.status_message(wire::utf8_prefix(status.message(), room));
  }
  for (const StatusDetail& detail : status.details()) {
    if (writer.size() + detail.type_url.size() + detail.value.size() + 16 <= limit)
      writer.status_detail(detail.type_url, detail.value);
  }
  return out.take().subslice(wire::block_size_bytes);
}

/// A finish without a message, which costs no credit: straight into the output.
void NativeSession::write_finish(CallId id, const Status& status, bool unprocessed, ByteSpan fields) {
  Slice made;
  if (fields.empty() && !status.is_ok()) {
    bool too_long = false;
    made = finish_fields(status, nullptr, too_long);
    fields = made.bytes();
  }
  wire::FrameHeader header{
      .type = wire::FrameType::finish, .call = id, .number = static_cast<std::uint32_t>(status.code())};
  if (unprocessed && !status.is_ok()) header.flags |= wire::flag::unprocessed;
  if (!fields.empty()) {
    header.flags |= wire::flag::headers;
    header.length = static_cast<std::uint32_t>(wire::block_size_bytes + fields.size());
  }
  std::byte* out = output_.reserve(wire::header_bytes + header.length);
  wire::write_header(header, out);
  if (!fields.empty()) {
    wire::store_little(out + wire::header_bytes, static_cast<std::uint32_t>(fields.size()));
    std::memcpy(out + wire::header_bytes + wire::block_size_bytes, fields.data(), fields.size());
  }
  output_.commit(wire::header_bytes + header.length);
}

}  // namespace trunkline::session
