// SPDX-License-Identifier: MIT
// Calls and messages to frames: straight into the output where nothing stands in the way, else through the send queue.
#include "session/native_session.h"

#include "wire/control.h"
#include "wire/text.h"

#include <algorithm>
#include <string>

namespace trunkline::session {

namespace {

constexpr std::int64_t cost(std::size_t body) noexcept { return static_cast<std::int64_t>(wire::header_bytes + body); }

std::uint64_t microseconds_left(base::TimePoint deadline, base::TimePoint now) noexcept {
  if (deadline <= now) return 0;
  return static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::microseconds>(deadline - now).count());
}

/// What a start's own fields take at most: name and timeout.
std::size_t most_start_bytes(const CallStart& start) noexcept { return start.method.name.size() + 20; }

std::size_t most_metadata_bytes(const Metadata& metadata) noexcept {
  return metadata.total_bytes() + 6 * metadata.size();
}

}  // namespace

bool NativeSession::can_start() const noexcept {
  const bool may = role_ == Role::client && phase_ < ConnectionPhase::draining && !drain_wanted_ &&
                   calls_.size() < negotiation_.peer().max_concurrent_calls &&
                   !is_congested(options_.limits.max_unsent_bytes);
  if (!may) refused_start_ = true;
  return may;
}

/// What fields of a header block may take: within the peer's limits, and never so much that the frame could wait for
/// ever for credit that comes half a window at a time.
std::size_t NativeSession::header_room() const noexcept {
  // The frame's header and the least piece that a queued message is cut to.
  constexpr std::size_t rest_of_frame = 64 + 4096;
  const wire::Hello& peer = negotiation_.peer();
  return std::min<std::size_t>(
      {peer.max_header_bytes, peer.max_frame_bytes - rest_of_frame, peer.connection_credit / 2 - rest_of_frame});
}

Status NativeSession::check_start(const CallStart& start) const {
  if (!wire::is_method_name(start.method.name)) {
    return {StatusCode::invalid_argument, "start call: a method's name is 1 to 1024 bytes of UTF-8"};
  }
  const std::size_t size = start.metadata == nullptr ? 0 : most_metadata_bytes(*start.metadata);
  const std::size_t room = header_room();
  if (size + most_start_bytes(start) > room) {
    return {StatusCode::resource_exhausted, "start call: metadata of " + std::to_string(size) +
                                                " bytes exceeds the peer's max_header_bytes " + std::to_string(room)};
  }
  return {};
}

/// The number under which the message goes straight into the output; 0: it has to be encoded first.
std::uint8_t NativeSession::direct_codec(const Outgoing& message) noexcept {
  const MessageType* type = message.message.type;
  if (message.codec == direct_codec_ && type == direct_type_) [[likely]]
    return direct_number_;
  if (type != nullptr && (type->size == nullptr || message.codec->name() != type->direct_codec)) return 0;
  direct_codec_ = message.codec;
  direct_type_ = type;
  direct_number_ = negotiation_.number_of(*message.codec);
  return direct_number_;
}

/// Codec number and size of a message that may go out as it is. False: it must be encoded, compressed or refused.
bool NativeSession::measure(const Outgoing& message, std::uint8_t& codec, std::size_t& size) noexcept {
  if (!message.has_message()) return true;
  codec = direct_codec(message);
  if (codec == 0) return false;
  size = message.message.type != nullptr ? message.message.type->size(message.message.object) : message.payload.size();
  if (size > negotiation_.peer().max_message_bytes) return false;
  return message.compressor == nullptr || size < options_.compression_threshold ||
         !negotiation_.peer_accepts(*message.compressor);
}

/// True if a frame may go out now, ahead of nothing that it must not pass.
bool NativeSession::may_send_direct(std::size_t body, std::size_t message, std::int64_t call_credit) const noexcept {
  return cost(body) <= send_queue_.credit() && static_cast<std::int64_t>(message) <= call_credit &&
         message <= options_.limits.chunk_bytes && body <= negotiation_.peer().max_frame_bytes &&
         (send_queue_.is_idle() || !negotiation_.is_ordered()) && output_.size() <= options_.limits.max_unsent_bytes;
}

