// SPDX-License-Identifier: MIT
// The native session as a connection: events, output, credit.
#include "session/native_session.h"

#include "wire/control.h"
#include "wire/preface.h"

#include <algorithm>

namespace trunkline::session {

std::unique_ptr<Session> make_native_session(Role role, const SessionOptions& options, base::TimerWheel& timers,
                                             SessionOwner& owner, base::TimePoint now,
                                             std::optional<base::TimePoint> since) {
  return std::make_unique<NativeSession>(role, options, timers, owner, now, since);
}

NativeSession::NativeSession(Role role, const SessionOptions& options, base::TimerWheel& timers, SessionOwner& owner,
                             base::TimePoint now, std::optional<base::TimePoint> since)
    : role_(role),
      options_(options),
      timers_(timers),
      owner_(owner),
      now_(now),
      last_received_(now),
      negotiation_(role, options),
      input_(options.limits.read_buffer_bytes),
      send_queue_(output_, *this),
      receive_credit_(options.limits.connection_credit_bytes),
      handshake_timer_(&on_handshake_timer, this),
      keepalive_timer_(&on_keepalive_timer, this) {
  send_queue_.add_credit(negotiation_.peer().connection_credit);
  timers_.schedule(handshake_timer_, base::deadline_after(since.value_or(now), options.limits.handshake_timeout));
  input_.need(wire::preface.size());
  if (role_ == Role::client) write_greeting();
  if (is_ordered()) send_queue_.set_order(SendQueue::Order::starts_in_order);
}

NativeSession::~NativeSession() {
  refused_start_ = false;  // nobody is to be told any more
  calls_.for_each([this](CallState& call) { destroy_call(call); });
  if (body_block_ != nullptr) body_block_->release();
}

void NativeSession::write_greeting() {
  BufferWriter greeting;
  greeting.append(ByteSpan(wire::preface));
  wire::write_hello(negotiation_.local_hello(), greeting);
  output_.append(greeting.bytes());
}

bool NativeSession::next(Event& event) {
  settle_last_event(event);
  for (;;) {
    if (local_events_taken_ < local_events_.size()) return take_local_event(event);
    if (phase_ == ConnectionPhase::closed) return take_closing_event(event);
    Step step = Step::starved;
    if (role_ == Role::server && must_wait_for_socket()) return false;
    if (held_ != nullptr && (held_->has_rest() || !is_congested(options_.limits.max_unsent_bytes / 2))) [[unlikely]] {
      step = take_held(event);
    } else {
      step = phase_ == ConnectionPhase::preface ? read_preface() : decode(event);
    }
    if (step == Step::event) return true;
    if (step == Step::starved) {
      input_.rest();
      return false;
    }
  }
}

/// True while the peer does not take what it asked for; wrote() wakes the owner when that is over.
bool NativeSession::must_wait_for_socket() noexcept {
  const std::size_t limit = options_.limits.max_unsent_bytes;
  is_stalled_ = waiting_for_socket() > (is_stalled_ ? limit / 2 : limit);
  return is_stalled_;
}

void NativeSession::settle_last_event(Event& event) {
  if (current_.is_live() || unattached_ != 0) abandon_unanswered(event);
  if (last_credit_.connection_bytes != 0) {
    if (!event.held) release(last_credit_call_, last_credit_);
    last_credit_.connection_bytes = last_credit_.call_bytes = last_credit_.further_bytes = 0;
  }
  if (event_bytes_.block() != nullptr) event_bytes_ = {};
  if (frame_bytes_.block() != nullptr) frame_bytes_ = {};
  clear_event(event);
}

void NativeSession::clear_event(Event& event) {
  event.has_message = event.end = event.one_way = event.unanswered = event.held = false;
  event.context = nullptr;
  event.codec = nullptr;
  event.compressor = nullptr;
  event.payload = {};
  event.block = nullptr;
  event.method_number = 0;
  event.method_name = {};
  event.deadline = base::never;
  event.credit = {};
  if (!event.metadata.empty()) event.metadata.clear();
  if (!event.status.is_ok()) event.status = {};
}

/// The layer above neither finished nor attached the call it was handed.
void NativeSession::abandon_unanswered(const Event& event) {
  const bool is_refused = !event.status.is_ok();
  const Status status =
      is_refused ? event.status : Status(StatusCode::internal, "call was neither answered nor kept open");
  if (current_.is_live()) static_cast<void>(finish(current_.id, status, {}, nullptr, is_refused));
  if (const CallId id = std::exchange(unattached_, 0); id != 0) {
    if (calls_.find(id) != nullptr) static_cast<void>(finish(id, status, {}, nullptr, is_refused));
  }
}

bool NativeSession::take_local_event(Event& event) {
  LocalEvent& local = local_events_[local_events_taken_++];
  event.type = local.type;
  event.id = local.id;
  event.context = local.context;
  event.status = std::move(local.status);
  if (role_ == Role::server && event.type != EventType::writable) complete_refusal(event);
  if (local_events_taken_ == local_events_.size()) local_events_.clear(), local_events_taken_ = 0;
  return true;
}

/// A deadline has passed on an ordered connection.
void NativeSession::complete_refusal(Event& event) {
  CallState* const call = calls_.find(event.id);
  if (call == nullptr || !call->is_refused) return;
  event.unanswered = event.type == EventType::cancelled;
  if (call->pending != nullptr) take_pending(*call, event);
}

void NativeSession::notify(LocalEvent event) {
  local_events_.push_back(std::move(event));
  owner_.on_session_wake();
}

/// The layer above is done with the call: it is not to hear of it again.
void NativeSession::drop_local_events(CallId id) {
  const auto first = local_events_.begin() + static_cast<std::ptrdiff_t>(local_events_taken_);
  local_events_.erase(std::remove_if(first, local_events_.end(), [id](const LocalEvent& e) { return e.id == id; }),
                      local_events_.end());
  if (local_events_taken_ == local_events_.size()) local_events_.clear(), local_events_taken_ = 0;
}

void NativeSession::received(std::size_t size, base::TimePoint now) {
  now_ = now;
  last_received_ = now;
  input_.commit(size);
}

std::size_t NativeSession::gather(std::span<ByteSpan> out) {
  if (!send_queue_.is_idle()) pump();
  if (goaway_owed_ && send_queue_.is_idle()) say_owed_goaway();
  return output_.gather(out);
}

/// Moves queued frames into the output, as far as credit goes and the output is not long enough already.
void NativeSession::pump() {
  if (output_.size() >= pump_target() || phase_ == ConnectionPhase::closed) return;
  const std::size_t before = output_.size();
  send_queue_.pump(pump_target(), options_.limits.chunk_bytes, negotiation_.peer().max_frame_bytes);
  can_pump_ = output_.size() > before;
}

void NativeSession::wrote(std::size_t size) {
  output_.consume(size);
  written_ += size;
  wrote_since_ping_ = true;
  if (phase_ == ConnectionPhase::closed) return;
  if (is_stalled_ && waiting_for_socket() <= options_.limits.max_unsent_bytes / 2) owner_.on_session_wake();
  if ((drain_wanted_ || phase_ == ConnectionPhase::draining) && output_.empty())
    owner_.on_session_wake();  // it may be drained now
  // A call's writer waits for the socket alone; new calls wait for all that is queued.
  if (is_writable_waited_for_ && waiting_for_socket() <= options_.limits.max_unsent_bytes / 2) {
    is_writable_waited_for_ = false;
    const auto is_told = [](const CallState& call) { return call.owes_writable && !call.has_queue(); };
    for (CallState* call : calls_.by_age(last_id_, is_told)) notify_writable(*call);
  }
  if ((!refused_start_ && held_ == nullptr) || is_congested(options_.limits.max_unsent_bytes / 2)) return;
  if (refused_start_) refresh_startable();
  if (held_ != nullptr) owner_.on_session_wake();
}

void NativeSession::notify_writable(CallState& call) {
  call.owes_writable = false;
  if (call.context != nullptr) notify({EventType::writable, call.id, call.context, {}});
}

void NativeSession::refresh_startable() {
  if (!refused_start_ || !can_start()) return;
  refused_start_ = false;
  notify({EventType::writable, 0, nullptr, {}});
}

CallState* NativeSession::open_call(CallId id, void* context) {
  CallState* call = CallStatePool::make(id, context, this, &on_deadline);
  call->send_credit = negotiation_.peer().call_credit;
  call->receive_credit = options_.limits.call_credit_bytes;
  calls_.insert(call);
  return call;
}

void NativeSession::forget_call(CallState& call) {
  if (call.has_queue() || call.in_ring) can_pump_ = true;  // it may have stood in the way of others
  calls_.erase(&call);
  destroy_call(call);
  if (refused_start_) refresh_startable();
}

void NativeSession::destroy_call(CallState& call) {
  if (call.has_queue() || call.in_ring) send_queue_.remove(call);
  drop_assembly(call);
  drop_kept(call);
  if (call.is_refused) --refused_calls_;
  CallStatePool::free(&call);
}

void NativeSession::write_control(const wire::FrameHeader& header) {
  wire::write_header(header, output_.reserve(wire::header_bytes));
  output_.commit(wire::header_bytes);
}

void NativeSession::return_connection_credit(std::uint32_t bytes) {
  returnable_credit_ += bytes;
  // Half a window at a time: one small frame for many messages, and the peer never waits for the other half.
  if (returnable_credit_ < options_.limits.connection_credit_bytes / 2 || phase_ == ConnectionPhase::closed) return;
  write_control(wire::credit_frame(0, returnable_credit_));
  receive_credit_ += returnable_credit_;
  returnable_credit_ = 0;
}

void NativeSession::return_call_credit(CallState& call, std::int64_t bytes) {
  if (!call.takes_more()) return;
  call.returnable_credit += bytes;
  if (call.returnable_credit < options_.limits.call_credit_bytes / 2 || phase_ == ConnectionPhase::closed) return;
  write_control(wire::credit_frame(call.id, static_cast<std::uint32_t>(call.returnable_credit)));
  call.receive_credit += call.returnable_credit;
  call.returnable_credit = 0;
}

void NativeSession::release(CallId id, const HeldCredit& credit) {
  return_connection_credit(credit.connection_bytes);
  unread_bytes_ -= credit.further_bytes;
  const std::int64_t owed = std::int64_t{credit.call_bytes} + credit.further_bytes;
  if (owed == 0) return;
  if (CallState* call = calls_.find(id)) return_call_credit(*call, owed);
}

}  // namespace trunkline::session
