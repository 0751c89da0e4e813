// SPDX-License-Identifier: MIT
// ServerCall: begins a call, runs its handler on a worker, and resets it.
#include "server/server_call.h"

#include "call/inherited_deadline.h"

#include <utility>

namespace trunkline::server {

void ServerCall::begin(std::shared_ptr<CallOwner> served_by, const ConnectionContext& connection_context,
                       LoopMethod& served, session::Event& event) {
  owner = std::move(served_by);
  id = event.id;
  stage = CallStage::awaiting_request;
  connection_context_ = &connection_context;
  method = served.shared_from_this();
  metadata = std::move(event.metadata);
  context.set_connection_context(connection_context);
  context.begin(served.method(), metadata, event);
  codec = event.response_codec;
}

void ServerCall::begin_without_method(std::shared_ptr<CallOwner> served_by, session::CallId call_id) {
  owner = std::move(served_by);
  id = call_id;
  stage = CallStage::awaiting_request;
}

LifecycleAction ServerCall::advance(CallEvent event) noexcept {
  const CallTransition entry = transition(stage, event);
  stage = entry.next;
  return entry.action;
}

HandlerOutcome ServerCall::run_handler() {
  const ServerContext& shown = context;
  const call::InheritedDeadline::Scope scope(shown.deadline());
  MethodHandler& handler = *method->method().handler;
  return run_guarded(*connection_context_->server_state, method->method(), connection_context_->peer, [&] {
    return stream != nullptr ? handler.run_stream(*stream, context) : handler.run(*messages, context);
  });
}

void ServerCall::run_job(JobFate fate) {
  if (fate == JobFate::stopping) {
    outcome.status = Status(StatusCode::unavailable, "the server is stopping");
  } else if (fate == JobFate::shed) {
    LoadShedding& shedding = connection_context_->server_state->admission.shedding();
    refuse_from_worker(shedding.shed(method->method().name, "it has waited for a worker for too long"));
  } else if (run_before != base::never && run_before <= base::Clock::now()) {
    refuse_from_worker({StatusCode::deadline_exceeded,
                        "call " + method->method().name + ": its deadline has passed while it waited for a worker"});
  } else if (context.is_cancelled()) {
    // Nobody waits for the response any more.
    outcome.status = Status(StatusCode::cancelled, "cancelled before it was run");
  } else {
    outcome = run_handler();
  }
  context.drop_callback();
  completion_.run = run_completion;
  completion_.drop = drop_completion;
  connection_context_->loop->post(&completion_);
}

void ServerCall::refuse_from_worker(Status status) {
  outcome.status = std::move(status.set_may_have_run(false));
  is_refused_by_worker = true;
}

void ServerCall::run_completion(net::PostedTask* task) {
  ServerCall& call = *static_cast<CompletionTask*>(task)->call;
  call.owner->on_completed(call);
}

void ServerCall::drop_completion(net::PostedTask* task) {
  ServerCall& call = *static_cast<CompletionTask*>(task)->call;
  call.owner->on_dropped(call);
}

void ServerCall::on_request_timeout(base::Timer&, void* self, base::TimePoint) {
  ServerCall& call = *static_cast<ServerCall*>(self);
  call.owner->on_request_timeout(call);
}

session::HeldMemory ServerCall::hold(std::size_t bytes) const {
  return {connection_context_->server_state->memory, connection_context_->memory_account, bytes};
}

void ServerCall::hold_rest() {
  held_rest = hold(sizeof(ServerCall) + metadata.size() * sizeof(Metadata::Entry) + metadata.total_bytes());
}

void ServerCall::reset() {
  stage = CallStage::over;
  if (messages != nullptr) method->give_back(std::move(messages), payload_bytes);
  stream.reset();
  interception = {};
  metrics = {};
  context.reset();
  metadata.clear();
  permit = {};
  method.reset();
  held_credit.reset();
  codec = nullptr;
  payload_bytes = 0;
  has_request = false;
  is_refusal_counted = false;
  is_refused_by_worker = false;
  run_before = base::never;
  held_request = {};
  held_rest = {};
  request_timer.cancel();
  request_mark = 0;
  outcome = {};
  cancellation.reset();
  connection_context_ = nullptr;
  // The owner goes last, because it may release what the lines above refer to.
  owner.reset();
}

}  // namespace trunkline::server