/// One whole frame. `size` is the message's.
void NativeSession::write_direct(wire::FrameHeader header, ByteSpan block, const Outgoing& message, std::size_t size) {
  const bool in_place = message.message.type != nullptr;
  const std::size_t head = wire::header_bytes + block.size();
  header.length = static_cast<std::uint32_t>(block.size() + size);
  payload_bytes_taken_ += size;
  std::byte* out = output_.reserve(in_place ? head + size : head);
  wire::write_header(header, out);
  if (!block.empty()) std::memcpy(out + wire::header_bytes, block.data(), block.size());
  if (in_place && size > 0) message.message.type->write(message.message.object, out + head);
  output_.commit(in_place ? head + size : head);
  if (!in_place && size > 0) output_.append(message.payload);
}

/// 0 is the connection's; after a wrap an old call may still be open.
CallId NativeSession::next_id() noexcept {
  CallId id = last_id_ + 1;
  if (id == 0) ids_wrapped_ = true;
  if (ids_wrapped_) [[unlikely]] {
    while (id == 0 || calls_.find(id) != nullptr) ++id;
  }
  return id;
}

Result<CallId> NativeSession::start(const CallStart& start, const Outgoing& message) {
  if (phase_ == ConnectionPhase::closed) return Status(StatusCode::unavailable, "start call: the connection is closed");
  const CallId id = next_id();
  const bool has_metadata = start.metadata != nullptr && !start.metadata->empty();
  const std::uint32_t number = taught_.find(start.method.key);
  const bool is_known = number != 0;
  if (is_known && !has_metadata && start.deadline == base::never && start.end && !start.one_way) {
    const wire::FrameHeader header{
        .type = wire::FrameType::call, .flags = wire::flag::end, .call = id, .number = number};
    if (std::size_t size = 0; write_plain(header, message, negotiation_.peer().call_credit, size)) {
      last_id_ = id;  // the frame is out, whatever becomes of the rest
      CallState* const call = open_call(id, start.context);
      call->send_credit -= static_cast<std::int64_t>(size);
      call->phase = CallPhase::local_ended;
      return id;
    }
  }
  if (has_metadata || !is_known) {
    if (Status status = check_start(start); !status.is_ok()) return status;
  }
  if (start.deadline != base::never && start.now > now_) now_ = start.now;

  std::uint8_t codec = 0;
  std::size_t size = 0;
  const std::size_t block = is_known && !has_metadata && start.deadline == base::never
                                ? 0
                                : wire::block_size_bytes + most_start_bytes(start) +
                                      (has_metadata ? most_metadata_bytes(*start.metadata) : 0);
  if (!send_queue_.has_queued_calls() && measure(message, codec, size) &&
      may_send_direct(block + size, size, negotiation_.peer().call_credit)) {
    start_direct(id, start, message, codec, size);
  } else {
    // For the layer above a one-way call ends here.
    CallState* call = open_call(id, start.one_way ? nullptr : start.context);
    if (Status status = queue_start(*call, start, message); !status.is_ok()) {
      forget_call(*call);
      return status;
    }
  }
  last_id_ = id;
  return id;
}

void NativeSession::start_direct(CallId id, const CallStart& start, const Outgoing& message, std::uint8_t codec,
                                 std::size_t size) {
  wire::FrameHeader header{
      .type = wire::FrameType::call, .codec = codec, .call = id, .number = taught_.find(start.method.key)};
  if (start.end || start.one_way) header.flags |= wire::flag::end;
  if (start.one_way) header.flags |= wire::flag::one_way;
  if (message.has_message()) header.flags |= wire::flag::message;
  ByteSpan block;
  const bool has_metadata = start.metadata != nullptr && !start.metadata->empty();
  if (header.number == 0 || has_metadata || start.deadline != base::never) {
    scratch_.clear();
    wire::HeaderBlockWriter writer(scratch_);
    writer.begin();
    if (header.number == 0) {
      writer.method(start.method.name);
      header.number = taught_.teach(start.method.key, negotiation_.peer().max_methods);
    }
    if (start.deadline != base::never) writer.timeout(microseconds_left(start.deadline, now_));
    if (has_metadata) writer.metadata(*start.metadata);
    writer.finish();
    block = scratch_.bytes();
    header.flags |= wire::flag::headers;
  }
  write_direct(header, block, message, size);
  last_id_ = id;  // the frame is out, whatever becomes of the rest
  send_queue_.take_credit(cost(block.size() + size));
  if (start.one_way) return;
  CallState* call = open_call(id, start.context);
  call->send_credit -= static_cast<std::int64_t>(size);
  if (start.end) call->phase = CallPhase::local_ended;
  if (start.deadline != base::never) timers_.schedule(call->deadline, start.deadline);
}

