// SPDX-License-Identifier: MIT
// Writes frames at once, or queues them.
#include "session/native/call_sender.h"

#include "session/native/header_fields.h"
#include "wire/header_block.h"

#include <cstring>
#include <string>
#include <utility>

namespace trunkline::session::native {

namespace {

std::uint64_t microseconds_left(base::TimePoint deadline, base::TimePoint now) noexcept {
  if (deadline <= now) return 0;
  return static_cast<std::uint64_t>(std::chrono::ceil<std::chrono::microseconds>(deadline - now).count());
}

/// Returns an upper bound of what the name and the timeout of a start take.
std::size_t max_start_bytes(const CallStart& start) noexcept { return start.method.name.size() + 20; }

/// Nothing else must be done before a frame is in the output.
constexpr auto nothing = [](wire::FrameHeader&) noexcept {};

bool has_metadata(const CallStart& start) noexcept { return start.metadata != nullptr && !start.metadata->empty(); }

}  // namespace

/// Writes, as the fast path, a message of the same kind as the last one directly into the output, as one frame. Returns
/// false and writes nothing if the message is of another kind, exceeds a limit, or must wait; `size` then has no
/// meaning. `prepare` is called when only the frame's header is missing; if it throws, nothing is written. A call and
/// its response each come here once, so it is inlined by force: the compiler thinks it too long.
template <class Prepare>
[[gnu::always_inline]] inline bool CallSender::try_write_in_place(wire::FrameHeader header,
                                                                  const OutgoingMessage& message,
                                                                  std::int64_t call_credit, std::size_t& size,
                                                                  Prepare prepare) {
  header.codec = direct_form_.number_of_last_kind(message);
  base::OutputQueue& output = path_.output();
  if (header.codec == 0 || message.compressor != nullptr || !path_.queue().is_idle() ||
      output.size() > options_.limits.max_unsent_bytes) {
    return false;
  }
  const MessageType* const type = message.message.type;
  size = type->size(message.message.object);
  const wire::Hello& peer = negotiation_.peer();
  const auto cost = static_cast<std::int64_t>(wire::header_bytes + size);
  if (size > peer.max_message_bytes || size > peer.max_frame_bytes || size > options_.limits.chunk_bytes ||
      static_cast<std::int64_t>(size) > call_credit || cost > path_.queue().credit()) {
    return false;
  }
  header.flags |= wire::flag::message;
  header.length = static_cast<std::uint32_t>(size);
  std::byte* const out = output.reserve(wire::header_bytes + size);
  if (size > 0) type->write(message.message.object, out + wire::header_bytes);
  prepare(header);
  wire::write_header(header, out);
  output.commit(wire::header_bytes + size);
  path_.charge(size);
  payload_bytes_accepted_ += size;
  return true;
}

/// Returns false if the message must be encoded, compressed or refused. Otherwise sets `codec` and `size`.
bool CallSender::measure(const OutgoingMessage& message, std::uint8_t& codec, std::size_t& size) noexcept {
  if (!message.has_message()) return true;
  codec = direct_form_.number_of(message, negotiation_);
  if (codec == 0) return false;
  size = message.message.type != nullptr ? message.message.type->size(message.message.object) : message.payload.size();
  if (size > negotiation_.peer().max_message_bytes) return false;
  return message.compressor == nullptr || size < options_.compression_threshold ||
         !negotiation_.peer_accepts(*message.compressor);
}

/// Writes one frame with `size` bytes of message. `prepare`, as in try_write_in_place(), may change the header.
template <class Prepare>
void CallSender::write_frame(wire::FrameHeader header, ByteSpan block, const OutgoingMessage& message, std::size_t size,
                             Prepare prepare) {
  base::OutputQueue& output = path_.output();
  const bool in_place = message.message.type != nullptr;
  const bool is_borrowed = !in_place && size >= base::OutputQueue::copy_limit;
  const std::size_t head = wire::header_bytes + block.size();
  const std::size_t contiguous = is_borrowed ? head : head + size;
  header.length = static_cast<std::uint32_t>(block.size() + size);
  if (is_borrowed) output.reserve_slice();
  std::byte* const out = output.reserve(contiguous);
  if (!block.empty()) std::memcpy(out + wire::header_bytes, block.data(), block.size());
  if (in_place && size > 0) {
    message.message.type->write(message.message.object, out + head);
  } else if (!is_borrowed && size > 0) {
    std::memcpy(out + head, message.payload.data(), size);
  }
  prepare(header);
  wire::write_header(header, out);
  output.commit(contiguous);
  if (is_borrowed) output.append(message.payload);
  payload_bytes_accepted_ += size;
}

// --- start ---

Status CallSender::check_start(const CallStart& start) const {
  if (!wire::is_method_name(start.method.name)) {
    return {StatusCode::invalid_argument, "start call: a method's name is 1 to 1024 bytes of UTF-8"};
  }
  const std::size_t size = start.metadata == nullptr ? 0 : max_encoded_bytes(*start.metadata);
  const std::size_t room = negotiation_.header_room();
  if (size + max_start_bytes(start) > room) {
    return {StatusCode::resource_exhausted, "start call: metadata of " + std::to_string(size) +
                                                " bytes exceeds the peer's max_header_bytes " + std::to_string(room)};
  }
  return {};
}

Result<CallId> CallSender::start(const CallStart& start, const OutgoingMessage& message, base::TimePoint now) {
  const CallId id = calls_.next_id();
  const bool with_metadata = has_metadata(start);
  const std::uint32_t number = methods_.find(start.method.key);
  const bool is_known = number != 0;
  const std::int64_t call_credit = negotiation_.peer().call_credit;
  if (is_known && !with_metadata && start.deadline == base::never && start.end && !start.one_way) {
    const wire::FrameHeader header{
        .type = wire::FrameType::call, .flags = wire::flag::end, .call = id, .number = number};
    CallState* call = nullptr;
    const auto open = [&](wire::FrameHeader&) { call = calls_.open(id, start.context); };
    if (std::size_t size = 0; try_write_in_place(header, message, call_credit, size, open)) {
      calls_.ids().advance_to(id);
      call->send_credit -= static_cast<std::int64_t>(size);
      call->phase = CallPhase::local_ended;
      return id;
    }
  }
  if (with_metadata || !is_known) {
    if (Status status = check_start(start); !status.is_ok()) return status;
  }

  std::uint8_t codec = 0;
  std::size_t size = 0;
  const bool needs_block = !is_known || with_metadata || start.deadline != base::never;
  const std::size_t block = !needs_block ? 0
                                         : wire::block_size_bytes + max_start_bytes(start) +
                                               (with_metadata ? max_encoded_bytes(*start.metadata) : 0);
  if (!path_.queue().has_queued_calls() && measure(message, codec, size) &&
      path_.may_write(block + size, size, call_credit)) {
    start_directly(id, start, message, codec, size, now);
    return id;
  }
  // The application's codec may run the loop, which starts other calls, so this call gets its id only afterwards.
  EncodedMessage encoded;
  if (Status status = encode(message, encoded); !status.is_ok()) return status;
  if (phase_ >= ConnectionPhase::draining) {
    Status status(StatusCode::unavailable, "start call: the connection has ended while the message was encoded");
    status.set_may_have_run(false);
    return status;
  }
  return queue_start(start, std::move(encoded));
}

void CallSender::start_directly(CallId id, const CallStart& start, const OutgoingMessage& message, std::uint8_t codec,
                                std::size_t size, base::TimePoint now) {
  wire::FrameHeader header{
      .type = wire::FrameType::call, .codec = codec, .call = id, .number = methods_.find(start.method.key)};
  if (start.end || start.one_way) header.flags |= wire::flag::end;
  if (start.one_way) header.flags |= wire::flag::one_way;
  if (message.has_message()) header.flags |= wire::flag::message;
  ByteSpan block;
  if (header.number == 0 || has_metadata(start) || start.deadline != base::never) {
    scratch_.clear();
    wire::HeaderBlockWriter writer(scratch_);
    writer.begin();
    if (header.number == 0) {
      writer.method(start.method.name);
    }
    if (start.deadline != base::never) writer.timeout(microseconds_left(start.deadline, now));
    if (has_metadata(start)) writer.metadata(*start.metadata);
    writer.finish();
    block = scratch_.bytes();
    header.flags |= wire::flag::headers;
  }
  CallState* call = nullptr;
  write_frame(header, block, message, size, [&](wire::FrameHeader& complete) {
    if (!start.one_way) call = calls_.open(id, start.context);
    try {
      if (complete.number == 0) complete.number = methods_.assign(start.method.key, negotiation_.peer().max_methods);
    } catch (...) {
      if (call != nullptr) calls_.forget(*call);
      throw;
    }
  });
  calls_.ids().advance_to(id);
  path_.charge(block.size() + size);
  if (start.one_way) return;
  call->send_credit -= static_cast<std::int64_t>(size);
  call->sent_message = message.has_message();
  if (start.end) call->phase = CallPhase::local_ended;
  calls_.schedule_deadline(*call, start.deadline);
}

CallId CallSender::queue_start(const CallStart& start, EncodedMessage encoded) {
  auto queued =
      std::make_unique<QueuedStart>(QueuedStart{start.method.key, std::string(start.method.name), start.deadline});
  Slice fields = has_metadata(start) ? encode_metadata(*start.metadata) : Slice();
  std::uint8_t flags = start.end || start.one_way ? wire::flag::end : std::uint8_t{0};
  if (start.one_way) flags |= wire::flag::one_way;
  const bool has_message = encoded.codec != 0;
  QueuedFramePtr frame = make_frame(wire::FrameType::call, flags, std::move(encoded), std::move(fields));
  frame->start = std::move(queued);
  const CallId id = calls_.next_id();
  // To the layer above a one-way call is over now.
  CallState& call = *calls_.open(id, start.one_way ? nullptr : start.context);
  calls_.ids().advance_to(id);
  call.one_way = start.one_way;
  call.sent_start = false;
  if (start.end || start.one_way) call.phase = CallPhase::local_ended;
  push(call, std::move(frame));
  call.sent_message = has_message;
  calls_.schedule_deadline(call, start.deadline);
  return id;
}

// --- messages ---

/// Encodes the message, if there is one. The result then has a codec.
Status CallSender::encode(const OutgoingMessage& message, EncodedMessage& encoded) {
  return message.has_message() ? encode_message(message, negotiation_, options_, owner_, encoded) : Status();
}

/// Makes a frame, with the message if `encoded` has a codec.
QueuedFramePtr CallSender::make_frame(wire::FrameType type, std::uint8_t flags, EncodedMessage encoded, Slice fields) {
  QueuedFramePtr frame(QueuedFramePool::make());
  frame->type = type;
  frame->flags = encoded.codec != 0 ? static_cast<std::uint8_t>(flags | wire::flag::message) : flags;
  frame->codec = encoded.codec;
  frame->compressor = encoded.compressor;
  frame->payload = std::move(encoded.payload);
  frame->fields = std::move(fields);
  return frame;
}

/// Queues a frame of the call. A frame that need not wait leaves with the next pump().
void CallSender::push(CallState& call, QueuedFramePtr frame) noexcept {
  frame->follows = call.sent_message;
  payload_bytes_accepted_ += frame->payload.size();
  path_.push(call, frame.release());
}

Status CallSender::send(CallState& call, const OutgoingMessage& message, const Metadata* leading, bool end) {
  const CallInput input = end ? CallInput::send_end : CallInput::send;
  CallTransition step = transition(role_, call.phase, input);
  if (step.action != CallAction::accept || call.one_way) {
    return {StatusCode::failed_precondition, "send message: this side of the call has ended"};
  }
  Slice fields;
  if (leading != nullptr && !leading->empty() && role_ == Role::server && !call.sent_message) {
    if (const std::size_t room = negotiation_.header_room(); max_encoded_bytes(*leading) > room) {
      return {StatusCode::resource_exhausted,
              "send message: leading metadata exceeds the peer's max_header_bytes " + std::to_string(room)};
    }
    fields = encode_metadata(*leading);
  }
  if (!message.has_message() && !end && fields.empty()) return {};
  const std::uint8_t flags = end ? wire::flag::end : std::uint8_t{0};
  std::uint8_t codec = 0;
  std::size_t size = 0;
  if (!call.has_queue() && fields.empty() && measure(message, codec, size) &&
      path_.may_write(size, size, call.send_credit)) {
    wire::FrameHeader header{.type = wire::FrameType::message, .flags = flags, .codec = codec, .call = call.id};
    if (message.has_message()) header.flags |= wire::flag::message;
    write_frame(header, {}, message, size, nothing);
    path_.charge(size);
    call.send_credit -= static_cast<std::int64_t>(size);
  } else {
    const CallId id = call.id;
    EncodedMessage encoded;
    if (Status status = encode(message, encoded); !status.is_ok()) return status;
    // The application's codec may have run the loop, and the call may have ended meanwhile, or one of its sides.
    if (calls_.find(id) != &call || call.is_refused) return {StatusCode::cancelled, "send message: the call is over"};
    step = transition(role_, call.phase, input);
    if (step.action != CallAction::accept) {
      return {StatusCode::failed_precondition, "send message: this side of the call has ended"};
    }
    push(call, make_frame(wire::FrameType::message, flags, std::move(encoded), std::move(fields)));
  }
  call.sent_message = true;
  call.phase = step.next;
  if (!call.has_queue()) return {};
  try {
    path_.pump();
  } catch (...) {
    // The message is queued, and gather() tries again.
  }
  return {};
}

// --- finish ---

bool CallSender::finish_directly(CallId id, const OutgoingMessage& message, std::int64_t call_credit) {
  wire::FrameHeader header{.type = wire::FrameType::finish, .call = id};
  std::size_t size = 0;
  if (try_write_in_place(header, message, call_credit, size, nothing)) [[likely]]
    return true;
  size = 0;
  if (!measure(message, header.codec, size) || !path_.may_write(size, size, call_credit)) return false;
  if (message.has_message()) header.flags = wire::flag::message;
  write_frame(header, {}, message, size, nothing);
  if (message.has_message()) path_.charge(size);
  return true;
}

/// Sends a response that finish_directly() cannot send, behind what the call has queued, or at once. A peer that does
/// not read what is queued keeps a draining connection open until the timeout of the drain, which closes it.
Status CallSender::finish(CallId id, CallState* call, const CurrentEvent& current, const Status& status,
                          const OutgoingMessage& message, const Metadata* trailing, bool unprocessed) {
  Status sent = status;
  EncodedMessage encoded;
  const bool with_message = sent.is_ok() && message.has_message();
  if (with_message) {
    sent = encode_message(message, negotiation_, options_, owner_, encoded);
    // The application's codec may have run the loop, and the call may have ended meanwhile.
    if (call != nullptr && (calls_.find(id) != call || call->phase == CallPhase::closed)) {
      return {StatusCode::cancelled, "finish call: the call is over"};
    }
  }
  const std::size_t room = negotiation_.header_room();
  if (!fits_finish(trailing, room)) {
    trailing = nullptr;
    Status refusal(StatusCode::resource_exhausted,
                   "finish call: trailing metadata exceeds the peer's max_header_bytes " + std::to_string(room));
    // An error of the handler tells more than this refusal.
    if (sent.is_ok()) {
      sent = std::move(refusal);
    } else {
      owner_.on_metadata_dropped(refusal);
    }
  }
  Slice fields = encode_finish_fields(sent, trailing, room);
  const bool has_message = with_message && sent.is_ok();
  // Queued messages may never get credit. A finish without a message drops what is unfinished.
  if (call != nullptr && call->is_refused && !sent.is_ok()) path_.remove(*call);
  const bool must_wait =
      (call != nullptr && call->has_queue()) || (negotiation_.is_ordered() && !path_.queue().is_idle());
  if (!has_message && !must_wait) {
    path_.write_finish(id, sent, unprocessed, fields.bytes());
    if (call != nullptr) calls_.forget(*call);
    return sent;
  }
  if (!has_message) encoded = {};
  const bool is_unprocessed = unprocessed && !sent.is_ok();
  QueuedFramePtr frame = make_frame(wire::FrameType::finish, is_unprocessed ? wire::flag::unprocessed : std::uint8_t{0},
                                    std::move(encoded), std::move(fields));
  frame->number = static_cast<std::uint32_t>(sent.code());
  if (call == nullptr) {
    call = calls_.open(current, nullptr);
    call->peer_has_ended = current.call().has_peer_ended;
  } else {
    call->peer_has_ended = !call->takes_more();
  }
  queue_finish(*call, std::move(frame));
  return sent;
}

void CallSender::queue_finish(CallState& call, QueuedFramePtr frame) noexcept {
  call.context = nullptr;
  call.phase = CallPhase::closed;
  call.deadline.cancel();
  calls_.release_metadata(call);
  push(call, std::move(frame));
  try {
    calls_.drop_assembly(call);  // what still comes is discarded
  } catch (...) {
    // There is no memory for a credit frame. The credit is returned with what is returned next.
  }
}

void CallSender::write_block(const QueuedFrame& frame, bool last, BufferWriter& out, std::uint32_t& number,
                             base::TimePoint now) {
  const bool first = !frame.started;
  const bool is_finish = frame.type == wire::FrameType::finish;
  const bool has_fields = !frame.fields.empty() && (is_finish ? last : first);
  const bool names_size = first && !last;
  const bool is_start = first && frame.start != nullptr;
  if (!has_fields && !names_size && !is_start) return;
  wire::HeaderBlockWriter writer(out);
  writer.begin();
  if (is_start) {
    number = methods_.find(frame.start->method_key);
    if (number == 0) {
      writer.method(frame.start->method_name);
      number = methods_.assign(frame.start->method_key, negotiation_.peer().max_methods);
    }
    if (frame.start->deadline != base::never) writer.timeout(microseconds_left(frame.start->deadline, now));
  }
  if (has_fields) out.append(frame.fields.bytes());
  if (names_size) writer.message_bytes(frame.payload.size());
  if (writer.size() == 0) return out.clear();
  writer.finish();
}

}  // namespace trunkline::session::native
