// SPDX-License-Identifier: MIT
// Takes calls, messages, finish, cancellation and credit of the peer, and refuses or breaks off calls.
#include "session/native/call_receiver.h"

#include "wire/control.h"

#include <algorithm>
#include <string>
#include <utility>

namespace trunkline::session::native {

namespace {

Status misplaced_message_bytes() {
  return {StatusCode::internal,
          "receive message: message_bytes belongs on the first frame of a message that has more, and only there"};
}

constexpr std::uint32_t further_bytes(const Event& event, std::size_t chunk) noexcept {
  return event.payload.size() > chunk ? static_cast<std::uint32_t>(event.payload.size() - chunk) : 0;
}

/// An empty message costs no credit of its call. It takes a record, unless it only adds to the count of the one before.
std::uint32_t record_of_empty(CallState& call, const Event& event) noexcept {
  if (!event.has_message) return 0;
  const bool is_empty = event.payload.empty() && !event.is_compressed;
  const bool is_counted = call.ends_with_empty && call.empty_codec == event.codec;
  call.ends_with_empty = is_empty;
  call.empty_codec = event.codec;
  return is_empty && !is_counted ? MessageCredit::short_record_bytes : 0;
}

Status never_opened(CallId id) {
  return {StatusCode::internal, "receive frame: call " + std::to_string(id) + " was never opened"};
}

Status response_to_one_way(CallId id) {
  return {StatusCode::internal,
          "receive frame: call " + std::to_string(id) + " is one-way, it must not get a response"};
}

Status one_way_without_end(CallId id) {
  return {StatusCode::internal,
          "receive message: the last frame of the one-way call " + std::to_string(id) + " has no end"};
}

/// Returns what a call retains of its header block while it is open. Decoded fields may be many times as large.
std::size_t retained_bytes(const wire::FrameHeader& header, const wire::HeaderBlock& block) noexcept {
  const bool retains_name = block.has_method && header.has(wire::flag::more);
  if (block.metadata_count == 0 && !retains_name) return 0;
  return block.fields.size() + block.metadata_count * sizeof(Metadata::Entry);
}

}  // namespace

CallReceiver::Outcome CallReceiver::fail(Status error) {
  error_ = std::move(error);
  return Outcome::failed;
}

// --- the fast path ---

/// New calls wait while too many responses wait for the client's credit, and so do the frames that belong to them.
/// Frames of calls that are open pass, above all credit and cancellation. While memory is short, new calls are refused
/// and do not wait. Waiting calls would take all the memory that the credit of the connection lets pass, because this
/// side has to go on reading.
inline bool CallReceiver::must_defer(const wire::FrameHeader& header) const noexcept {
  const bool is_call = header.type == wire::FrameType::call;
  if (deferred_ == nullptr) return is_call && path_.is_congested() && !calls_.memory().is_short();
  return is_call || deferred_->has_call(header.call);
}

inline bool CallReceiver::try_take_unary_call(const wire::FrameHeader& header, std::size_t size, Event& event) {
  constexpr std::uint8_t flags = wire::flag::message | wire::flag::end;
  if (header.type != wire::FrameType::call || header.flags != flags || !calls_.ids().rises_to(header.call) ||
      goaway_.is_sent() || size > options_.limits.call_credit_bytes || calls_.size() >= options_.max_concurrent_calls ||
      calls_.memory().is_short() || must_defer(header)) {
    return false;
  }
  const std::string_view name = methods_.find(header.number);
  if (name.empty()) return false;
  calls_.ids().advance_to(header.call);
  event.type = EventType::call;
  event.end = true;
  event.accepted_compressors = negotiation_.accepted_compressors();
  event.method_number = header.number;
  event.method_epoch = methods_.epoch();
  event.method_name = name;
  event.credit.call_bytes = static_cast<std::uint32_t>(size);
  current_.set_unary_call(header.call);
  return true;
}

inline bool CallReceiver::try_take_unary_response(const wire::FrameHeader& header, std::size_t size, Event& event) {
  if (header.type != wire::FrameType::finish || header.flags != wire::flag::message || header.number != 0) return false;
  CallState* const call = calls_.find(header.call);
  if (call == nullptr || call->one_way || call->phase >= CallPhase::peer_ended || call->assembly.is_active() ||
      static_cast<std::int64_t>(size) > call->receive_credit) {
    return false;
  }
  event.type = EventType::finished;
  event.end = true;
  event.context = call->context;
  event.credit.call_bytes = static_cast<std::uint32_t>(size);
  calls_.forget(*call);
  return true;
}

bool CallReceiver::try_take_unary(const Frame& frame, Event& event) {
  const wire::FrameHeader& header = frame.header;
  const Codec* const codec = negotiation_.known_codec(header.codec);
  const std::uint32_t cost = cost_of(header);
  if (codec == nullptr || header.compressor != 0 || credit_.left() < cost ||
      frame.body.size() > options_.limits.max_message_bytes) {
    return false;
  }
  if (role_ == Role::server ? !try_take_unary_call(header, frame.body.size(), event)
                            : !try_take_unary_response(header, frame.body.size(), event)) {
    return false;
  }
  event.has_message = true;
  event.codec = codec;
  event.payload = frame.body;
  event.wire_bytes = frame.body.size();
  event.block = frame.block;
  event.id = header.call;
  credit_.charge(cost);
  event.credit.connection_bytes = cost;
  current_.set_unary_credit(header.call, cost);
  return true;
}

// --- frames about calls ---

CallReceiver::Outcome CallReceiver::take(const Frame& frame, base::TimePoint now, Event& event) {
  if (is_charged(frame.header)) {
    credit_.charge(cost_of(frame.header));
    if (credit_.left() < 0) {
      return fail(Status(StatusCode::resource_exhausted, "receive frame: " + std::to_string(-credit_.left()) +
                                                             " bytes over connection_credit_bytes " +
                                                             std::to_string(options_.limits.connection_credit_bytes)));
    }
  }
  if (role_ == Role::server && must_defer(frame.header)) [[unlikely]]
    return defer(frame);
  return dispatch(frame, now, event);
}

CallReceiver::Outcome CallReceiver::dispatch(const Frame& frame, base::TimePoint now, Event& event) {
  switch (frame.header.type) {
    case wire::FrameType::call:
      return on_call(frame, now, event);
    case wire::FrameType::message:
      return on_message(frame, event);
    case wire::FrameType::finish:
      return on_finish(frame, event);
    case wire::FrameType::cancel:
      return on_cancel(frame.header, event);
    default:
      return on_credit(frame.header);
  }
}

CallReceiver::Outcome CallReceiver::defer(const Frame& frame) {
  if (deferred_ == nullptr) deferred_ = std::make_unique<DeferredCalls>();
  deferred_->push(frame.header, frame.body, frame.block);
  const std::size_t limit = deferred_->max_uncharged();
  if (deferred_->uncharged() <= limit) return Outcome::done;
  return fail(Status(StatusCode::resource_exhausted, "receive frame: " + std::to_string(deferred_->uncharged()) +
                                                         " frames wait for " + std::to_string(deferred_->calls()) +
                                                         " calls that wait for credit, the limit is " +
                                                         std::to_string(limit)));
}

CallReceiver::Outcome CallReceiver::take_deferred(base::TimePoint now, Event& event) {
  DeferredFrame deferred = deferred_->pop();
  if (deferred_->empty()) deferred_.reset();
  current_.retain_frame(std::move(deferred.body));
  const Slice& body = current_.frame();
  return dispatch({deferred.header, body.bytes(), body.block()}, now, event);
}

Status CallReceiver::read_block(const Frame& frame, wire::FrameBody& body, wire::HeaderBlock& block) const {
  Status status = wire::split_body(frame.header, frame.body, options_.limits.max_header_bytes, body);
  if (status.is_ok() && frame.header.has(wire::flag::headers))
    status = wire::read_header_block(body.fields, frame.header.type, block);
  return status;
}

Status CallReceiver::accept_id(CallId id) {
  CallIds& ids = calls_.ids();
  if (!CallIds::is_after(id, ids.newest())) {
    return {StatusCode::internal, "receive call: id " + std::to_string(id) + " does not follow the last one, " +
                                      std::to_string(ids.newest())};
  }
  const CallId last = ids.newest();
  if ((ids.have_wrapped() || id < last) && calls_.find(id) != nullptr) [[unlikely]] {
    return {StatusCode::internal, "receive call: id " + std::to_string(id) + " is that of a call still open"};
  }
  ids.advance_to(id);
  return {};
}

Status CallReceiver::find_method(const wire::FrameHeader& header, const wire::HeaderBlock& block,
                                 std::string_view& name) {
  if (header.number == 0) {
    name = block.method;
    if (block.has_method) return {};
    return {StatusCode::internal, "receive call: neither a method's id nor its name"};
  }
  const std::uint32_t max_methods = options_.limits.max_methods;
  if (header.number > max_methods) {
    return {StatusCode::resource_exhausted, "receive call: method id " + std::to_string(header.number) +
                                                " exceeds max_methods " + std::to_string(max_methods)};
  }
  if (block.has_method) {
    if (Status status = methods_.define(header.number, block.method); !status.is_ok()) return status;
  }
  name = methods_.find(header.number);
  if (!name.empty()) return {};
  return {StatusCode::internal, "receive call: method id " + std::to_string(header.number) + " was never defined"};
}

/// A call that ends the connection has not been served: the goaway does not name it.
CallReceiver::Outcome CallReceiver::on_call(const Frame& frame, base::TimePoint now, Event& event) {
  const CallIds before = calls_.ids();
  const Outcome outcome = accept(frame, now, event);
  if (outcome == Outcome::failed) calls_.ids() = before;
  return outcome;
}

CallReceiver::Outcome CallReceiver::accept(const Frame& frame, base::TimePoint now, Event& event) {
  const wire::FrameHeader& header = frame.header;
  if (Status status = accept_id(header.call); !status.is_ok()) return fail(std::move(status));
  if (goaway_.is_sent()) {  // The client learns from goaway that this call was never looked at.
    discard(frame);
    return Outcome::done;
  }
  wire::FrameBody body;
  wire::HeaderBlock block;
  Status status = read_block(frame, body, block);
  if (status.is_ok()) status = messages_.check_numbers(header, true);
  if (!status.is_ok()) return fail(std::move(status));
  if (body.message.size() > options_.limits.call_credit_bytes) {
    return fail(Status(StatusCode::resource_exhausted, "receive call: " + std::to_string(body.message.size()) +
                                                           " bytes exceed call_credit_bytes " +
                                                           std::to_string(options_.limits.call_credit_bytes)));
  }
  if (status = find_method(header, block, event.method_name); !status.is_ok()) return fail(std::move(status));
  if (goaway_.is_received() && CallIds::is_after(header.call, last_before_goaway_)) {
    const Status why(StatusCode::unavailable, "call: the client had announced with goaway that it makes no more calls");
    return refuse(frame, why, event);
  }
  return admit(frame, block, body, now, event);
}

CallReceiver::Outcome CallReceiver::admit(const Frame& frame, const wire::HeaderBlock& block,
                                          const wire::FrameBody& body, base::TimePoint now, Event& event) {
  const wire::FrameHeader& header = frame.header;
  if (calls_.size() >= options_.max_concurrent_calls) {
    return refuse(
        frame,
        Status(StatusCode::resource_exhausted, "call: " + std::to_string(calls_.size()) +
                                                   " calls are open on this connection, max_concurrent_calls is " +
                                                   std::to_string(options_.max_concurrent_calls)),
        event);
  }
  if (block.has_message_bytes != header.has(wire::flag::more)) return fail(misplaced_message_bytes());
  if (calls_.memory().is_short()) return refuse(frame, calls_.memory().short_of_memory(), event);
  if (block.has_timeout) {
    if (block.timeout_us == 0)
      return refuse(frame, Status(StatusCode::deadline_exceeded, "call: the deadline had passed on arrival"), event);
    constexpr std::uint64_t longest_us = std::uint64_t{1} << 52;
    event.deadline = base::deadline_after(now, std::chrono::microseconds(std::min(block.timeout_us, longest_us)));
  }
  const std::size_t retained = retained_bytes(header, block);
  if (retained > 0 && !calls_.memory().has_room_for_metadata(retained))
    return refuse(frame, calls_.memory().exceeded_by(retained), event);
  event.id = header.call;
  event.method_number = header.number;
  event.method_epoch = methods_.epoch();
  if (header.has(wire::flag::more)) return begin_call(frame, block, body, event);
  if (block.metadata_count > 0) wire::copy_metadata(block, event.metadata);
  if (header.has(wire::flag::message)) {
    if (Status status = messages_.read_whole(header, body.message, frame.block, event); !status.is_ok())
      return refuse_unreadable(frame, std::move(status), event);
  }
  event.type = EventType::call;
  event.end = header.has(wire::flag::end);
  event.accepted_compressors = negotiation_.accepted_compressors();
  event.one_way = header.has(wire::flag::one_way);
  const auto size = static_cast<std::uint32_t>(body.message.size());
  hand_out_credit(nullptr, {cost_of(header), size, further_bytes(event, size)}, event);
  current_.set_call({.id = header.call,
                     .state = event.one_way ? CurrentEvent::Call::State::one_way : CurrentEvent::Call::State::two_way,
                     .has_peer_ended = event.end,
                     .deadline = event.deadline,
                     .retained_bytes = retained});
  return Outcome::event;
}

/// A call whose message comes in chunks is not handed out before that is complete.
CallReceiver::Outcome CallReceiver::begin_call(const Frame& frame, const wire::HeaderBlock& block,
                                               const wire::FrameBody& body, Event& event) {
  const wire::FrameHeader& header = frame.header;
  event.type = EventType::call;
  event.one_way = header.has(wire::flag::one_way);
  event.accepted_compressors = negotiation_.accepted_compressors();
  if (block.metadata_count > 0) wire::copy_metadata(block, event.metadata);
  if (Status status = owner_.on_call_begun(event); !status.is_ok()) return refuse(frame, status, event);
  const bool needs_fields = block.metadata_count > 0 || header.number == 0;
  const ByteSpan fields = needs_fields ? block.fields : ByteSpan();
  const base::TimePoint deadline = event.deadline;
  event.clear();
  CallState& call = *calls_.open(header.call, nullptr);
  call.one_way = header.has(wire::flag::one_way);
  call.pending = std::make_unique<PendingCall>(PendingCall{
      header.number, header.number != 0 ? methods_.share(header.number) : nullptr, Slice::copy_of(fields), deadline});
  calls_.retain_metadata(call, retained_bytes(header, block));
  calls_.schedule_deadline(call, deadline);
  return on_message_of(call, frame, block, body.message, event);
}

CallReceiver::Outcome CallReceiver::on_message(const Frame& frame, Event& event) {
  const wire::FrameHeader& header = frame.header;
  CallState* call = calls_.find(header.call);
  if (call == nullptr) {
    if (!calls_.ids().was_opened(header.call)) return fail(never_opened(header.call));
    discard(frame);
    return Outcome::done;
  }
  if (role_ == Role::client && call->one_way) return fail(response_to_one_way(header.call));
  wire::FrameBody body;
  wire::HeaderBlock block;
  Status status = read_block(frame, body, block);
  if (status.is_ok()) status = messages_.check_numbers(header, !call->assembly.is_active());
  if (!status.is_ok()) return fail(std::move(status));
  return on_message_of(*call, frame, block, body.message, event);
}

/// Takes a message frame, or the first frame of a call in chunks.
CallReceiver::Outcome CallReceiver::on_message_of(CallState& call, const Frame& frame, const wire::HeaderBlock& block,
                                                  ByteSpan chunk, Event& event) {
  const wire::FrameHeader& header = frame.header;
  const bool end = header.has(wire::flag::end);
  const CallTransition step =
      transition(role_, call.phase, end ? CallInput::peer_message_end : CallInput::peer_message);
  call.receive_credit -= static_cast<std::int64_t>(chunk.size());
  if (call.receive_credit < 0) {
    return fail(Status(StatusCode::resource_exhausted, "receive message: call " + std::to_string(header.call) + " is " +
                                                           std::to_string(-call.receive_credit) +
                                                           " bytes over call_credit_bytes " +
                                                           std::to_string(options_.limits.call_credit_bytes)));
  }
  if (step.action == CallAction::discard || call.is_refused) {
    // The response waits until the client reads; the client may not read before it has written everything.
    credit_.return_connection(cost_of(header));
    call.peer_has_ended = call.peer_has_ended || end;
    credit_.return_call(call, static_cast<std::int64_t>(chunk.size()));
    return Outcome::done;
  }
  if (!call.assembly.is_active()) {
    if (Status status = MessageReader::check_codec(header, chunk.size()); !status.is_ok())
      return fail(std::move(status));
  }
  if (call.one_way && !end && !header.has(wire::flag::more) && step.action == CallAction::accept)
    return fail(one_way_without_end(header.call));
  const bool is_first_chunk = header.has(wire::flag::more) && !call.assembly.is_active();
  if (block.has_message_bytes != is_first_chunk) return fail(misplaced_message_bytes());
  const bool is_late_metadata = block.metadata_count > 0 && header.type == wire::FrameType::message &&
                                (role_ == Role::server || call.received_leading);
  if (is_late_metadata)
    return fail(Status(StatusCode::internal, "receive message: metadata on a frame that must not have it"));
  if (header.type == wire::FrameType::message) call.received_leading = true;

  const Status status = read_message(call, frame, block, chunk, step.action, event);
  MessageCredit credit{cost_of(header), static_cast<std::uint32_t>(chunk.size())};
  current_.set_credit(call.id, credit);
  if (!status.is_ok()) return break_call(call, status, event);
  call.phase = step.next;
  if (block.metadata_count > 0 && role_ == Role::client) wire::copy_metadata(block, event.metadata);
  if (call.assembly.is_waiting()) {  // the peer gets no more credit for this call until there is room
    current_.clear_credit();
    credit_.return_connection(credit.connection_bytes - credit.call_bytes);
    credit_.add_waiting({credit.call_bytes, call.assembly.began_behind_unread()});
    credit = {};
    if (event.metadata.empty()) return Outcome::done;
  }
  if (!event.has_message && !end && event.metadata.empty()) {  // This is not the last chunk: the next one has room.
    current_.clear_credit();
    credit_.return_connection(credit.connection_bytes);
    if (credit.call_bytes > 0) credit_.return_call(call, credit.call_bytes);
    return Outcome::done;
  }
  credit.further_bytes = further_bytes(event, chunk.size()) + record_of_empty(call, event);
  hand_out_credit(&call, credit, event);
  event.id = call.id;
  event.context = call.context;
  event.end = end;
  event.type = EventType::message;
  if (call.pending != nullptr) {
    call.phase = end ? CallPhase::peer_ended : CallPhase::open;
    hand_out_pending(call, event);
  }
  return Outcome::event;
}

Status CallReceiver::read_message(CallState& call, const Frame& frame, const wire::HeaderBlock& block, ByteSpan chunk,
                                  CallAction action, Event& event) {
  const wire::FrameHeader& header = frame.header;
  if (action == CallAction::fail_call) return {StatusCode::internal, "receive message: the peer had ended its side"};
  if (!header.has(wire::flag::message)) {
    if (!header.has(wire::flag::end) || !call.assembly.is_active()) return {};
    return {StatusCode::internal, "receive message: the sender ended amid a message"};
  }
  const bool is_whole = !call.assembly.is_active() && !header.has(wire::flag::more);
  return is_whole ? messages_.read_whole(header, chunk, frame.block, event)
                  : messages_.read_chunk(call, header, block, chunk, event);
}

Status CallReceiver::decompress(Event& event) {
  if (Status status = messages_.decompress(event); !status.is_ok()) return status;
  if (event.type == EventType::finished) return {};  // The message goes to a caller who waits for it.
  const std::uint32_t further = further_bytes(event, event.credit.call_bytes);
  if (further <= event.credit.further_bytes) return {};
  const std::uint32_t growth = further - event.credit.further_bytes;
  event.credit.further_bytes = further;
  current_.set_credit(current_.credit_call(), event.credit);
  calls_.memory().retain(growth);
  if (CallState* const call = calls_.find(event.id)) call->returnable_credit -= growth;
  return {};
}

/// The message of an event belongs to the application until Session::release(). The credit of its earlier chunks has
/// been returned already, so the call gets no more until that much has been released.
void CallReceiver::hand_out_credit(CallState* call, const MessageCredit& credit, Event& event) {
  event.credit = credit;
  current_.set_credit(call != nullptr ? call->id : event.id, credit);
  calls_.memory().retain(credit.further_bytes);
  if (call != nullptr) call->returnable_credit -= credit.further_bytes;
}

void CallReceiver::hand_out_pending(CallState& call, Event& event) {
  wire::HeaderBlock block;
  // The block has been read before, without an error.
  static_cast<void>(wire::read_header_block(call.pending->fields.bytes(), wire::FrameType::call, block));
  event.type = EventType::call;
  event.needs_finish = false;
  event.accepted_compressors = negotiation_.accepted_compressors();
  event.id = call.id;
  event.context = nullptr;
  // The number may belong to another name by now.
  const std::uint32_t number = call.pending->method_number;
  name_in_hand_ = std::move(call.pending->method_name);
  event.method_number = number != 0 && methods_.share(number) == name_in_hand_ ? number : 0;
  event.method_epoch = methods_.epoch();
  event.method_name = name_in_hand_ != nullptr ? std::string_view(*name_in_hand_) : block.method;
  event.deadline = call.pending->deadline;
  event.one_way = call.one_way;
  if (block.metadata_count > 0) wire::copy_metadata(block, event.metadata);
  current_.set_unattached(call.id);
  current_.retain_frame(call.pending->fields);  // The name may point into these.
  call.pending.reset();
}

CallReceiver::Outcome CallReceiver::on_finish(const Frame& frame, Event& event) {
  const wire::FrameHeader& header = frame.header;
  const bool has_message = header.has(wire::flag::message);
  CallState* call = calls_.find(header.call);
  if (call == nullptr) {
    if (!calls_.ids().was_opened(header.call)) return fail(never_opened(header.call));
    if (has_message) credit_.return_connection(cost_of(header));
    return Outcome::done;
  }
  if (call->one_way) return fail(response_to_one_way(header.call));
  wire::FrameBody body;
  wire::HeaderBlock block;
  Status status = read_block(frame, body, block);
  if (status.is_ok()) status = messages_.check_numbers(header, !call->assembly.is_active());
  if (status.is_ok() && !call->assembly.is_active()) status = MessageReader::check_codec(header, body.message.size());
  if (!status.is_ok()) return fail(std::move(status));
  if (static_cast<std::int64_t>(body.message.size()) > call->receive_credit) {
    return fail(Status(StatusCode::resource_exhausted, "receive finish: call " + std::to_string(header.call) +
                                                           " goes over call_credit_bytes " +
                                                           std::to_string(options_.limits.call_credit_bytes)));
  }
  event.type = EventType::finished;
  event.id = header.call;
  event.context = call->context;
  event.end = true;
  read_finish(*call, frame, block, body.message, event);
  if (has_message) {
    hand_out_credit(nullptr, {cost_of(header), 0, further_bytes(event, body.message.size())}, event);
    // The call has no entry any more, but who retains the message takes so much.
    event.credit.call_bytes = static_cast<std::uint32_t>(body.message.size());
  }
  calls_.forget(*call);
  return Outcome::event;
}

/// Reads the status, the last message and the trailing metadata of a finish frame.
void CallReceiver::read_finish(CallState& call, const Frame& frame, const wire::HeaderBlock& block, ByteSpan message,
                               Event& event) {
  const wire::FrameHeader& header = frame.header;
  const bool has_message = header.has(wire::flag::message);
  const bool has_ended = call.phase == CallPhase::peer_ended || call.phase == CallPhase::both_ended;
  if (header.number != 0) {
    event.status = Status(static_cast<StatusCode>(header.number), block.status_message, StatusOrigin::peer);
    event.status.set_may_have_run(!header.has(wire::flag::unprocessed));
    if (block.detail_count > 0) {
      wire::copy_details(block, event.status);
      event.pushback = event.status.retry_after();
    }
  } else if (has_message && has_ended) {
    event.status = {StatusCode::internal, "receive message: the peer had ended its side"};
  } else if (call.assembly.is_active()) {
    event.status = has_message ? messages_.read_chunk(call, header, block, message, event)
                               : Status(StatusCode::internal, "receive message: the server finished amid a message");
  } else if (has_message) {
    event.status = messages_.read_whole(header, message, frame.block, event);
  }
  if (!event.status.is_ok() && header.number == 0) event.has_message = false;
  if (block.metadata_count > 0) wire::copy_metadata(block, event.metadata);
}

CallReceiver::Outcome CallReceiver::on_cancel(const wire::FrameHeader& header, Event& event) {
  CallState* call = calls_.find(header.call);
  if (call == nullptr) return Outcome::done;  // The call is over, or was cancelled before it was sent.
  void* const context = call->context;
  // The layer above has checked a pending call, which may have cost as much as a call.
  const bool was_checked = call->pending != nullptr;
  calls_.forget(*call);
  if (context == nullptr && !was_checked) return Outcome::done;
  event.type = EventType::cancelled;
  event.id = header.call;
  event.context = context;
  event.status = header.number == 4
                     ? Status(StatusCode::deadline_exceeded, "the caller's deadline has passed", StatusOrigin::peer)
                     : Status(StatusCode::cancelled, "the caller has cancelled the call", StatusOrigin::peer);
  return Outcome::event;
}

CallReceiver::Outcome CallReceiver::on_credit(const wire::FrameHeader& header) {
  if (header.call == 0) {
    if (path_.queue().credit() + header.number > wire::max_credit_bytes) {
      return fail(Status(StatusCode::resource_exhausted, "receive credit: the connection's sum exceeds 2147483647"));
    }
    path_.add_credit(header.number);
    return Outcome::done;
  }
  CallState* call = calls_.find(header.call);
  if (call == nullptr) return Outcome::done;
  if (call->send_credit + header.number > wire::max_credit_bytes) {
    return fail(Status(StatusCode::resource_exhausted,
                       "receive credit: the sum of call " + std::to_string(header.call) + " exceeds 2147483647"));
  }
  path_.add_credit(*call, header.number);
  return Outcome::done;
}

// --- calls that this side refuses or breaks off ---

CallReceiver::Outcome CallReceiver::refuse(const Frame& frame, const Status& why, Event& event) {
  const wire::FrameHeader& header = frame.header;
  const bool one_way = header.has(wire::flag::one_way);
  if (negotiation_.is_ordered() && !one_way) {
    discard(frame, !header.has(wire::flag::end));
    return refuse_in_turn(header, why, event);
  }
  event.clear();
  if (!one_way) path_.write_finish(header.call, why, true, {});
  discard(frame);
  return Outcome::done;
}

/// The call's message cannot be taken, and `why` says why. A call that is refused in any case gets that reason instead.
CallReceiver::Outcome CallReceiver::refuse_unreadable(const Frame& frame, Status why, Event& event) {
  event.type = EventType::call;
  event.one_way = frame.header.has(wire::flag::one_way);
  event.has_message = event.is_compressed = false;
  event.payload = {};
  event.block = nullptr;
  event.accepted_compressors = negotiation_.accepted_compressors();
  if (Status refused = owner_.on_call_begun(event); !refused.is_ok()) {
    why = std::move(refused);
  } else {
    owner_.on_call_dropped(frame.header.call);
  }
  return refuse(frame, why, event);
}

/// Responses keep their order, and the layer above knows which calls still run, so it finishes the refused call.
CallReceiver::Outcome CallReceiver::refuse_in_turn(const wire::FrameHeader& header, const Status& why, Event& event) {
  // The client may have no more calls open than this, by this side's hello or before that had come.
  const std::size_t limit = std::max(options_.max_concurrent_calls, wire::Hello().max_concurrent_calls);
  if (calls_.refused() >= limit) {
    return fail(Status(StatusCode::resource_exhausted, "receive call: " + std::to_string(calls_.refused()) +
                                                           " calls were refused and wait for their turn, " +
                                                           "max_concurrent_calls is " + std::to_string(limit)));
  }
  const std::string_view name = event.method_name;
  event.clear();
  event.type = EventType::call;
  event.id = header.call;
  event.method_number = header.number;
  event.method_epoch = methods_.epoch();
  event.method_name = name;
  event.status = why;
  current_.set_call({.id = header.call,
                     .state = CurrentEvent::Call::State::two_way,
                     .has_peer_ended = header.has(wire::flag::end),
                     .is_refused = true});
  return Outcome::event;
}

/// Discards a call or message frame that is not wanted. Its connection credit is returned, and its call credit too
/// while the call or its message goes on. The client of a one-way call does not learn that the call was refused, and
/// must be able to send the rest of its message.
void CallReceiver::discard(const Frame& frame, bool has_more_frames) {
  const wire::FrameHeader& header = frame.header;
  credit_.return_connection(cost_of(header));
  if (role_ != Role::server || !(has_more_frames || header.has(wire::flag::more))) return;
  wire::FrameBody body;
  const bool is_readable = wire::split_body(header, frame.body, options_.limits.max_header_bytes, body).is_ok();
  if (is_readable && !body.message.empty())
    credit_.grant_call(header.call, static_cast<std::int64_t>(body.message.size()));
}

/// The peer broke a rule of the call, or its message cannot be read: the call ends, the connection goes on.
CallReceiver::Outcome CallReceiver::break_call(CallState& call, const Status& why, Event& event) {
  const MessageCredit credit = current_.credit();
  current_.clear_credit();
  credit_.return_connection(credit.connection_bytes);
  const std::int64_t withheld = call.assembly.is_waiting() ? static_cast<std::int64_t>(call.assembly.filled()) : 0;
  const std::int64_t owed = call.returnable_credit + credit.call_bytes + withheld;
  if (call.one_way && owed > 0)
    credit_.grant_call(call.id, owed);  // The client does not learn of this, as in discard().
  event.clear();
  if (calls_.keeps_place(call)) [[unlikely]]
    return break_in_turn(call, credit.call_bytes, why, event);
  void* const context = call.context;
  const CallId id = call.id;
  const bool unprocessed = call.pending != nullptr;
  const bool one_way = call.one_way;
  const bool has_begun = call.has_begun();
  calls_.forget(call);
  if (role_ == Role::client && has_begun) path_.write_header(wire::cancel_frame(id, StatusCode::cancelled));
  if (role_ == Role::server && !one_way) path_.write_finish(id, why, unprocessed, {});
  if (role_ == Role::server && context == nullptr) return Outcome::done;
  event.type = role_ == Role::client ? EventType::finished : EventType::cancelled;
  event.id = id;
  event.context = context;
  event.status = why;
  return Outcome::event;
}

CallReceiver::Outcome CallReceiver::break_in_turn(CallState& call, std::uint32_t call_bytes, const Status& why,
                                                  Event& event) {
  calls_.refuse_rest(call);
  credit_.return_call(call, call_bytes);
  event.type = EventType::cancelled;
  event.id = call.id;
  event.context = call.context;
  event.status = why;
  event.needs_finish = true;
  if (call.pending != nullptr) hand_out_pending(call, event);
  return Outcome::event;
}

}  // namespace trunkline::session::native