Status NativeSession::queue_start(CallState& call, const CallStart& start, const Outgoing& message) {
  call.one_way = start.one_way;
  call.sent_start = false;
  if (start.end || start.one_way) call.phase = CallPhase::local_ended;
  auto queued =
      std::make_unique<QueuedStart>(QueuedStart{start.method.key, std::string(start.method.name), start.deadline});
  Slice fields;
  if (start.metadata != nullptr && !start.metadata->empty()) {
    BufferWriter writer;
    wire::HeaderBlockWriter block(writer);
    block.begin();
    block.metadata(*start.metadata);
    fields = writer.take().subslice(wire::block_size_bytes);
  }
  std::uint8_t flags = start.end || start.one_way ? wire::flag::end : 0;
  if (start.one_way) flags |= wire::flag::one_way;
  EncodedMessage encoded;
  if (message.has_message()) {
    Status status = encode_message(message, negotiation_, options_.compression_threshold, owner_, encoded);
    if (!status.is_ok()) return status;
    flags |= wire::flag::message;
  }
  QueuedFrame* frame = QueuedFramePool::make();
  frame->type = wire::FrameType::call;
  frame->flags = flags;
  frame->codec = encoded.codec;
  frame->compressor = encoded.compressor;
  payload_bytes_taken_ += encoded.payload.size();
  frame->payload = std::move(encoded.payload);
  frame->fields = std::move(fields);
  frame->start = std::move(queued);
  if (start.deadline != base::never) timers_.schedule(call.deadline, start.deadline);
  send_queue_.push(call, frame);
  can_pump_ = true;
  return {};
}

void NativeSession::cancel(CallId id, StatusCode reason) {
  if (!local_events_.empty()) drop_local_events(id);
  CallState* call = calls_.find(id);
  if (call == nullptr || transition(role_, call->phase, CallInput::cancel).action != CallAction::accept) return;
  const bool is_late = reason == StatusCode::deadline_exceeded;
  if (call->has_begun() && phase_ != ConnectionPhase::closed)
    write_control(wire::cancel_frame(id, is_late ? StatusCode::deadline_exceeded : StatusCode::cancelled));
  forget_call(*call);
}

void NativeSession::attach(CallId id, void* context) {
  if (current_.is_live() && current_.id == id) {
    CallState* call = open_call(id, context);
    call->phase = current_.end ? CallPhase::peer_ended : CallPhase::open;
    call->one_way = current_.state == CurrentCall::State::one_way;
    keep_bytes(*call, current_.kept_bytes);
    if (current_.is_refused) refuse_rest(*call);
    call->receive_credit -= last_credit_.call_bytes;
    call->returnable_credit -= last_credit_.further_bytes;
    if (current_.deadline != base::never) timers_.schedule(call->deadline, current_.deadline);
    current_ = {};
    return;
  }
  if (unattached_ == id) unattached_ = 0;
  if (CallState* call = calls_.find(id)) {
    call->context = context;
  } else if (phase_ == ConnectionPhase::closed && !closed_event_given_ && context != nullptr) {
    // The session was ended between the event and now.
    notify({EventType::cancelled, id, context, close_reason_});
  }
}

