// SPDX-License-Identifier: MIT
// ConnectionInvoker: starts attempts on connections of the pool, and queues those that must wait.
#include "client/connection_invoker.h"

#include "client/call_status.h"

#include <optional>
#include <utility>

namespace trunkline::client {

ConnectionInvoker::ConnectionInvoker(const ConnectionSetup& setup, const ChannelLifecycle& lifecycle,
                                     const MakeSource& make_source, Hooks hooks)
    : loop_(setup.loop),
      lifecycle_(lifecycle),
      hooks_(std::move(hooks)),
      pending_(setup.loop.timers(), setup.options.max_pending_calls,
               {.reason = [this] { return awaited(); },
                .has_room_soon = [this] { return source_->has_room_soon(); },
                .resume = [this](Attempt& attempt) { invoke(attempt); }}),
      source_(make_source(setup, *this)) {}

void ConnectionInvoker::invoke(Attempt& attempt) {
  Status refusal;
  if (lifecycle_.is_closed()) {
    refusal = Status(StatusCode::failed_precondition, "call " + attempt.method->name + ": the channel is closed");
  } else if (attempt.deadline != base::never && attempt.deadline <= loop_.now()) {
    refusal = deadline_status(*attempt.method, attempt.deadline - attempt.started, {});
    std::string text = std::string(refusal.message()) + ", before it was sent";
    if (!source_->last_error().is_ok()) text.append("; the last error: ").append(source_->last_error().message());
    refusal = Status(refusal.code(), text);
  } else if (ClientConnection* const connection = pick_directly(*attempt.method, attempt.hints)) {
    refusal = attempt.start_on(*connection);
    if (refusal.is_ok()) return;
    refusal = about_call(*attempt.method, refusal);
  } else if (const std::optional<OpenBreakers> open = source_->open_breakers(*attempt.method)) {
    // The call stays out of the queue, where it would hold up calls of other methods.
    if (attempt.wait_for_ready) return pending_.hold(attempt, open->until);
    refusal = about_call(*attempt.method, open->error);
  }
  const bool outlasts_failure = attempt.outlasts_failure(source_->had_hello());
  if (refusal.is_ok() && source_->is_failing() && !outlasts_failure) {
    refusal = about_call(*attempt.method,
                         Status(StatusCode::unavailable, source_->last_error().message(), StatusOrigin::transport));
  }
  if (!refusal.is_ok()) {
    refusal.set_may_have_run(false);
    return attempt.fail(std::move(refusal));
  }
  // The call may end in push().
  const base::TimePoint deadline = outlasts_failure ? attempt.deadline : base::never;
  pending_.push(attempt);
  source_->hasten(deadline);
  connect_if_wanted();
}

void ConnectionInvoker::invoke_after(Attempt& attempt, base::Duration pause) {
  pending_.pause(attempt, base::deadline_after(loop_.now(), pause));
}

void ConnectionInvoker::connect_if_wanted() {
  if (wants_connection()) source_->connect();
  hooks_.changed();
}

void ConnectionInvoker::source_has_room() {
  while (pending_.has_queued()) {
    const MethodEntry& method = *pending_.front().method;
    ClientConnection* const connection = pick(method, pending_.front().hints);
    if (connection == nullptr) {
      if (!source_->open_breakers(method)) break;
      invoke(pending_.pop());
      continue;
    }
    Attempt& attempt = pending_.pop();
    Status status = attempt.start_on(*connection);
    if (!status.is_ok()) attempt.fail(about_call(*attempt.method, status));
  }
  connect_if_wanted();
}

void ConnectionInvoker::connecting_failed(const Status& error) {
  Status status = error;
  // The time that has expired is connect_timeout, not the deadline of a call.
  if (status.code() == StatusCode::deadline_exceeded) {
    status = Status(StatusCode::unavailable, error.message(), StatusOrigin::transport);
  }
  status.set_may_have_run(false);
  hooks_.changed();
  pending_.fail_fast(status, source_->had_hello());
  source_->hasten(pending_.earliest_deadline());
}

std::string ConnectionInvoker::awaited() const {
  const bool is_full = source_->is_ready();
  std::string text = (is_full ? "room on the connection to " : "a connection to ") + source_->target();
  if (const session::AwaitedLimit limit = source_->awaited_limit(); is_full && limit) {
    text.append(": ").append(limit.to_string());
  }
  if (!is_full && !source_->last_error().is_ok())
    text.append("; the last error: ").append(source_->last_error().message());
  return text;
}

}  // namespace trunkline::client
