// SPDX-License-Identifier: MIT
// Gives the parts of a native session their turns, and runs its handshake, timers, drain and end.
#include "session/native/native_session.h"

#include "base/exception_text.h"
#include "wire/control.h"
#include "wire/detector.h"
#include "wire/foreign_peer.h"
#include "wire/hello.h"
#include "wire/preface.h"
#include "wire/text.h"

#include <algorithm>
#include <string>
#include <utility>

namespace trunkline::session::native {

namespace {

/// After this many steps without an event the layer above may end its turn.
constexpr std::size_t steps_per_pause = 512;

constexpr bool is_about_calls(wire::FrameType type) noexcept {
  return type >= wire::FrameType::call && type <= wire::FrameType::credit;
}

Status foreign_peer(std::string_view protocol) {
  std::string text = "handshake: the peer does not speak the native protocol";
  if (!protocol.empty()) text.append("; it seems to speak ").append(protocol);
  if (protocol == "TLS") text += ", so the endpoint is tls://";
  return {StatusCode::internal, text};
}

}  // namespace

std::unique_ptr<Session> make_native_session(Role role, const SessionOptions& options, base::TimerWheel& timers,
                                             SessionOwner& owner, base::TimePoint now,
                                             std::shared_ptr<MemoryAccount> account) {
  return std::make_unique<NativeSession>(role, options, timers, owner, now, std::move(account));
}

NativeSession::NativeSession(Role role, const SessionOptions& options, base::TimerWheel& timers, SessionOwner& owner,
                             base::TimePoint now, std::shared_ptr<MemoryAccount> account)
    : role_(role),
      options_(options),
      timers_(timers),
      owner_(owner),
      now_(now),
      negotiation_(role, options),
      path_(options.limits, negotiation_, *this),
      credit_(options.limits, path_),
      memory_share_(options.memory, std::move(account)),
      memory_retry_(timers_, &on_memory_timer, this),
      calls_(role, options.limits, negotiation_, path_, credit_, memory_share_, {timers, &on_deadline, this}, owner),
      uncharged_(credit_, path_.queue()),
      decoder_(role == Role::client ? wire::Sender::server : wire::Sender::client, options.limits, credit_, uncharged_),
      receiver_(role, options, {negotiation_, path_, credit_, calls_, current_, goaway_}, owner),
      sender_(role, options, phase_, negotiation_, path_, calls_, owner),
      local_events_(owner),
      keepalive_(role, options.limits, timers, &on_keepalive_timer, this, now),
      pongs_(PongLimit::for_reads_of(options.limits.read_buffer_bytes)),
      stall_(options.limits, timers, &on_stall_timer, this),
      input_watch_(options.limits, timers, &on_input_timer, this) {
  if (role_ == Role::client) write_greeting();
  if (is_ordered()) path_.set_order(SendQueue::Order::starts_in_order);
}

// --- input ---

void NativeSession::received(std::size_t size, base::TimePoint now) {
  now_ = now;
  keepalive_.received(now);
  memory_pause_.end();
  input_watch_.received(size);
  decoder_.input().commit(size);
}

bool NativeSession::next(Event& event) {
  settle_current_event(event);
  for (;;) {
    if (!local_events_.empty()) return take_local_event(event);
    if (phase_ == ConnectionPhase::closed) {
      if (take_closing_event(event)) return true;
      memory_share_.set_waiting(MemoryShare::Shortage::nothing);
      memory_share_.update(held_bytes() + outer_bytes_);
      return false;
    }
    // wrote() wakes the owner when a stall is over.
    if (role_ == Role::server && path_.update_stall()) return end_turn();
    Step step = Step::needs_input;
    if (receiver_.has_deferred() && receiver_.is_deferred_ready()) [[unlikely]] {
      step = step_of(receiver_.take_deferred(now_, event));
    } else {
      step = phase_ == ConnectionPhase::preface ? read_preface() : decode(event);
    }
    if (is_start_awaited_) notify_if_startable();
    if (step == Step::event) return true;
    if (step == Step::needs_input) {
      decoder_.input().release_unused();
      return end_turn();
    }
    if (++quiet_steps_ % steps_per_pause == 0) return take_pause(event);
  }
}

NativeSession::Step NativeSession::read_preface() {
  const FrameDecoder::Preface preface = decoder_.read_preface();
  if (preface == FrameDecoder::Preface::incomplete) return Step::needs_input;
  const bool matches = preface == FrameDecoder::Preface::matches;
  const ConnectionTransition step =
      transition(phase_, matches ? ConnectionInput::good_preface : ConnectionInput::bad_preface);
  if (step.action != ConnectionAction::proceed) {
    const ByteSpan bytes(decoder_.input().data(), decoder_.input().size());
    return role_ == Role::client ? fail(foreign_peer(wire::guess_foreign_peer(bytes))) : refuse_preface();
  }
  phase_ = step.next;
  if (role_ == Role::server) write_greeting();
  return Step::again;
}

/// Refuses the peer in the same way as a connection for which no session was made.
NativeSession::Step NativeSession::refuse_preface() {
  path_.output().append(as_bytes(wire::rejection_for(wire::DetectedProtocol::unknown)));
  end_session(foreign_peer({}));
  return Step::again;
}

inline NativeSession::Step NativeSession::decode(Event& event) {
  Frame frame;
  const FrameDecoder::Outcome outcome = decoder_.next(frame);
  if (outcome == FrameDecoder::Outcome::frame) [[likely]] {
    if (phase_ == ConnectionPhase::open && receiver_.try_take_unary(frame, event)) [[likely]]
      return Step::event;
    return take_frame(frame, event);
  }
  return outcome == FrameDecoder::Outcome::needs_input ? Step::needs_input : fail(decoder_.error());
}

NativeSession::Step NativeSession::take_frame(const Frame& frame, Event& event) {
  const wire::FrameType type = frame.header.type;
  const bool is_counted = !is_charged(frame.header) && type != wire::FrameType::ping && type != wire::FrameType::hello;
  if (is_counted && !uncharged_.add()) return fail(uncharged_.error());
  if (is_about_calls(frame.header.type)) [[likely]] {
    const ConnectionTransition step = transition(phase_, ConnectionInput::call_frame);
    if (step.action == ConnectionAction::fail) return fail(frame_before_hello());
    return step_of(receiver_.take(frame, now_, event));
  }
  if (frame.header.type == wire::FrameType::hello) return on_hello(frame.body, event);
  if (frame.header.type == wire::FrameType::goaway) return on_goaway(frame, event);
  return on_ping(frame);
}

NativeSession::Step NativeSession::step_of(CallReceiver::Outcome outcome) {
  if (outcome == CallReceiver::Outcome::event) return Step::event;
  return outcome == CallReceiver::Outcome::done ? Step::again : fail(receiver_.error());
}

NativeSession::Step NativeSession::on_hello(ByteSpan body, Event& event) {
  const ConnectionTransition step = transition(phase_, ConnectionInput::hello_frame);
  if (step.action == ConnectionAction::fail)
    return fail(Status(StatusCode::internal, "receive hello: hello came twice"));
  Result<wire::Hello> hello = wire::read_hello(body);
  if (!hello.is_ok()) return fail(hello.status());
  const std::uint32_t early_connection = negotiation_.peer().connection_credit;
  const std::uint32_t early_call = negotiation_.peer().call_credit;
  negotiation_.apply(*std::move(hello));
  decoder_.accept_all_frames();
  path_.on_hello();
  path_.add_credit(negotiation_.peer().connection_credit - early_connection);
  const std::uint32_t further = negotiation_.peer().call_credit - early_call;
  for (CallState* call : calls_.by_age()) path_.add_credit(*call, further);
  phase_ = step.next;
  keepalive_.start(now_);
  event.type = EventType::opened;
  event.id = 0;
  if (role_ == Role::server && negotiation_.is_ordered()) path_.set_order(SendQueue::Order::in_order);
  if (goaway_.is_drain_requested()) drain();
  return Step::event;
}

NativeSession::Step NativeSession::on_goaway(const Frame& frame, Event& event) {
  const wire::FrameHeader& header = frame.header;
  std::string_view reason;
  if (Status status = wire::read_goaway(frame.body, reason); !status.is_ok()) return fail(status);
  const CallId earlier = goaway_.received_id();
  if (!goaway_.is_received()) receiver_.note_goaway();
  if (!goaway_.receive(header.call)) {
    return fail(Status(StatusCode::internal, "receive goaway: id " + std::to_string(header.call) +
                                                 " is after the one named before, " + std::to_string(earlier)));
  }
  const std::string text =
      reason.empty() ? "the peer is going away" : "the peer ended the connection: " + wire::escape_controls(reason);
  const ConnectionTransition step = transition(phase_, ConnectionInput::goaway_frame);
  const bool ends = step.action == ConnectionAction::finish;
  if (!ends) phase_ = step.next;
  if (role_ == Role::client)
    finish_unseen_calls(header.call, Status(StatusCode::unavailable, text, StatusOrigin::transport));
  if (ends) {
    end_session(Status(StatusCode::unavailable, text, StatusOrigin::peer));
    return Step::again;
  }
  event.type = EventType::going_away;
  event.id = header.call;
  event.status =
      header.number == 0 ? Status() : Status(static_cast<StatusCode>(header.number), text, StatusOrigin::peer);
  return Step::event;
}

NativeSession::Step NativeSession::on_ping(const Frame& frame) {
  const ConnectionTransition step = transition(phase_, ConnectionInput::ping_frame);
  if (step.action == ConnectionAction::fail) return fail(frame_before_hello());
  if (frame.header.type == wire::FrameType::pong) return Step::again;
  if (!pongs_.add(path_.output().size())) {
    return fail(Status(StatusCode::resource_exhausted, "receive ping: more than " +
                                                           std::to_string(pongs_.max_unsent()) +
                                                           " pongs are unsent, the peer does not read"));
  }
  path_.write_header(wire::pong_header());
  path_.output().append(frame.body);
  return Step::again;
}

// --- events ---

inline void NativeSession::settle_current_event(Event& event) {
  if (current_.has_call() || current_.unattached() != 0) finish_abandoned_call(event);
  if (current_.has_credit()) {
    if (event.is_retained) {
      credit_.return_connection(current_.credit().connection_bytes);
      unread_bytes_ += taken_by(event.credit);
    } else if (event.is_queued) {
      calls_.memory().queue(event.credit.further_bytes);
    } else {
      return_credit(current_.credit_call(), current_.credit());
    }
    current_.clear_credit();
  }
  current_.release_memory();
  decoder_.release_body();
  event.clear();
}

/// The layer above neither finished nor attached the call that it was handed.
void NativeSession::finish_abandoned_call(const Event& event) {
  const bool is_refused = !event.status.is_ok();
  const Status status =
      is_refused ? event.status : Status(StatusCode::internal, "the call was neither finished nor attached");
  if (current_.has_call()) static_cast<void>(finish(current_.call().id, status, {}, nullptr, is_refused));
  if (const CallId id = current_.take_unattached(); id != 0) {
    if (calls_.find(id) != nullptr) static_cast<void>(finish(id, status, {}, nullptr, is_refused));
  }
}

bool NativeSession::take_local_event(Event& event) {
  LocalEvent local = local_events_.pop();
  event.type = local.type;
  event.id = local.id;
  event.context = local.context;
  event.status = std::move(local.status);
  if (role_ == Role::client || event.type == EventType::writable) return true;
  // A deadline has passed on an ordered connection: the call is finished in its turn.
  CallState* const call = calls_.find(event.id);
  if (call != nullptr && call->is_refused) {
    event.needs_finish = event.type == EventType::cancelled;
    if (call->pending != nullptr) receiver_.hand_out_pending(*call, event);
  }
  return true;
}

/// Ends the calls one by one, then the session.
bool NativeSession::take_closing_event(Event& event) {
  while (CallState* const call = closing_.next_call(calls_)) {
    event.type = role_ == Role::client ? EventType::finished : EventType::cancelled;
    event.id = call->id;
    event.context = call->context;
    event.status = closing_.status_of_calls();
    const bool needs_event = role_ == Role::client ? !call->one_way : call->context != nullptr;
    if (role_ == Role::client) event.status.set_may_have_run(call->sent_start);
    calls_.forget(*call);
    if (needs_event) return true;
  }
  if (!closing_.take_last(event)) return false;
  decoder_.input().reset();
  return true;
}

bool NativeSession::take_pause(Event& event) {
  event.type = EventType::pause;
  event.id = 0;
  return true;
}

void NativeSession::notify_writable(CallState& call) noexcept {
  try {
    if (call.context != nullptr) local_events_.notify({EventType::writable, call.id, call.context, {}});
    call.owes_writable = false;
  } catch (...) {
    // There is no memory for the event. wrote() tries again.
    is_writable_awaited_ = true;
  }
}

void NativeSession::notify_if_startable() noexcept {
  if (!is_start_awaited_ || !can_start()) return;
  try {
    local_events_.notify({EventType::writable, 0, nullptr, {}});
    is_start_awaited_ = false;
  } catch (...) {
    // There is no memory for the event. The next input or output tries again.
  }
}

// --- output ---

std::size_t NativeSession::gather(std::span<ByteSpan> out) {
  if (!path_.queue().is_idle()) {
    path_.pump();
    // The turn may end before all events are taken, so memory is counted here too.
    if (phase_ != ConnectionPhase::closed) update_memory();
    notify_if_startable();
    // The messages that are held back now may have been in the way of deferred calls, although nothing is written.
    if (receiver_.has_deferred() && receiver_.is_deferred_ready()) owner_.on_session_wake();
  }
  if (goaway_.is_deferred() && path_.queue().is_idle()) {
    goaway_.end_deferral();
    if (!goaway_.is_sent() && phase_ != ConnectionPhase::closed) send_goaway(StatusCode::ok, {});
  }
  return path_.output().gather(out);
}

void NativeSession::wrote(std::size_t size) {
  path_.wrote(size);
  if (path_.output().empty() && memory_share_.taken() > 0) count_held();
  pongs_.wrote(size);
  keepalive_.wrote();
  if (phase_ == ConnectionPhase::closed) return;
  const bool is_half_full = path_.is_socket_half_full();
  const bool may_be_drained =
      (goaway_.is_drain_requested() || phase_ == ConnectionPhase::draining) && path_.output().empty();
  if ((path_.is_stalled() && !is_half_full) || may_be_drained) owner_.on_session_wake();
  // The writer of a call waits for the socket alone; new calls wait for all that is queued.
  if (is_writable_awaited_ && !is_half_full) {
    const auto owes_event = [](const CallState& call) { return call.owes_writable && !call.has_queue(); };
    const std::vector<CallState*> owed = calls_.by_age(owes_event);
    is_writable_awaited_ = false;
    for (CallState* call : owed) notify_writable(*call);
  }
  if ((!is_start_awaited_ && !receiver_.has_deferred()) || path_.is_half_congested()) return;
  notify_if_startable();
  if (receiver_.has_deferred()) owner_.on_session_wake();
}

void NativeSession::on_frame_sent(CallState& call, const QueuedFrame& frame) {
  call.sent_start = true;
  if (frame.type == wire::FrameType::finish || (call.one_way && role_ == Role::client && !call.has_queue()))
    return calls_.forget(call);
  if (!call.owes_writable || call.has_queue()) return;
  if (path_.is_socket_full()) {
    is_writable_awaited_ = true;
  } else {
    notify_writable(call);
  }
}

// --- calls ---

bool NativeSession::can_start() const noexcept {
  const bool may = role_ == Role::client && phase_ < ConnectionPhase::draining && !goaway_.is_drain_requested() &&
                   calls_.size() < negotiation_.peer().max_concurrent_calls && !path_.is_congested() &&
                   !memory_share_.is_short();
  if (!may) {
    is_start_awaited_ = true;
    if (memory_share_.is_short()) await_memory();
  }
  return may;
}

AwaitedLimit NativeSession::awaited_limit() const noexcept {
  using Owner = AwaitedLimit::Owner;
  const std::uint32_t most_calls = negotiation_.peer().max_concurrent_calls;
  if (calls_.size() >= most_calls) return {Owner::server, "max_concurrent_calls", most_calls};
  if (path_.is_congested()) return {Owner::channel, "max_unsent_bytes", options_.limits.max_unsent_bytes};
  if (memory_share_.is_short()) return {Owner::channel, "max_memory_bytes", options_.memory->max_bytes()};
  return {};
}

Result<CallId> NativeSession::start(const CallStart& start, const OutgoingMessage& message) {
  if (phase_ == ConnectionPhase::closed) return Status(StatusCode::unavailable, "start call: the connection is closed");
  if (start.deadline != base::never && start.now > now_) now_ = start.now;
  Result<CallId> id = sender_.start(start, message, now_);
  if (is_start_awaited_) notify_if_startable();
  return id;
}

void NativeSession::cancel(CallId id, StatusCode reason) {
  if (!local_events_.empty()) static_cast<void>(local_events_.drop(id));
  CallState* call = calls_.find(id);
  if (call == nullptr || transition(role_, call->phase, CallInput::cancel).action != CallAction::accept) return;
  const bool is_late = reason == StatusCode::deadline_exceeded;
  if (call->has_begun() && phase_ != ConnectionPhase::closed)
    path_.write_header(wire::cancel_frame(id, is_late ? StatusCode::deadline_exceeded : StatusCode::cancelled));
  calls_.forget(*call);
  wake_if_waiting();
  notify_if_startable();
}

void NativeSession::attach(CallId id, void* context) {
  if (current_.is_call(id)) {
    const CurrentEvent::Call& fresh = current_.call();
    CallState* call = calls_.open(current_, context);
    call->phase = fresh.has_peer_ended ? CallPhase::peer_ended : CallPhase::open;
    call->one_way = fresh.state == CurrentEvent::Call::State::one_way;
    calls_.retain_metadata(*call, fresh.retained_bytes);
    if (fresh.is_refused) calls_.refuse_rest(*call);
    calls_.schedule_deadline(*call, fresh.deadline);
    current_.clear_call();
    return;
  }
  current_.attached(id);
  if (CallState* call = calls_.find(id)) {
    call->context = context;
  } else if (phase_ == ConnectionPhase::closed && !closing_.is_last_given() && context != nullptr) {
    // The session was ended between the event and now.
    local_events_.notify({EventType::cancelled, id, context, closing_.reason()});
  }
}

Status NativeSession::finish(CallId id, const Status& status, const OutgoingMessage& message, const Metadata* trailing,
                             bool unprocessed) try {
  Status ended;
  if (!local_events_.empty()) [[unlikely]]
    ended = local_events_.drop(id);
  const bool ok_without_trailing = status.is_ok() && (trailing == nullptr || trailing->empty());
  CallState* call = nullptr;
  if (current_.is_call(id)) {
    const bool one_way = current_.call().state == CurrentEvent::Call::State::one_way;
    current_.clear_call();
    if (one_way) return {};
    if (ok_without_trailing && sender_.finish_directly(id, message, negotiation_.peer().call_credit)) [[likely]]
      return {};
  } else {
    call = calls_.find(id);
    if (call == nullptr || transition(role_, call->phase, CallInput::finish).action != CallAction::accept) return ended;
    current_.attached(id);
    const bool is_silent = call->one_way || phase_ == ConnectionPhase::closed;
    if (is_silent ||
        (ok_without_trailing && !call->has_queue() && sender_.finish_directly(id, message, call->send_credit))) {
      calls_.forget(*call);
      count_sent();
      wake_if_waiting();
      return {};
    }
  }
  Status sent = sender_.finish(id, call, current_, status, message, trailing, unprocessed);
  count_sent();
  wake_if_waiting();
  return sent;
} catch (...) {
  end_call_without_memory(id);
  throw;
}

/// There is no memory for the finish of the call, and no trace of it. The peer gets a code without a text, if there is
/// memory for that, and loses the connection otherwise.
void NativeSession::end_call_without_memory(CallId id) noexcept {
  if (current_.is_call(id)) current_.clear_call();
  CallState* const call = calls_.find(id);
  if (call != nullptr) path_.remove(*call);
  const bool must_wait = negotiation_.is_ordered() && !path_.queue().is_idle();
  bool is_written = false;
  if (!must_wait && phase_ != ConnectionPhase::closed) {
    try {
      path_.write_header({.type = wire::FrameType::finish,
                          .call = id,
                          .number = static_cast<std::uint32_t>(StatusCode::resource_exhausted)});
      is_written = true;
    } catch (...) {
      // There is no memory even for 16 bytes.
    }
  }
  if (call != nullptr) calls_.forget(*call);
  if (!is_written) return end_without_memory();
  wake_if_waiting();
  owner_.on_session_wake();
}

Status NativeSession::send(CallId id, const OutgoingMessage& message, const Metadata* leading, bool end) {
  if (current_.is_call(id)) {  // Leading metadata precedes finish() of a call that is not attached.
    attach(id, nullptr);
    current_.set_unattached(id);
  }
  CallState* call = calls_.find(id);
  if (call == nullptr || call->is_refused || phase_ == ConnectionPhase::closed) {
    return {StatusCode::cancelled, "send message: the call is over"};
  }
  Status status = sender_.send(*call, message, leading, end);
  count_sent();
  if (is_start_awaited_) notify_if_startable();
  return status;
}

bool NativeSession::is_writable(CallId id) const noexcept {
  CallState* call = calls_.find(id);
  if (call == nullptr) return false;
  if (!call->has_queue() && !path_.is_socket_full()) return true;
  call->owes_writable = true;
  if (!call->has_queue()) is_writable_awaited_ = true;
  return false;
}

void NativeSession::release(CallId id, const MessageCredit& credit) {
  unread_bytes_ -= taken_by(credit);
  if ((credit.call_bytes | credit.further_bytes) != 0) return_call_credit(id, credit);
}

void NativeSession::release_queued(CallId id, const MessageCredit& credit) {
  calls_.memory().unqueue(credit.further_bytes);
  return_credit(id, credit);
}

void NativeSession::return_call_credit(CallId id, const MessageCredit& credit) {
  calls_.memory().release(credit.further_bytes);
  wake_if_waiting();
  const std::int64_t owed = std::int64_t{credit.call_bytes} + credit.further_bytes;
  if (CallState* call = calls_.find(id)) {
    credit_.return_call(*call, owed);
    calls_.unblock_waiting(*call);
  }
}

// --- timers ---

void NativeSession::on_deadline(base::Timer&, void* owner, base::TimePoint now) {
  auto& call = *static_cast<CallState*>(owner);
  auto& self = *static_cast<NativeSession*>(call.owner);
  self.now_ = std::max(self.now_, now);
  try {
    self.end_late_call(call);
  } catch (...) {
    // Without its timer the call might never end.
    self.fail(Status(StatusCode::internal, "end call: " + base::current_exception_text()));
  }
}

/// The deadline of the call has passed.
void NativeSession::end_late_call(CallState& call) {
  Status status(StatusCode::deadline_exceeded, "deadline exceeded");
  static_cast<void>(local_events_.drop(call.id));
  if (role_ == Role::client) {
    status.set_may_have_run(call.sent_start);
    if (call.has_begun()) path_.write_header(wire::cancel_frame(call.id, StatusCode::deadline_exceeded));
    if (!call.one_way) local_events_.push({EventType::finished, call.id, call.context, std::move(status)});
  } else if (calls_.keeps_place(call)) {
    calls_.refuse_rest(call);
    const EventType type = call.pending != nullptr ? EventType::call : EventType::cancelled;
    return local_events_.notify({type, call.id, call.context, std::move(status)});
  } else {
    if (!call.one_way) path_.write_finish(call.id, status, call.pending != nullptr, {});
    if (call.context != nullptr) local_events_.push({EventType::cancelled, call.id, call.context, std::move(status)});
  }
  calls_.forget(call);
  notify_if_startable();
  owner_.on_session_wake();
}

void NativeSession::on_keepalive_timer(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<NativeSession*>(owner);
  // A pong waits in the socket while nothing is read for want of memory.
  const bool is_listening = self.owner_.is_listening() && !self.memory_pause_.is_on();
  const bool has_calls = self.open_calls() > self.owner_.background_calls();
  const Keepalive::Action action = self.keepalive_.on_timer(now, {.is_listening = is_listening,
                                                                  .is_stalled = self.path_.is_stalled(),
                                                                  .has_calls = has_calls,
                                                                  .may_rest = self.role_ == Role::server});
  if (action == Keepalive::Action::none) return;
  if (action == Keepalive::Action::time_out) {
    if (transition(self.phase_, ConnectionInput::keepalive_timeout).action != ConnectionAction::fail) return;
    self.fail(Status(StatusCode::unavailable, "keepalive: no response within keepalive_timeout " +
                                                  std::to_string(self.keepalive_.timeout().count()) + " ms"));
    return;
  }
  self.uncharged_.sent_ping();
  self.path_.write_header(wire::ping_header());
  const auto value = static_cast<std::uint64_t>(now.time_since_epoch().count());
  self.path_.output().append(std::as_bytes(std::span(&value, 1)));
  self.owner_.on_session_wake();
}

// --- memory ---

/// Returns everything that this connection holds for its peer. The caller of next() counts what an event shows.
std::size_t NativeSession::held_bytes() const noexcept {
  if (closing_.is_last_given()) return path_.held_bytes() + calls_.memory().retained();
  constexpr std::size_t bytes_per_call = 512;
  return calls_.memory().retained() + credit_.held() + path_.held_bytes() + decoder_.held_bytes() +
         receiver_.deferred_bytes() + calls_.size() * bytes_per_call + unread_bytes();
}

/// There is no event now. Messages get room here and not with each frame: whatever has released some in this turn, one
/// look is enough.
bool NativeSession::end_turn() {
  decoder_.release_body();
  if (calls_.has_waiting()) [[unlikely]]
    admit_waiting();
  update_memory();
  return false;
}

/// Counts memory and starts the watches at the end of a turn.
void NativeSession::update_memory() {
  if (waits_for_reservation_ && !memory_share_.is_budget_used_up()) waits_for_reservation_ = false;
  const MemoryShare::Shortage shortage = calls_.has_waiting() ? calls_.shortage() : MemoryShare::Shortage::nothing;
  memory_share_.set_waiting(waits_for_reservation_ ? MemoryShare::Shortage::budget : shortage);
  count_held();
  if (!decoder_.is_in_body()) memory_share_.end_frame();
  if (holds_room()) [[unlikely]]
    input_watch_.start(now_);
  else
    input_watch_.settle();
  if (path_.unsent_bytes() > StallWatch::least_bytes) [[unlikely]]
    stall_.start(now_);
}

/// Messages that wait for the peer's credit are counted at once: a turn may bring many calls that each need little.
/// Output counts once it has grown by a step: handlers may write between turns while the peer does not read.
void NativeSession::count_sent() noexcept {
  if (!path_.queue().is_idle() || path_.output().size() >= counted_output_ + MemoryShare::free_bytes) [[unlikely]]
    count_held();
}

void NativeSession::count_held() noexcept {
  counted_output_ = path_.output().size();
  counted_outer_ = outer_bytes_;
  memory_share_.update(held_bytes() + outer_bytes_, calls_.memory().room());
}

/// The bytes are counted in steps, since a layer sets them with each read and write.
void NativeSession::set_outer_bytes(std::size_t bytes) noexcept {
  outer_bytes_ = bytes;
  const std::size_t change = bytes > counted_outer_ ? bytes - counted_outer_ : counted_outer_ - bytes;
  if (change >= MemoryShare::free_bytes) [[unlikely]]
    count_held();
}

void NativeSession::admit_waiting() {
  if (calls_.admit_waiting(now_)) memory_retry_.end();
  if (calls_.shortage() != MemoryShare::Shortage::nothing) await_memory();
}

void NativeSession::await_memory() const noexcept { memory_retry_.wait(now_); }

std::size_t NativeSession::prepare_little(std::array<MutableByteSpan, 2>& out) {
  waits_for_reservation_ = false;
  if (path_.is_stalled() || must_not_receive()) {
    input_watch_.hold_up();
    return 0;
  }
  memory_pause_.end();
  memory_retry_.end();
  std::size_t count = decoder_.input().prepare(out);
  constexpr std::size_t most = 4 << 10;
  if (decoder_.is_in_body() || phase_ == ConnectionPhase::closed) return count;
  if (out[0].size() > most) out[0] = out[0].first(most), count = 1;
  return count;
}

/// Memory is used up, and either the application of this connection has yet to take what it has received, or a long
/// frame has begun and it is another connection's turn to receive one. Messages that wait for room do not count: only
/// the peer can complete them, and it may not read before this side does.
bool NativeSession::must_not_receive() noexcept {
  if (phase_ == ConnectionPhase::closed) return false;
  if (receiver_.has_deferred()) return false;  // Deferred calls wait for the peer's credit.
  const std::size_t least_unread = memory_share_.is_account_used_up() ? 16 << 10 : 64 << 10;
  const bool waits_for_turn = decoder_.is_in_body() && !memory_share_.try_begin_frame();
  // A frame that waits only for others of its address is no reason to hurry the peers of other addresses.
  waits_for_reservation_ = waits_for_turn && memory_share_.is_budget_used_up();
  if (waits_for_reservation_) memory_share_.set_waiting(MemoryShare::Shortage::budget);
  if (!waits_for_turn && credit_.unread() + unread_bytes() < least_unread) return false;
  memory_pause_.begin(now_);
  await_memory();
  return true;
}

/// The peer cannot know whether a side that does not read is alive, and gets no pongs.
void NativeSession::show_life() {
  if (!memory_pause_.must_show_life(now_) || phase_ != ConnectionPhase::open || path_.unsent_bytes() > 0) return;
  constexpr std::uint64_t unasked = 0;
  path_.write_header(wire::pong_header());
  path_.output().append(std::as_bytes(std::span(&unasked, 1)));
}

void NativeSession::on_memory_timer(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<NativeSession*>(owner);
  self.now_ = std::max(self.now_, now);
  if (!self.memory_share_.is_used_up()) self.memory_pause_.end();
  self.show_life();
  self.notify_if_startable();
  self.owner_.on_session_wake();
}

std::uint64_t NativeSession::received_of_message(CallId id) const noexcept {
  const CallState* const call = calls_.find(id);
  return call != nullptr && call->assembly.is_active() ? call->assembly.filled() : 0;
}

/// The peer has begun something that takes memory until it is complete.
bool NativeSession::holds_room() const noexcept { return calls_.memory().has_unfinished() || decoder_.is_amid_frame(); }

/// Returns how much has come of a frame that continues a message with room. Other frames are no progress of a message.
std::size_t NativeSession::partial_message_bytes() const noexcept {
  if (!decoder_.is_in_body()) return 0;
  const CallState* const call = calls_.find(decoder_.body_header().call);
  return call != nullptr && call->assembly.is_admitted() ? decoder_.partial_bytes() : 0;
}

void NativeSession::on_input_timer(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<NativeSession*>(owner);
  self.now_ = std::max(self.now_, now);
  // Without credit the peer may not send. A handler that runs on the loop keeps this side from reading.
  constexpr std::int64_t least_credit = 64 << 10;
  if (self.credit_.left() < least_credit || !self.owner_.is_listening()) self.input_watch_.hold_up();
  const ReceiveMemory& memory = self.calls_.memory();
  const InputWatch::Seen seen{.is_incomplete = self.holds_room(),
                              .has_message = memory.has_unfinished(),
                              .is_wanted = self.memory_share_.is_wanted(),
                              .message_bytes = memory.bytes_of_long_messages() + self.partial_message_bytes()};
  if (self.input_watch_.on_timer(now, seen) == InputWatch::Action::none) return;
  self.fail(Status(StatusCode::resource_exhausted,
                   "receive: the peer does not go on with what it has begun to send, stall_timeout is " +
                       std::to_string(self.options_.limits.stall_timeout.count()) + " ms" +
                       (seen.is_wanted ? "; others wait for its memory" : "")));
}

void NativeSession::on_stall_timer(base::Timer&, void* owner, base::TimePoint now) {
  auto& self = *static_cast<NativeSession*>(owner);
  self.now_ = std::max(self.now_, now);
  // A client's calls wait while memory is short, and a server refuses them.
  const bool is_wanted = self.role_ == Role::server && self.memory_share_.is_short_for_holders();
  const StallWatch::Seen seen{.unsent = self.path_.unsent_bytes(),
                              .held_back = self.path_.queue().held_back_bytes(),
                              .is_wanted = is_wanted,
                              .taken = self.path_.progress()};
  if (self.stall_.on_timer(now, seen) == StallWatch::Action::none) return;
  self.fail(Status(StatusCode::resource_exhausted, "send: the peer has taken nothing of " +
                                                       std::to_string(seen.unsent) + " bytes within stall_timeout " +
                                                       std::to_string(self.options_.limits.stall_timeout.count()) +
                                                       " ms" + (is_wanted ? "; others wait for its memory" : "")));
}

// --- the connection ---

void NativeSession::write_greeting() {
  BufferWriter greeting;
  greeting.append(ByteSpan(wire::preface));
  wire::write_hello(negotiation_.local_hello(), greeting);
  path_.output().append(greeting.bytes());
}

void NativeSession::send_goaway(StatusCode code, std::string_view text) {
  // Before the client's preface it is not known who is there, and the server has not greeted.
  if (role_ == Role::server && phase_ == ConnectionPhase::preface) return;
  goaway_.set_sent(role_ == Role::server ? calls_.ids().newest() : 0);
  path_.write_goaway(goaway_.sent_id(), code, text);
}

void NativeSession::drain() {
  const ConnectionTransition step = transition(phase_, ConnectionInput::drain);
  if (step.action != ConnectionAction::proceed) return;
  goaway_.request_drain();
  if (step.next != ConnectionPhase::draining) return;
  phase_ = step.next;
  if (goaway_.is_sent()) return;
  if (role_ == Role::client) {
    goaway_.defer();
  } else {
    send_goaway(StatusCode::ok, {});
  }
}

bool NativeSession::is_drained() const noexcept {
  // A server waits for the hello of a client that may have sent calls with it, to tell it that they have not run.
  const bool is_leaving = phase_ == ConnectionPhase::draining ||
                          (goaway_.is_drain_requested() && role_ == Role::client && phase_ != ConnectionPhase::closed);
  return is_leaving && calls_.empty() && !current_.has_call() && !receiver_.has_deferred() && path_.output().empty() &&
         local_events_.empty();
}

/// The peer names the last call that it looked at: later ones have not run.
void NativeSession::finish_unseen_calls(CallId last_seen, const Status& why) {
  const auto is_unseen = [&](const CallState& call) { return last_seen == 0 || CallIds::is_after(call.id, last_seen); };
  for (CallState* call : calls_.by_age(is_unseen)) {
    static_cast<void>(local_events_.drop(call->id));
    Status status = why;
    status.set_may_have_run(false);
    if (!call->one_way) local_events_.push({EventType::finished, call->id, call->context, std::move(status)});
    calls_.forget(*call);
  }
}

void NativeSession::close(const Status& reason) {
  if (transition(phase_, ConnectionInput::close).action != ConnectionAction::finish) return;
  try {
    send_goaway(reason.code(), reason.message());
  } catch (...) {
    // There is no memory for the reason. The session ends all the same.
  }
  end_session(reason);
}

bool NativeSession::has_only_one_way_calls() const noexcept {
  bool only = true;
  calls_.for_each([&](const CallState& call) { only = only && call.one_way; });
  return only;
}

void NativeSession::transport_closed(const Status& reason) {
  if (transition(phase_, ConnectionInput::transport_lost).action != ConnectionAction::finish) return;
  path_.output().clear();
  if (!reason.is_ok()) {
    // A peer of another protocol often resets the connection: what the session waited for tells more than the reset.
    std::string text(reason.message());
    if (phase_ < ConnectionPhase::open && role_ == Role::client) text = "handshake: no hello from the peer: " + text;
    return end_session(Status(StatusCode::unavailable, text, StatusOrigin::transport));
  }
  std::string_view what;
  if (phase_ < ConnectionPhase::open && (role_ == Role::client || decoder_.input().size() > 0)) {
    what = "handshake: connection closed by the peer before its hello";
  } else if (decoder_.is_amid_frame()) {
    what = "connection closed by the peer amid a frame";
  } else if (!has_only_one_way_calls() || receiver_.has_deferred()) {
    what = "connection closed by the peer";
  } else {
    return end_session({});
  }
  end_session(Status(StatusCode::unavailable, what, StatusOrigin::transport));
}

/// The peer broke the protocol, or was too slow: sends goaway with the reason and ends the session.
NativeSession::Step NativeSession::fail(const Status& reason) {
  if (phase_ == ConnectionPhase::closed) return Step::again;
  const bool is_limit = reason.code() == StatusCode::resource_exhausted;
  send_goaway(is_limit ? StatusCode::resource_exhausted : StatusCode::internal, reason.message());
  end_session(Status(StatusCode::unavailable, reason.message(), StatusOrigin::transport));
  return Step::again;
}

/// Ends the session as fail() does, even if there is no memory for a reason.
void NativeSession::end_without_memory() noexcept {
  if (phase_ == ConnectionPhase::closed) return;
  try {
    fail(Status(StatusCode::resource_exhausted, "finish call: no memory for the response"));
  } catch (...) {
    end_session({});
  }
}

/// Ends the session even if there is no memory to keep the reason.
void NativeSession::end_session(const Status& reason) noexcept {
  phase_ = ConnectionPhase::closed;
  closing_.begin(reason);
  keepalive_.stop();
  stall_.stop();
  input_watch_.stop();
  memory_retry_.stop();
  current_.clear_call();
  is_start_awaited_ = false;
  receiver_.drop_deferred();
  calls_.for_each([this](CallState& call) {
    // The peer cannot have begun a call that it has not been sent whole.
    path_.remove(call);
    call.deadline.cancel();
  });
  path_.close();
  owner_.on_session_wake();
}

}  // namespace trunkline::session::native
