// SPDX-License-Identifier: MIT
// HedgedCall: decides when attempts are sent, which one wins, and when all have failed.
#include "client/hedged_call.h"

#include "client/call_status.h"

#include <algorithm>
#include <utility>

namespace trunkline::client {

namespace {
/// The pause before an attempt that was not allowed is tried once more. A delay of 0 would keep the loop busy.
constexpr base::Duration least_pause = std::chrono::milliseconds(10);
}  // namespace

HedgedCall::Sending::Sending(HedgedCall& call, int number)
    : operation(nullptr, call.details_.operation.response), call_(call) {
  const CallDetails& details = call.details_;
  method = details.method;
  deadline = details.deadline;
  started = details.started;
  wait_for_ready = details.wait_for_ready;
  waits_for_room = details.waits_for_room;
  hints = details.hints;
  hints.avoided = call.tried_;
  is_repeated = number > 0;
  operation.is_hedge_ = true;
  operation.details_ = &call.details_;
  operation.method_ = details.method;
  operation.deadline_ = details.deadline;
  operation.started_ = details.started;
  operation.max_response_bytes_ = details.operation.max_response_bytes_;
  operation.retries_ = number;
}

Status HedgedCall::Sending::start_on(ClientConnection& connection) {
  Status status = connection.start(operation, call_.details_.message, &call_.details_.metadata);
  if (!status.is_ok()) return status.set_may_have_run(false), status;
  call_.sent(*this, connection);
  return {};
}

HedgedCall::HedgedCall(const Parts& parts, CallDetails& details, const MethodRules& rules)
    : parts_(parts),
      details_(details),
      max_attempts_(std::min<int>(rules.hedging->max_attempts(), most_attempts)),
      delay_(rules.hedging->delay()),
      non_fatal_codes_(rules.config.hedging->non_fatal_codes),
      is_retried_(rules.hedges_idempotent_only),
      timer_([](base::Timer&, void* self, base::TimePoint) { static_cast<HedgedCall*>(self)->on_timer(); }, this) {}

HedgedCall::~HedgedCall() = default;

balance::HedgePolicy* HedgedCall::policy() {
  MethodRules* const rules = parts_.rules.any() ? parts_.rules.find(*details_.method) : nullptr;
  return rules != nullptr ? rules->hedging.get() : nullptr;
}

HedgedCall::Sending& HedgedCall::attempt_of(const detail::CallOperation& operation) {
  const auto found = std::find_if(attempts_.begin(), attempts_.end(),
                                  [&](const auto& attempt) { return attempt && &attempt->operation == &operation; });
  return **found;
}

bool HedgedCall::has_unfinished() const noexcept {
  return std::any_of(attempts_.begin(), attempts_.end(),
                     [](const auto& attempt) { return attempt && attempt->state != Sending::State::over; });
}

// --- sending ---

void HedgedCall::begin() {
  if (balance::HedgePolicy* const measured = policy()) measured->on_started();
  send_next(base::Duration::zero());
  const bool are_all_at_once = delay_ == base::Duration::zero() && first_sent_ != base::TimePoint{};
  while (are_all_at_once && may_send_further() && try_pay()) send_next(base::Duration::zero());
}

void HedgedCall::send_next(base::Duration pause) {
  Sending& next = attempts_[static_cast<std::size_t>(count_)].emplace(*this, count_);
  ++count_;
  send(next, pause);
}

void HedgedCall::send(Sending& attempt, base::Duration pause) {
  attempt.state = Sending::State::waiting;
  attempt.operation.status = Status();
  attempt.operation.has_response_ = false;
  attempt.leading = Metadata();
  if (pause > base::Duration::zero()) {
    parts_.invoker.invoke_after(attempt, pause);
  } else {
    parts_.invoker.invoke(attempt);
  }
}

void HedgedCall::sent(Sending& attempt, const ClientConnection& connection) {
  attempt.state = Sending::State::open;
  tried_.add(connection.load());
  if (first_sent_ == base::TimePoint{}) first_sent_ = parts_.loop.now();
  if (delay_) schedule_next(*delay_);
}

void HedgedCall::schedule_next(base::Duration pause) {
  if (may_send_further()) parts_.loop.timers().schedule(timer_, base::deadline_after(parts_.loop.now(), pause));
}

void HedgedCall::on_timer() {
  if (!may_send_further() || parts_.lifecycle.is_closed()) return;
  // An attempt that would have to wait for a connection gains nothing.
  if (!parts_.invoker.is_ready() || !try_pay()) return schedule_next(std::max(*delay_, least_pause));
  send_next(base::Duration::zero());
}

/// Pays for a further attempt, which both limits have to allow.
bool HedgedCall::try_pay() {
  balance::HedgePolicy* const measured = policy();
  return measured != nullptr && measured->try_take() && parts_.retry.try_take();
}

void HedgedCall::rules_changed(Sending& attempt) {
  details_.rules_changed();
  attempt.deadline = attempt.operation.deadline_ = details_.deadline;
  attempt.started = attempt.operation.started_ = details_.started;
  attempt.wait_for_ready = details_.wait_for_ready;
}

// --- what becomes of attempts ---

void HedgedCall::response_begun(const detail::CallOperation& attempt, const Metadata& leading) {
  if (!leading.empty()) attempt_of(attempt).leading = leading;
}

void HedgedCall::response_received(const detail::CallOperation& attempt) {
  is_settled_ = true;
  if (abandon_but(&attempt_of(attempt))) details_.operation.may_have_run_before_ = true;
}

void HedgedCall::attempt_finished(detail::CallOperation& operation, session::Event& event,
                                  const ClientConnection& connection) {
  Sending& attempt = attempt_of(operation);
  attempt.state = Sending::State::over;
  details_.leading = std::move(attempt.leading);
  if (operation.status.is_ok()) {
    won(attempt, event, connection);
  } else {
    failed(attempt, event, connection);
  }
}

void HedgedCall::won(Sending&, session::Event& event, const ClientConnection& connection) {
  if (balance::HedgePolicy* const measured = policy()) {
    measured->on_answered(parts_.loop.now() - first_sent_, parts_.loop.now());
  }
  details_.trailing = std::move(event.metadata);
  details_.peer = connection.peer();
  end(Status());
}

void HedgedCall::failed(Sending& attempt, session::Event& event, const ClientConnection& connection) {
  detail::CallOperation& call = details_.operation;
  const Status& status = attempt.operation.status;
  const FailedAttempt what{.code = status.code(),
                           .origin = status.origin(),
                           .may_have_run = status.may_have_run(),
                           .is_idempotent = call.is_idempotent_,
                           .is_connection_gone = connection.is_draining() && !connection.is_rejected(),
                           .has_deadline = call.deadline_ != base::never,
                           .free_retries = call.free_retries_,
                           .retries = call.retries_,
                           .pushback = event.pushback};
  if (what.may_have_run) call.may_have_run_before_ = true;
  attempt.is_repeated = true;
  attempt.hints.avoided = tried_;
  if (event.pushback && event.pushback->count() < 0) is_unwanted_ = true;
  const bool goes_on = !is_settled_ && !parts_.lifecycle.is_closed() && !is_fatal(status);
  if (goes_on && !is_unwanted_ && parts_.retry.is_free(what)) {
    return send(attempt, parts_.retry.pause_before_free(++call.free_retries_));
  }
  const bool is_last = !has_unfinished();
  // RetryPolicy::decide() counts by itself.
  if (goes_on && !(is_retried_ && is_last)) parts_.retry.on_failure();
  if (goes_on && may_send_further() && try_pay()) {
    timer_.cancel();
    return send_next(event.pushback.value_or(std::chrono::milliseconds(0)));
  }
  if (goes_on && !is_last) return;
  if (goes_on && is_retried_ && parts_.retry.decide(what) != RetryDecision::none) {
    const base::Duration pause = parts_.retry.pause_before(++call.retries_, parts_.invoker.is_ready());
    return send(attempt, event.pushback ? base::Duration(*event.pushback) : pause);
  }
  const CallTimes times{.started = call.started_, .deadline = call.deadline_, .ended = parts_.loop.now()};
  Status outcome = status_at_peer(*details_.method, std::move(attempt.operation.status), times, connection.peer());
  details_.trailing = std::move(event.metadata);
  details_.peer = connection.peer();
  end(std::move(outcome));
}

/// Returns true if a status ends the call. This side's findings, such as an expired deadline, concern the whole call.
bool HedgedCall::is_fatal(const Status& status) const noexcept {
  if (status.origin() == StatusOrigin::local) return true;
  const bool is_lost = status.code() == StatusCode::unavailable &&
                       (status.origin() == StatusOrigin::transport || !status.may_have_run());
  return !is_lost && !non_fatal_codes_.contains(status.code());
}

/// Handles an attempt that was not sent. Whatever the reason is, another attempt may still be answered.
void HedgedCall::not_sent(Sending& attempt, Status status) {
  attempt.state = Sending::State::over;
  if (is_settled_ || has_unfinished()) return;
  end(std::move(status));
}

// --- the end ---

bool HedgedCall::abandon_but(const Sending* kept) {
  timer_.cancel();
  bool was_sent = false;
  for (auto& attempt : attempts_) {
    if (!attempt || &*attempt == kept || attempt->state == Sending::State::over) continue;
    const auto before = std::exchange(attempt->state, Sending::State::over);
    if (before == Sending::State::waiting) {
      parts_.invoker.remove(*attempt);
    } else {
      was_sent = true;
      attempt->operation.connection_->cancel(attempt->operation, StatusCode::cancelled);
    }
  }
  return was_sent;
}

bool HedgedCall::abandon() {
  is_settled_ = true;
  return abandon_but(nullptr);
}

void HedgedCall::end(Status status) {
  is_settled_ = true;
  if (abandon_but(nullptr)) details_.operation.may_have_run_before_ = true;
  details_.operation.status = std::move(status);
  parts_.ended.push(details_.operation);
}

}  // namespace trunkline::client
