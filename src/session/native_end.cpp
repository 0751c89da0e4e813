// SPDX-License-Identifier: MIT
// The native session's timers, its drain and its end.
#include "session/native_session.h"

#include "wire/control.h"

#include <algorithm>
#include <string>

namespace trunkline::session {

void NativeSession::on_deadline(base::Timer&, void* owner, base::TimePoint now) {
  auto& call = *static_cast<CallState*>(owner);
  auto& self = *static_cast<NativeSession*>(call.owner);
  self.now_ = std::max(self.now_, now);
  Status status(StatusCode::deadline_exceeded, "deadline exceeded");
  self.drop_local_events(call.id);
  if (self.role_ == Role::client) {
    status.set_may_have_run(call.sent_start);
    if (call.has_begun()) self.write_control(wire::cancel_frame(call.id, StatusCode::deadline_exceeded));
    if (!call.one_way) self.notify({EventType::finished, call.id, call.context, std::move(status)});
  } else if (self.keeps_turn(call)) {
    self.refuse_rest(call);
    const EventType type = call.pending != nullptr ? EventType::call : EventType::cancelled;
    return self.notify({type, call.id, call.context, std::move(status)});
  } else {
    if (!call.one_way) self.write_finish(call.id, status, call.pending != nullptr, {});
    if (call.context != nullptr) self.notify({EventType::cancelled, call.id, call.context, std::move(status)});
  }
  self.forget_call(call);
  self.owner_.on_session_wake();
}

void NativeSession::on_handshake_timer(base::Timer&, void* owner, base::TimePoint) {
  auto& self = *static_cast<NativeSession*>(owner);
  if (transition(self.phase_, ConnectionInput::handshake_timeout).action != ConnectionAction::fail) return;
  self.fail(Status(StatusCode::deadline_exceeded, "handshake: no hello from the peer within handshake_timeout " +
                                                      std::to_string(self.options_.limits.handshake_timeout.count()) +
                                                      " ms"));
}

void NativeSession::arm_keepalive(base::TimePoint now) {
  const auto interval = options_.limits.keepalive_interval;
  if (interval.count() > 0) timers_.schedule(keepalive_timer_, base::deadline_after(now, interval));
}

void NativeSession::on_keepalive_timer(base::Timer& timer, void* owner, base::TimePoint now) {
  auto& self = *static_cast<NativeSession*>(owner);
  const ConnectionLimits& limits = self.options_.limits;
  if (!self.owner_.is_listening()) {
    self.awaiting_pong_ = false;
    self.timers_.schedule(timer, base::deadline_after(now, limits.keepalive_interval));
    return;
  }
  // While input waits for the socket a pong may wait as well: then it counts that the peer takes what is sent.
  const bool is_alive =
      self.last_received_ >= self.ping_sent_ || (self.is_stalled_ && std::exchange(self.wrote_since_ping_, false));
  if (self.awaiting_pong_ && !is_alive) {
    if (transition(self.phase_, ConnectionInput::keepalive_timeout).action != ConnectionAction::fail) return;
    self.fail(Status(StatusCode::unavailable, "keepalive: no answer within keepalive_timeout " +
                                                  std::to_string(limits.keepalive_timeout.count()) + " ms"));
    return;
  }
  if (self.awaiting_pong_ && self.last_received_ < self.ping_sent_) {
    self.timers_.schedule(timer, base::deadline_after(now, limits.keepalive_timeout));
    return;
  }
  self.awaiting_pong_ = false;
  if (now - self.last_received_ < limits.keepalive_interval) {
    self.timers_.schedule(timer, self.last_received_ + limits.keepalive_interval);
    return;
  }
  self.awaiting_pong_ = true;
  self.wrote_since_ping_ = false;
  self.ping_sent_ = now;
  self.write_control(wire::ping_header());
  const auto value = static_cast<std::uint64_t>(now.time_since_epoch().count());
  self.output_.append(std::as_bytes(std::span(&value, 1)));
  self.timers_.schedule(timer, base::deadline_after(now, limits.keepalive_timeout));
  self.owner_.on_session_wake();
}

void NativeSession::drain() {
  const ConnectionTransition step = transition(phase_, ConnectionInput::drain);
  if (step.action != ConnectionAction::proceed) return;
  drain_wanted_ = true;
  if (step.next != ConnectionPhase::draining) return;
  phase_ = step.next;
  if (goaway_sent_) return;
  // A client's goaway says that no call follows, so it goes behind those that wait.
  goaway_owed_ = role_ == Role::client;
  if (!goaway_owed_) send_goaway(StatusCode::ok, {});
}

void NativeSession::say_owed_goaway() {
  goaway_owed_ = false;
  if (!goaway_sent_ && phase_ != ConnectionPhase::closed) send_goaway(StatusCode::ok, {});
}

bool NativeSession::is_drained() const noexcept {
  // A server waits for the hello of a client that may have sent calls with it, so as to tell it that they have not run.
  const bool is_leaving = phase_ == ConnectionPhase::draining ||
                          (drain_wanted_ && role_ == Role::client && phase_ != ConnectionPhase::closed);
  return is_leaving && calls_.empty() && !current_.is_live() && held_ == nullptr && output_.empty() &&
         local_events_taken_ == local_events_.size();
}

void NativeSession::send_goaway(StatusCode code, std::string_view text) {
  if (role_ == Role::server && phase_ == ConnectionPhase::preface) return;  // who is there has not been told who we are
  if (role_ == Role::server && !goaway_sent_) goaway_id_ = last_id_;
  goaway_sent_ = true;
  BufferWriter frame;
  wire::write_goaway(goaway_id_, code, text, frame);
  output_.append(frame.bytes());
}

/// The peer has said which call it looked at last: the others have not run.
void NativeSession::drop_unseen_calls(CallId last_seen, const Status& why) {
  const auto is_unseen = [&](const CallState& call) { return last_seen == 0 || is_after(call.id, last_seen); };
  for (CallState* call : calls_.by_age(last_id_, is_unseen)) {
    drop_local_events(call->id);
    Status status = why;
    status.set_may_have_run(false);
    if (!call->one_way) local_events_.push_back({EventType::finished, call->id, call->context, std::move(status)});
    forget_call(*call);
  }
}

void NativeSession::close(const Status& reason) {
  if (transition(phase_, ConnectionInput::close).action != ConnectionAction::finish) return;
  send_goaway(reason.code(), reason.message());
  end_session(reason);
}

/// Nobody waits for an answer, so the end of the connection is in order.
bool NativeSession::only_one_way_calls() const noexcept {
  bool only = true;
  calls_.for_each([&](const CallState& call) { only = only && call.one_way; });
  return only;
}

void NativeSession::transport_closed(const Status& reason) {
  if (transition(phase_, ConnectionInput::transport_lost).action != ConnectionAction::finish) return;
  output_.clear();
  if (!reason.is_ok()) {
    // A peer that does not know the protocol often resets: what was waited for says more than the reset.
    std::string text(reason.message());
    if (phase_ < ConnectionPhase::open && role_ == Role::client) text = "handshake: no hello from the peer: " + text;
    return end_session(Status(StatusCode::unavailable, text, StatusOrigin::transport));
  }
  std::string_view what;
  if (phase_ < ConnectionPhase::open && (role_ == Role::client || input_.size() > 0)) {
    what = "handshake: connection closed by the peer before its hello";
  } else if (input_.size() > 0 || body_pending_ || skip_ > 0) {
    what = "connection closed by the peer amid a frame";
  } else if (!only_one_way_calls() || held_ != nullptr) {
    what = "connection closed by the peer";
  } else {
    return end_session({});
  }
  end_session(Status(StatusCode::unavailable, what, StatusOrigin::transport));
}

/// The peer broke the protocol, or was too slow: say so, and end.
NativeSession::Step NativeSession::fail(Status reason) {
  if (phase_ == ConnectionPhase::closed) return Step::again;
  const bool limit_was_hit = reason.code() == StatusCode::resource_exhausted;
  send_goaway(limit_was_hit ? StatusCode::resource_exhausted : StatusCode::internal, reason.message());
  end_session(Status(StatusCode::unavailable, reason.message(), StatusOrigin::transport));
  return Step::again;
}

void NativeSession::end_session(const Status& reason) {
  phase_ = ConnectionPhase::closed;
  close_reason_ = reason;
  handshake_timer_.cancel();
  keepalive_timer_.cancel();
  current_ = {};
  refused_start_ = false;
  is_stalled_ = false;
  held_.reset();
  calls_.for_each([this](CallState& call) {
    // What the peer has not been sent whole, it cannot have begun.
    if (call.has_queue() || call.in_ring) send_queue_.remove(call);
    call.deadline.cancel();
  });
  owner_.on_session_wake();
}

/// Ends the calls one by one, then the session.
bool NativeSession::take_closing_event(Event& event) {
  while (!calls_.empty()) {
    if (closing_calls_.empty()) {
      for (const CallState* call : calls_.by_age(last_id_, [](const CallState&) { return true; }))
        closing_calls_.push_back(call->id);
      std::reverse(closing_calls_.begin(), closing_calls_.end());
    }
    CallState* const next = calls_.find(closing_calls_.back());
    closing_calls_.pop_back();
    if (next == nullptr) continue;  // given up meanwhile
    CallState& call = *next;
    event.type = role_ == Role::client ? EventType::finished : EventType::cancelled;
    event.id = call.id;
    event.context = call.context;
    event.status = close_reason_.is_ok() ? Status(StatusCode::unavailable, "connection closed", StatusOrigin::transport)
                                         : close_reason_;
    const bool is_told = role_ == Role::client ? !call.one_way : call.context != nullptr;
    if (role_ == Role::client) event.status.set_may_have_run(call.sent_start);
    forget_call(call);
    if (is_told) return true;
  }
  if (closed_event_given_) return false;
  closed_event_given_ = true;
  input_.reset();
  event.context = nullptr;
  event.type = EventType::closed;
  event.id = 0;
  event.status = close_reason_;
  return true;
}

}  // namespace trunkline::session
