// SPDX-License-Identifier: MIT
// The client's side of a session run.
#include "simulation/client_model.h"

#include <algorithm>

namespace trunkline::simulation {

using session::Event;
using session::EventType;

ClientModel::ClientModel(SessionWorld& world) : world_(world) {
  world.pair.client().on_event = [this](Event& event) { on_event(event); };
  for (const CallPlan& plan : world.plan.calls) {
    calls_.push_back({.plan = &plan});
    Call& call = calls_.back();
    world.after(plan.start_at, [this, &call] {
      call.waits = true;
      waiting_.push_back(&call);
      start_waiting();
    });
  }
}

bool ClientModel::is_done() const noexcept {
  return std::all_of(calls_.begin(), calls_.end(),
                     [this](const Call& call) { return call.over || (!call.started && (closed_ || leaving_)); });
}

std::string ClientModel::unfinished() const {
  for (const Call& call : calls_) {
    if (!call.over)
      return "call " + std::to_string(call.plan->index) + " id " + std::to_string(call.id) +
             (call.started ? " never ended" : " never began");
  }
  return "none";
}

void ClientModel::drain() {
  leaving_ = true;
  session().drain();
}

/// Retries a start only after the session has reported `writable`, so a lost event shows as a call that never starts.
void ClientModel::start_waiting() {
  while (may_start_ && !waiting_.empty() && !closed_ && !leaving_) {
    if (!session().can_start()) {
      may_start_ = false;
      world_.log("client", 0, "may not start");
      return;
    }
    Call& call = *waiting_.front();
    waiting_.pop_front();
    start(call);
  }
}

void ClientModel::start(Call& call) {
  const CallPlan& plan = *call.plan;
  Metadata metadata;
  if (plan.with_metadata) metadata.add("call", std::to_string(plan.index));
  const bool has_message = !plan.requests.empty();
  const bool end = plan.one_way || (plan.requests.size() <= 1 && plan.ends_with_last);
  session::CallStart begin{.method = {plan.method_key, plan.method},
                           .metadata = plan.with_metadata ? &metadata : nullptr,
                           .end = end,
                           .one_way = plan.one_way,
                           .context = &call,
                           .now = world_.now()};
  if (plan.timeout) begin.deadline = world_.now() + *plan.timeout;
  const Message first(plan, Direction::request, 0, has_message ? plan.requests[0] : 0);
  const Result<session::CallId> started =
      session().start(begin, has_message ? first.outgoing() : session::OutgoingMessage{});
  world_.check(started.is_ok(), &plan, "start failed: " + started.status().to_string());
  call.id = *started;
  call.started = true;
  call.before_hello = !session().is_open();
  call.sent = has_message ? 1 : 0;
  call.end_sent = end;
  call.over = plan.one_way;
  world_.by_id[call.id] = &plan;
  world_.log("client", call.id, "start call " + std::to_string(plan.index) + (plan.one_way ? " one-way" : ""));
  if (plan.one_way) return;
  if (plan.cancel_after) {
    world_.after(*plan.cancel_after, [this, &call] {
      if (call.over) return;
      call.over = true;
      world_.log("client", call.id, "cancel");
      session().cancel(call.id, StatusCode::cancelled);
      start_waiting();
    });
  }
  send_more(call);
}

void ClientModel::send_more(Call& call) {
  const CallPlan& plan = *call.plan;
  while (!call.over && !call.end_sent) {
    if (!session().is_writable(call.id)) return;  // an event reports when it is
    const bool has_message = call.sent < plan.requests.size();
    const bool end = call.sent + 1 >= plan.requests.size() && (plan.ends_with_last || !has_message);
    const Message next(plan, Direction::request, call.sent, has_message ? plan.requests[call.sent] : 0);
    const Status status = session().send(call.id, has_message ? next.outgoing() : session::OutgoingMessage{}, nullptr,
                                         end || !has_message);
    world_.check(status.is_ok() || session().is_closed() || world_.is_corrupt(), &plan,
                 "send failed: " + status.to_string());
    if (!status.is_ok()) return;
    if (has_message) ++call.sent;
    call.end_sent = end || !has_message;
  }
}

void ClientModel::hold(Call& call, Event& event) {
  if (call.plan->client_read_delay == base::Duration::zero()) return;
  event.is_retained = true;
  world_.client_unread.add(event.credit);
  world_.after(call.plan->client_read_delay, [this, id = event.id, credit = event.credit] {
    world_.client_unread.remove(credit);
    session().release(id, credit);
  });
}

void ClientModel::on_event(Event& event) {
  world_.check(!closed_, nullptr, "the client has an event after closed");
  auto* call = static_cast<Call*>(event.context);
  if (call != nullptr) {
    world_.check(!call->over, call->plan, "an event after its end");
    world_.check(call->id == event.id, call->plan, "an event of another call");
  }
  switch (event.type) {
    case EventType::message:
      return on_message(*call, event);
    case EventType::finished:
      return on_finished(*call, event);
    case EventType::writable:
      if (call != nullptr) return send_more(*call);
      may_start_ = true;
      world_.log("client", 0, "may start");
      return start_waiting();
    case EventType::going_away:
      world_.log("client", event.id, "going away");
      leaving_ = true;
      return;
    case EventType::closed:
      world_.log("client", 0, "closed: " + event.status.to_string());
      closed_ = true;
      return;
    case EventType::opened:
    case EventType::pause:
      return;
    case EventType::call:
    case EventType::cancelled:
      world_.check(false, nullptr, "the client has a server's event");
  }
}

void ClientModel::on_message(Call& call, Event& event) {
  if (!event.has_message) return;
  world_.log("client", call.id, "message of " + std::to_string(event.payload.size()));
  const CallPlan& plan = *call.plan;
  if (!world_.is_corrupt()) {
    world_.check(call.received < plan.responses.size(), &plan, "more messages than were sent");
    world_.check_content(plan, Direction::response, call.received, plan.responses[call.received], event.payload);
  }
  ++call.received;
  hold(call, event);
}

void ClientModel::on_finished(Call& call, Event& event) {
  world_.log("client", call.id, "finished: " + event.status.to_string());
  call.over = true;
  world_.check(call.started, call.plan, "finished before it began");
  if (call.plan->ends_within) {
    const base::Duration spent = world_.now() - world_.begin - call.plan->start_at;
    world_.check(spent <= *call.plan->ends_within, call.plan,
                 "took " + std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(spent).count()) +
                     " ms, as streams that nobody reads were in its way");
  }
  if (event.has_message) hold(call, event);
  if (!world_.is_corrupt()) check_outcome(call, event);
  start_waiting();
}

