// SPDX-License-Identifier: MIT
// Calls that the session itself refuses or breaks off, and what still comes for them.
#include "session/native_session.h"

#include "wire/control.h"

#include <algorithm>
#include <string>

namespace trunkline::session {

NativeSession::Step NativeSession::refuse_call(const wire::FrameHeader& header, ByteSpan body, const Status& why,
                                               Event& event) {
  const bool one_way = header.has(wire::flag::one_way);
  if (is_ordered() && !one_way) {
    discard(header, body, !header.has(wire::flag::end));
    return refuse_in_turn(header, why, event);
  }
  clear_event(event);
  if (!one_way) write_finish(header.call, why, true, {});
  discard(header, body);
  return Step::again;
}

/// Answers keep their order, and the layer above knows which calls still run: it says that this one is refused.
NativeSession::Step NativeSession::refuse_in_turn(const wire::FrameHeader& header, const Status& why, Event& event) {
  // More than the client may have open, by our hello or before it had come.
  const std::size_t most = std::max(options_.max_concurrent_calls, wire::Hello().max_concurrent_calls);
  if (refused_calls_ >= most) {
    return fail(Status(StatusCode::resource_exhausted, "receive call: " + std::to_string(refused_calls_) +
                                                           " calls were refused and wait for their turn, " +
                                                           "max_concurrent_calls is " + std::to_string(most)));
  }
  const std::string_view name = event.method_name;
  clear_event(event);
  event.type = EventType::call;
  event.id = header.call;
  event.method_number = header.number;
  event.method_name = name;
  event.status = why;
  current_ = {
      .id = header.call, .state = CurrentCall::State::waiting, .end = header.has(wire::flag::end), .is_refused = true};
  return Step::event;
}

/// True if the call's end is to be said by the layer above.
bool NativeSession::keeps_turn(const CallState& call) const noexcept {
  return role_ == Role::server && is_ordered() && !call.one_way && (call.pending != nullptr || call.context != nullptr);
}

/// Nothing of the call is taken any more, but its finish is yet to come.
void NativeSession::refuse_rest(CallState& call) {
  call.peer_has_ended = !call.takes_more();
  call.is_refused = true;
  ++refused_calls_;
  drop_assembly(call);
  call.deadline.cancel();
}

/// A call or message frame that nobody wants. Its credit is given back, that of the call as well while it goes on or
/// its message does: the client of a one-way call does not learn that it was refused, and is to come to its message's
/// end.
void NativeSession::discard(const wire::FrameHeader& header, ByteSpan body, bool goes_on) {
  return_connection_credit(cost_of(header));
  if (role_ != Role::server || !(goes_on || header.has(wire::flag::more))) return;
  wire::FrameBody parts;
  if (!wire::split_body(header, body, options_.limits.max_header_bytes, parts).is_ok() || parts.message.empty()) return;
  write_control(wire::credit_frame(header.call, static_cast<std::uint32_t>(parts.message.size())));
}

/// A rule of the call was broken, or its message cannot be had: the call ends, the connection goes on.
NativeSession::Step NativeSession::break_call(CallState& call, const Status& why, Event& event) {
  const HeldCredit credit = std::exchange(last_credit_, {});
  return_connection_credit(credit.connection_bytes);
  if (const std::int64_t owed = call.returnable_credit + credit.call_bytes; call.one_way && owed > 0) {
    // As in discard(): the client does not learn of this.
    write_control(wire::credit_frame(call.id, static_cast<std::uint32_t>(owed)));
  }
  clear_event(event);
  if (keeps_turn(call)) [[unlikely]] {
    refuse_rest(call);
    return_call_credit(call, credit.call_bytes);
    event.type = EventType::cancelled;
    event.id = call.id;
    event.context = call.context;
    event.status = why;
    event.unanswered = true;
    if (call.pending != nullptr) take_pending(call, event);
    return Step::event;
  }
  void* context = call.context;
  const CallId id = call.id;
  const bool unprocessed = call.pending != nullptr;
  const bool one_way = call.one_way;
  const bool is_begun = call.has_begun();
  forget_call(call);
  if (role_ == Role::client && is_begun) write_control(wire::cancel_frame(id, StatusCode::cancelled));
  if (role_ == Role::server && !one_way) write_finish(id, why, unprocessed, {});
  if (role_ == Role::server && context == nullptr) return Step::again;
  event.type = role_ == Role::client ? EventType::finished : EventType::cancelled;
  event.id = id;
  event.context = context;
  event.status = why;
  return Step::event;
}

}  // namespace trunkline::session
