// SPDX-License-Identifier: MIT
// The server's side of a session run.
#include "simulation/server_model.h"

#include <algorithm>

namespace trunkline::simulation {

using session::Event;
using session::EventType;

ServerModel::ServerModel(SessionWorld& world) : world_(world) {
  world.pair.server().on_event = [this](Event& event) { on_event(event); };
}

void ServerModel::on_event(Event& event) {
  world_.check(!closed_, nullptr, "the server has an event after closed");
  auto* call = static_cast<Call*>(event.context);
  if (call != nullptr) {
    world_.check(!call->over, call->plan, "the server has an event after the call's end");
    world_.check(call->id == event.id, call->plan, "the server has an event of another call");
  }
  switch (event.type) {
    case EventType::call:
      return on_call(event);
    case EventType::message:
      return on_message(*call, event);
    case EventType::cancelled:
      if (call != nullptr) on_cancelled(*call, event);
      return;
    case EventType::writable:
      return serve(*call);
    case EventType::closed:
      world_.log("server", 0, "closed: " + event.status.to_string());
      world_.check(open_ == 0, nullptr, "closed while calls were open");
      closed_ = true;
      return;
    case EventType::opened:
    case EventType::going_away:
    case EventType::pause:
      return;
    case EventType::finished:
      world_.check(false, nullptr, "the server has a client's event");
  }
}

void ServerModel::on_call(Event& event) {
  const auto found = world_.by_id.find(event.id);
  world_.check(found != world_.by_id.end() || world_.is_corrupt(), nullptr, "a call that nobody made");
  const CallPlan& plan = found != world_.by_id.end() ? *found->second : unknown_;
  world_.log("server", event.id, "call " + std::to_string(plan.index));
  if (!event.status.is_ok()) return on_refused(plan, event);
  if (!world_.is_corrupt()) {
    world_.check(world_.seen_by_server.insert(event.id).second, &plan, "a call came twice");
    world_.check(event.method_name == plan.method, &plan, "another method");
    world_.check(event.one_way == plan.one_way, &plan, "one-way or not");
    world_.check(event.metadata.get("call").has_value() == plan.with_metadata, &plan, "metadata is wrong");
    world_.check((event.deadline != base::never) == plan.timeout.has_value(), &plan, "deadline is wrong");
  }
  if (!event.one_way && plan.finish_time == FinishTime::at_once && event.end && !session().is_ordered())
    return finish_at_once(plan, event);
  Call& call = calls_[event.id];
  call = {.plan = &plan, .id = event.id};
  ++open_;
  session().attach(event.id, &call);
  if (session().is_ordered()) turns_.push_back(&call);
  if (plan.finish_delay == base::Duration::zero()) {
    call.ready = true;
  } else {
    world_.after(plan.finish_delay, [this, &call] {
      call.ready = true;
      serve(call);
    });
  }
  take(call, event);
}

void ServerModel::on_refused(const CallPlan& plan, Event& event) {
  world_.check(session().is_ordered(), &plan, "a refusal that need not have waited");
  Call& call = calls_[event.id];
  call = {.plan = &plan, .id = event.id, .refusal = event.status, .was_served = false};
  ++open_;
  session().attach(event.id, &call);
  turns_.push_back(&call);
  serve(call);
}

void ServerModel::finish_at_once(const CallPlan& plan, Event& event) {
  if (event.has_message)
    world_.check_content(plan, Direction::request, 0, plan.requests.empty() ? 0 : plan.requests[0], event.payload);
  Metadata trailing;
  if (plan.with_metadata) trailing.add("trailing", "yes");
  if (plan.with_metadata) static_cast<void>(session().send(event.id, {}, &trailing, false));
  const Message last(plan, Direction::response, 0, plan.final_response.value_or(0));
  static_cast<void>(session().finish(event.id, Status(plan.status, "planned"),
                                     plan.final_response ? last.outgoing() : session::OutgoingMessage{}, &trailing,
                                     false));
}

void ServerModel::take(Call& call, Event& event) {
  const CallPlan& plan = *call.plan;
  if (event.has_message) {
    if (!world_.is_corrupt()) {
      world_.check(call.received < plan.requests.size(), &plan, "more requests than were sent");
      world_.check_content(plan, Direction::request, call.received, plan.requests[call.received], event.payload);
    }
    ++call.received;
    if (plan.server_read_delay != base::Duration::zero()) {
      event.is_retained = true;
      world_.server_unread.add(event.credit);
      world_.after(plan.server_read_delay, [this, id = event.id, credit = event.credit] {
        world_.server_unread.remove(credit);
        session().release(id, credit);
      });
    }
  }
  if (event.end) {
    if (!world_.is_corrupt())
      world_.check(call.received == plan.requests.size(), &plan, "the end came before all requests");
    call.end_received = true;
  }
  serve(call);
}

void ServerModel::on_message(Call& call, Event& event) {
  world_.log("server", call.id, "message of " + std::to_string(event.payload.size()));
  world_.check(!call.end_received || world_.is_corrupt(), call.plan, "a message after the end");
  take(call, event);
}

void ServerModel::on_cancelled(Call& call, const Event& event) {
  world_.log("server", call.id, "cancelled: " + event.status.to_string());
  if (event.needs_finish) {
    call.refusal = event.status;
  } else {
    end(call);
  }
  if (!turns_.empty()) serve(*turns_.front());
}

void ServerModel::end(Call& call) {
  call.over = true;
  --open_;
  turns_.erase(std::remove(turns_.begin(), turns_.end(), &call), turns_.end());
}

/// Continues as far as possible; on an ordered connection also with the calls that follow.
void ServerModel::serve(Call& call) {
  if (!session().is_ordered()) {
    if (!call.over) serve_one(call);
    return;
  }
  while (!turns_.empty() && serve_one(*turns_.front())) {
  }
}

/// True if this ends the call.
bool ServerModel::serve_one(Call& call) {
  const CallPlan& plan = *call.plan;
  if (!call.refusal.is_ok()) {
    end(call);
    static_cast<void>(session().finish(call.id, call.refusal, {}, nullptr, !call.was_served));
    return true;
  }
  if (!call.ready || plan.finish_time == FinishTime::never) return false;
  if (!call.end_received && plan.finish_time != FinishTime::early) return false;
  while (call.sent < plan.responses.size()) {
    if (!session().is_writable(call.id)) return false;
    const Message next(plan, Direction::response, call.sent, plan.responses[call.sent]);
    Metadata leading;
    if (plan.with_metadata && call.sent == 0) leading.add("leading", "yes");
    const Status status = session().send(call.id, next.outgoing(), &leading, false);
    // The call may have ended by its deadline. The event that says so is still to come; without it the run fails,
    // because the call stays open.
    const bool is_over = status.code() == StatusCode::cancelled;
    world_.check(status.is_ok() || is_over || session().is_closed() || world_.is_corrupt(), &plan,
                 "the server's send failed: " + status.to_string());
    if (!status.is_ok()) return false;
    ++call.sent;
  }
  finish(call);
  return true;
}

void ServerModel::finish(Call& call) {
  const CallPlan& plan = *call.plan;
  Metadata trailing;
  if (plan.with_metadata) trailing.add("trailing", "yes");
  const Message last(plan, Direction::response, plan.responses.size(), plan.final_response.value_or(0));
  world_.log("server", call.id, "finish");
  const session::CallId id = call.id;
  end(call);
  const Status status =
      session().finish(id, Status(plan.status, "planned"),
                       plan.final_response ? last.outgoing() : session::OutgoingMessage{}, &trailing, false);
  world_.check(status.code() == plan.status || session().is_closed() || plan.one_way || world_.is_corrupt(), &plan,
               "finish turned into " + status.to_string());
}

}  // namespace trunkline::simulation