void ClientModel::check_order(const Call& call) {
  if (!session().is_ordered()) return;
  world_.check(call.id > last_finished_, call.plan, "finished out of order");
  last_finished_ = call.id;
}

void ClientModel::check_outcome(const Call& call, const Event& event) {
  const CallPlan& plan = *call.plan;
  if (!event.status.is_ok() && !event.status.may_have_run()) {
    world_.check(!world_.seen_by_server.contains(call.id), &plan, "said not to have run, but it has");
  }
  const bool by_server = event.status.is_ok() || (event.status.origin() == StatusOrigin::peer &&
                                                  event.status.code() == plan.status && event.status.may_have_run());
  if (by_server) {
    world_.check(event.status.code() == plan.status, &plan,
                 "another status than the server's: " + event.status.to_string());
    world_.check(call.received == plan.responses.size(), &plan, "finished before all messages had come");
    world_.check(event.has_message == plan.final_response.has_value(), &plan, "last message missing or invented");
    if (event.has_message)
      world_.check_content(plan, Direction::response, plan.responses.size(), *plan.final_response, event.payload);
    world_.check(event.metadata.get("trailing").has_value() == plan.with_metadata, &plan, "trailing metadata is wrong");
    check_order(call);
    return;
  }
  const StatusCode code = event.status.code();
  // Unavailable means a goaway or the end of the connection.
  if (event.status.origin() == StatusOrigin::peer && code != StatusCode::unavailable) check_order(call);
  // One-way calls count towards the server's limit too, but the client does not learn when they end.
  const bool may_refuse =
      call.before_hello || world_.plan.max_memory_bytes != 0 ||
      std::any_of(calls_.begin(), calls_.end(), [](const Call& other) { return other.plan->one_way; });
  const bool is_refused = code == StatusCode::resource_exhausted && !event.status.may_have_run() && may_refuse;
  const bool is_late = code == StatusCode::deadline_exceeded && plan.timeout.has_value();
  const bool is_lost =
      code == StatusCode::unavailable && (world_.plan.fault != Fault::none || world_.plan.server_drain_at || leaving_);
  world_.check(is_refused || is_late || is_lost, &plan, "ended without a reason: " + event.status.to_string());
}

}  // namespace trunkline::simulation