Status NativeSession::send(CallId id, const Outgoing& message, const Metadata* leading, bool end) {
  if (current_.is_live() && current_.id == id) {  // leading metadata before finish() of a call that is not attached
    attach(id, nullptr);
    unattached_ = id;
  }
  CallState* call = calls_.find(id);
  if (call == nullptr || call->is_refused || phase_ == ConnectionPhase::closed) {
    return {StatusCode::cancelled, "send message: the call is over"};
  }
  const CallTransition step = transition(role_, call->phase, end ? CallInput::send_end : CallInput::send);
  if (step.action != CallAction::accept || call->one_way) {
    return {StatusCode::failed_precondition, "send message: this side of the call has ended"};
  }
  Slice fields;
  if (leading != nullptr && !leading->empty() && role_ == Role::server && !call->sent_message) {
    if (Status status = leading_fields(*leading, fields); !status.is_ok()) return status;
  }
  if (!message.has_message() && !end && fields.empty()) return {};
  const std::uint8_t flags = end ? wire::flag::end : std::uint8_t{0};
  std::uint8_t codec = 0;
  std::size_t size = 0;
  if (!call->has_queue() && fields.empty() && measure(message, codec, size) &&
      may_send_direct(size, size, call->send_credit)) {
    wire::FrameHeader header{.type = wire::FrameType::message, .flags = flags, .codec = codec, .call = id};
    if (message.has_message()) header.flags |= wire::flag::message;
    write_direct(header, {}, message, size);
    send_queue_.take_credit(cost(size));
    call->send_credit -= static_cast<std::int64_t>(size);
  } else {
    if (Status status = queue_message(*call, message, std::move(fields), flags); !status.is_ok()) return status;
  }
  call->sent_message = true;
  call->phase = step.next;
  if (call->has_queue()) pump();
  return {};
}

Status NativeSession::leading_fields(const Metadata& leading, Slice& fields) const {
  const std::size_t room = header_room();
  if (most_metadata_bytes(leading) > room) {
    return {StatusCode::resource_exhausted,
            "send message: leading metadata exceeds the peer's max_header_bytes " + std::to_string(room)};
  }
  BufferWriter writer;
  wire::HeaderBlockWriter block(writer);
  block.begin();
  block.metadata(leading);
  fields = writer.take().subslice(wire::block_size_bytes);
  return {};
}

/// Encodes and queues; what need not wait leaves with the next pump().
Status NativeSession::queue_message(CallState& call, const Outgoing& message, Slice fields, std::uint8_t flags) {
  EncodedMessage encoded;
  if (message.has_message()) {
    Status status = encode_message(message, negotiation_, options_.compression_threshold, owner_, encoded);
    if (!status.is_ok()) return status;
    flags |= wire::flag::message;
  }
  QueuedFrame* frame = QueuedFramePool::make();
  frame->type = wire::FrameType::message;
  frame->flags = flags;
  frame->codec = encoded.codec;
  frame->compressor = encoded.compressor;
  payload_bytes_taken_ += encoded.payload.size();
  frame->payload = std::move(encoded.payload);
  frame->fields = std::move(fields);
  send_queue_.push(call, frame);
  can_pump_ = true;
  return {};
}

bool NativeSession::is_writable(CallId id) const noexcept {
  CallState* call = calls_.find(id);
  if (call == nullptr) return false;
  const bool is_full = waiting_for_socket() > options_.limits.max_unsent_bytes;
  if (!call->has_queue() && !is_full) return true;
  call->owes_writable = true;
  if (!call->has_queue()) is_writable_waited_for_ = true;
  return false;
}

void NativeSession::on_frame_sent(CallState& call, const QueuedFrame& frame) {
  call.sent_start = true;
  if (frame.type == wire::FrameType::finish || (call.one_way && role_ == Role::client && !call.has_queue()))
    return forget_call(call);
  if (!call.owes_writable || call.has_queue()) return;
  if (waiting_for_socket() > options_.limits.max_unsent_bytes) {
    is_writable_waited_for_ = true;
  } else {
    notify_writable(call);
  }
}

void NativeSession::write_block(const QueuedFrame& frame, bool last, BufferWriter& out, std::uint32_t& number) {
  const bool first = !frame.started;
  const bool is_finish = frame.type == wire::FrameType::finish;
  const bool has_fields = !frame.fields.empty() && (is_finish ? last : first);
  const bool names_size = first && !last;
  const bool is_start = first && frame.start != nullptr;
  if (!has_fields && !names_size && !is_start) return;
  wire::HeaderBlockWriter writer(out);
  writer.begin();
  if (is_start) {
    number = taught_.find(frame.start->method_key);
    if (number == 0) {
      writer.method(frame.start->method_name);
      number = taught_.teach(frame.start->method_key, negotiation_.peer().max_methods);
    }
    if (frame.start->deadline != base::never) writer.timeout(microseconds_left(frame.start->deadline, now_));
  }
  if (has_fields) out.append(frame.fields.bytes());
  if (names_size) writer.message_bytes(frame.payload.size());
  if (writer.size() == 0) return out.clear();
  writer.finish();
}

}  // namespace trunkline::session
