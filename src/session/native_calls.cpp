// SPDX-License-Identifier: MIT
// Frames about calls: admission, messages, the end.
#include "session/native_session.h"

#include <algorithm>
#include <string>

namespace trunkline::session {

namespace {

Status misplaced_message_bytes() {
  return {StatusCode::internal,
          "receive message: message_bytes must stand on the first frame of a message that has more, and only there"};
}

constexpr std::uint32_t further_bytes(const Event& event, std::size_t piece) noexcept {
  return event.payload.size() > piece ? static_cast<std::uint32_t>(event.payload.size() - piece) : 0;
}

Status never_opened(CallId id) {
  return {StatusCode::internal, "receive frame: call " + std::to_string(id) + " was never opened"};
}

Status answer_to_one_way(CallId id) {
  return {StatusCode::internal, "receive frame: call " + std::to_string(id) + " is one-way, it must not be answered"};
}

}  // namespace

/// False: the session has failed.
bool NativeSession::read_block(const wire::FrameHeader& header, ByteSpan body, wire::FrameBody& parts,
                               wire::HeaderBlock& block) {
  Status status = wire::split_body(header, body, options_.limits.max_header_bytes, parts);
  if (status.is_ok() && header.has(wire::flag::headers))
    status = wire::read_header_block(parts.fields, header.type, block);
  if (status.is_ok()) return true;
  fail(std::move(status));
  return false;
}

bool NativeSession::find_method(const wire::FrameHeader& header, const wire::HeaderBlock& block,
                                std::string_view& name) {
  if (header.number == 0) {
    name = block.method;
    if (block.has_method) return true;
    fail(Status(StatusCode::internal, "receive call: neither a method's number nor its name"));
    return false;
  }
  if (block.has_method) {
    Status status = learnt_.learn(header.number, block.method, options_.limits.max_methods);
    if (!status.is_ok()) {
      fail(std::move(status));
      return false;
    }
  }
  name = learnt_.find(header.number);
  if (!name.empty()) return true;
  fail(Status(StatusCode::internal,
              "receive call: method number " + std::to_string(header.number) + " was never taught"));
  return false;
}

NativeSession::Step NativeSession::on_call_frame(const wire::FrameHeader& header, ByteSpan body, Block* block,
                                                 Event& event) {
  if (!is_after(header.call, last_id_)) {
    return fail(Status(StatusCode::internal, "receive call: id " + std::to_string(header.call) +
                                                 " does not follow the last one, " + std::to_string(last_id_)));
  }
  if (header.call < last_id_) ids_wrapped_ = true;
  if (ids_wrapped_ && calls_.find(header.call) != nullptr) [[unlikely]] {
    return fail(Status(StatusCode::internal,
                       "receive call: id " + std::to_string(header.call) + " is that of a call still open"));
  }
  last_id_ = header.call;
  if (goaway_sent_) {  // The client learns from goaway that this call was never looked at.
    discard(header, body);
    return Step::again;
  }
  wire::FrameBody parts;
  wire::HeaderBlock fields;
  if (!read_block(header, body, parts, fields) || !check_numbers(header, true)) return Step::again;
  if (parts.message.size() > options_.limits.call_credit_bytes) {
    return fail(Status(StatusCode::resource_exhausted, "receive call: " + std::to_string(parts.message.size()) +
                                                           " bytes exceed call_credit_bytes " +
                                                           std::to_string(options_.limits.call_credit_bytes)));
  }
  if (!find_method(header, fields, event.method_name)) return Step::again;
  return admit_call(header, body, fields, parts, block, event);
}

NativeSession::Step NativeSession::admit_call(const wire::FrameHeader& header, ByteSpan body,
                                              const wire::HeaderBlock& block, const wire::FrameBody& parts,
                                              Block* owner, Event& event) {
  if (calls_.size() >= options_.max_concurrent_calls) {
    return refuse_call(
        header, body,
        Status(StatusCode::resource_exhausted, "call: " + std::to_string(calls_.size()) +
                                                   " calls are open on this connection, max_concurrent_calls is " +
                                                   std::to_string(options_.max_concurrent_calls)),
        event);
  }
  if (block.has_message_bytes != header.has(wire::flag::more)) return fail(misplaced_message_bytes());
  if (block.has_timeout) {
    if (block.timeout_us == 0)
      return refuse_call(header, body,
                         Status(StatusCode::deadline_exceeded, "call: the deadline had passed on arrival"), event);
    constexpr std::uint64_t longest_us = std::uint64_t{1} << 52;
    event.deadline = base::deadline_after(now_, std::chrono::microseconds(std::min(block.timeout_us, longest_us)));
  }
  const std::size_t kept = kept_bytes(header, block);
  if (kept > 0 && !has_room_for(kept)) return refuse_call(header, body, too_much_unread(kept), event);
  event.id = header.call;
  event.method_number = header.number;
  if (header.has(wire::flag::more)) return begin_call(header, block, parts, owner, event);
  if (block.metadata_count > 0) wire::copy_metadata(block, event.metadata);
  if (header.has(wire::flag::message)) {
    if (Status status = take_message(header, parts.message, owner, event); !status.is_ok())
      return refuse_call(header, body, status, event);
  }
  event.type = EventType::call;
  event.end = header.has(wire::flag::end);
  event.one_way = header.has(wire::flag::one_way);
  const auto size = static_cast<std::uint32_t>(parts.message.size());
  hand_out_credit(nullptr, {cost_of(header), size, further_bytes(event, size)}, event);
  current_ = {.id = header.call,
              .state = event.one_way ? CurrentCall::State::one_way : CurrentCall::State::waiting,
              .end = event.end,
              .deadline = event.deadline,
              .kept_bytes = kept};
  return Step::event;
}

/// What a call keeps of its header block while it is open: fields taken apart may be many times as large.
std::size_t NativeSession::kept_bytes(const wire::FrameHeader& header, const wire::HeaderBlock& block) noexcept {
  const bool keeps_name = header.number == 0 && header.has(wire::flag::more);
  if (block.metadata_count == 0 && !keeps_name) return 0;
  return block.fields.size() + block.metadata_count * sizeof(Metadata::Entry);
}

void NativeSession::keep_bytes(CallState& call, std::size_t bytes) noexcept {
  call.kept_bytes = bytes;
  assembly_bytes_ += bytes;
}

void NativeSession::drop_kept(CallState& call) noexcept {
  assembly_bytes_ -= std::exchange(call.kept_bytes, 0);
  call.pending.reset();
}

/// A call whose message comes in pieces: nobody hears of it before that is whole.
NativeSession::Step NativeSession::begin_call(const wire::FrameHeader& header, const wire::HeaderBlock& block,
                                              const wire::FrameBody& parts, Block* owner, Event& event) {
  const bool needs_fields = block.metadata_count > 0 || header.number == 0;
  const ByteSpan fields = needs_fields ? block.fields : ByteSpan();
  const base::TimePoint deadline = event.deadline;
  clear_event(event);
  CallState& call = *open_call(header.call, nullptr);
  call.one_way = header.has(wire::flag::one_way);
  call.pending = std::make_unique<PendingCall>(PendingCall{header.number, Slice::copy_of(fields), deadline});
  keep_bytes(call, kept_bytes(header, block));
  if (deadline != base::never) timers_.schedule(call.deadline, deadline);
  return on_message_of(call, header, block, parts.message, owner, event);
}

NativeSession::Step NativeSession::on_message_frame(const wire::FrameHeader& header, ByteSpan body, Block* block,
                                                    Event& event) {
  CallState* call = calls_.find(header.call);
  if (call == nullptr) {
    if (!was_opened(header.call)) return fail(never_opened(header.call));
    discard(header, body);
    return Step::again;
  }
  if (role_ == Role::client && call->one_way) return fail(answer_to_one_way(header.call));
  wire::FrameBody parts;
  wire::HeaderBlock fields;
  if (!read_block(header, body, parts, fields) || !check_numbers(header, !call->assembly.is_active()))
    return Step::again;
  return on_message_of(*call, header, fields, parts.message, block, event);
}

/// A message frame, or the first of a call in pieces.
NativeSession::Step NativeSession::on_message_of(CallState& call, const wire::FrameHeader& header,
                                                 const wire::HeaderBlock& block, ByteSpan piece, Block* owner,
                                                 Event& event) {
  const bool end = header.has(wire::flag::end);
  const CallTransition step =
      transition(role_, call.phase, end ? CallInput::peer_message_end : CallInput::peer_message);
  call.receive_credit -= static_cast<std::int64_t>(piece.size());
  if (call.receive_credit < 0) {
    return fail(Status(StatusCode::resource_exhausted, "receive message: call " + std::to_string(header.call) + " is " +
                                                           std::to_string(-call.receive_credit) +
                                                           " bytes over call_credit_bytes " +
                                                           std::to_string(options_.limits.call_credit_bytes)));
  }
  if (step.action == CallAction::discard || call.is_refused) {
    // The answer waits for the client to read, the client perhaps until it has written all it has.
    return_connection_credit(cost_of(header));
    call.peer_has_ended = call.peer_has_ended || end;
    return_call_credit(call, static_cast<std::int64_t>(piece.size()));
    return Step::again;
  }
  const bool is_first_piece = header.has(wire::flag::more) && !call.assembly.is_active();
  if (block.has_message_bytes != is_first_piece) return fail(misplaced_message_bytes());
  const bool is_late_metadata = block.metadata_count > 0 && header.type == wire::FrameType::message &&
                                (role_ == Role::server || call.received_leading);
  if (is_late_metadata)
    return fail(Status(StatusCode::internal, "receive message: metadata on a frame that must not have it"));
  if (header.type == wire::FrameType::message) call.received_leading = true;

  Status status;
  if (step.action == CallAction::fail_call) {
    status = Status(StatusCode::internal, "receive message: the peer had ended its side");
  } else if (!header.has(wire::flag::message)) {
    if (end && call.assembly.is_active())
      status = Status(StatusCode::internal, "receive message: the sender ended amid a message");
  } else if (call.assembly.is_active() || header.has(wire::flag::more)) {
    status = take_piece(call, header, block, piece, event);
  } else {
    status = take_message(header, piece, owner, event);
  }
  last_credit_ = {cost_of(header), static_cast<std::uint32_t>(piece.size())};
  last_credit_call_ = call.id;
  if (!status.is_ok()) return break_call(call, status, event);
  call.phase = step.next;
  if (block.metadata_count > 0 && role_ == Role::client) wire::copy_metadata(block, event.metadata);
  if (!event.has_message && !end && event.metadata.empty()) {  // a piece amid a message: room for the next one
    release(call.id, std::exchange(last_credit_, {}));
    return Step::again;
  }
  last_credit_.further_bytes = further_bytes(event, piece.size());
  hand_out_credit(&call, last_credit_, event);
  event.id = call.id;
  event.context = call.context;
  event.end = end;
  if (call.pending != nullptr) return hand_out_call(call, event);
  event.type = EventType::message;
  return Step::event;
}

/// The message of an event is the application's until release(). The credit of its earlier pieces has been returned
/// already: the call gets no more until that much has been read.
void NativeSession::hand_out_credit(CallState* call, const HeldCredit& credit, Event& event) {
  event.credit = credit;
  last_credit_ = credit;
  last_credit_call_ = call != nullptr ? call->id : event.id;
  unread_bytes_ += credit.further_bytes;
  if (call != nullptr) call->returnable_credit -= credit.further_bytes;
}

/// The first message of a call in pieces is whole.
NativeSession::Step NativeSession::hand_out_call(CallState& call, Event& event) {
  call.phase = event.end ? CallPhase::peer_ended : CallPhase::open;
  take_pending(call, event);
  return Step::event;
}

/// Makes the event that of a new call.
void NativeSession::take_pending(CallState& call, Event& event) {
  wire::HeaderBlock block;
  // Has been read before, without an error.
  static_cast<void>(wire::read_header_block(call.pending->fields.bytes(), wire::FrameType::call, block));
  event.type = EventType::call;
  event.unanswered = false;
  event.id = call.id;
  event.context = nullptr;
  event.method_number = call.pending->method_number;
  event.method_name = event.method_number != 0 ? learnt_.find(event.method_number) : block.method;
  event.deadline = call.pending->deadline;
  event.one_way = call.one_way;
  if (block.metadata_count > 0) wire::copy_metadata(block, event.metadata);
  unattached_ = call.id;
  frame_bytes_ = call.pending->fields;  // the name's
  call.pending.reset();
}

NativeSession::Step NativeSession::on_finish_frame(const wire::FrameHeader& header, ByteSpan body, Block* block,
                                                   Event& event) {
  const bool has_message = header.has(wire::flag::message);
  CallState* call = calls_.find(header.call);
  if (call == nullptr) {
    if (!was_opened(header.call)) return fail(never_opened(header.call));
    if (has_message) return_connection_credit(cost_of(header));
    return Step::again;
  }
  if (call->one_way) return fail(answer_to_one_way(header.call));
  wire::FrameBody parts;
  wire::HeaderBlock fields;
  if (!read_block(header, body, parts, fields) || !check_numbers(header, !call->assembly.is_active()))
    return Step::again;
  if (static_cast<std::int64_t>(parts.message.size()) > call->receive_credit) {
    return fail(Status(StatusCode::resource_exhausted, "receive finish: call " + std::to_string(header.call) +
                                                           " goes over call_credit_bytes " +
                                                           std::to_string(options_.limits.call_credit_bytes)));
  }
  event.type = EventType::finished;
  event.id = header.call;
  event.context = call->context;
  event.end = true;
  if (header.number != 0) {
    event.status = Status(static_cast<StatusCode>(header.number), fields.status_message, StatusOrigin::peer);
    event.status.set_may_have_run(!header.has(wire::flag::unprocessed));
    if (fields.detail_count > 0) wire::copy_details(fields, event.status);
  } else if (call->assembly.is_active()) {
    event.status = has_message ? take_piece(*call, header, fields, parts.message, event)
                               : Status(StatusCode::internal, "receive message: the server finished amid a message");
  } else if (has_message) {
    event.status = take_message(header, parts.message, block, event);
  }
  if (!event.status.is_ok() && header.number == 0) event.has_message = false;
  if (fields.metadata_count > 0) wire::copy_metadata(fields, event.metadata);
  if (has_message) hand_out_credit(nullptr, {cost_of(header), 0, further_bytes(event, parts.message.size())}, event);
  forget_call(*call);
  return Step::event;
}

NativeSession::Step NativeSession::on_cancel_frame(const wire::FrameHeader& header, Event& event) {
  CallState* call = calls_.find(header.call);
  if (call == nullptr) return Step::again;  // over, or given up before it was sent
  void* const context = call->context;
  forget_call(*call);
  if (context == nullptr) return Step::again;
  event.type = EventType::cancelled;
  event.id = header.call;
  event.context = context;
  event.status = header.number == 4
                     ? Status(StatusCode::deadline_exceeded, "the caller's deadline has passed", StatusOrigin::peer)
                     : Status(StatusCode::cancelled, "the caller has cancelled the call", StatusOrigin::peer);
  return Step::event;
}

}  // namespace trunkline::session
