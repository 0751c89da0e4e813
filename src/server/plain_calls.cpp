// SPDX-License-Identifier: MIT
// PlainCalls: the shortest way of a call, which is to decode, run and respond.
#include "server/plain_calls.h"

#include "call/inherited_deadline.h"
#include "server/server_interception.h"

#include <memory>
#include <utility>

namespace trunkline::server {

void PlainCalls::serve(session::Session& session, session::Event& event, LoopMethod& served) {
  if (!exchange_.server_state().interceptors.empty()) [[unlikely]]
    return serve_intercepted(session, event, served);
  std::unique_ptr<CallMessages> messages;
  CallMetrics metrics = begin_metrics(event, served);
  if (const Status decoded = exchange_.read_request(event, served, messages); decoded.is_ok()) [[likely]] {
    begin(event, served);
    respond(session, event, served, messages.get(), run(event, served.method(), *messages), metrics);
  } else {
    exchange_.refuse(event.id, decoded);
    if (metrics.is_collected()) metrics.end(decoded.code(), exchange_.read_clock());
  }
  if (messages != nullptr) served.give_back(std::move(messages), event.payload.size());
}

void PlainCalls::serve_intercepted(session::Session& session, session::Event& event, LoopMethod& served) {
  std::unique_ptr<CallMessages> messages;
  CallMetrics metrics = begin_metrics(event, served);
  begin(event, served);
  const HandlerOutcome outcome = run_intercepted(event, served, messages);
  respond(session, event, served, messages.get(), outcome, metrics);
  if (messages != nullptr) served.give_back(std::move(messages), event.payload.size());
}

inline CallMetrics PlainCalls::begin_metrics(const session::Event& event, LoopMethod& served) {
  CallMetrics metrics = exchange_.context().metrics().begin_call(served);
  metrics.count_received(event);
  return metrics;
}

inline void PlainCalls::begin(const session::Event& event, LoopMethod& served) {
  exchange_.totals().calls_started.add();
  context_.begin(served.method(), event.metadata, event);
}

inline void PlainCalls::respond(session::Session& session, const session::Event& event, LoopMethod& served,
                                const CallMessages* messages, const HandlerOutcome& outcome, CallMetrics& metrics) {
  if (outcome.threw) exchange_.totals().handler_exceptions.add();
  const bool has_response = outcome.status.is_ok() && messages != nullptr;
  const Status sent = exchange_.send_response(
      session, event.id, outcome.status,
      has_response ? served.outgoing(*messages, event.codec_of_response()) : session::OutgoingMessage{}, context_,
      metrics, outcome.has_run);
  exchange_.count_response(outcome.status, sent, served.method().name, metrics);
  context_.end();
}

inline HandlerOutcome PlainCalls::run(const session::Event& event, const RegisteredMethod& method,
                                      CallMessages& messages) {
  const call::InheritedDeadline::Scope scope(event.deadline);
  return run_guarded(exchange_.server_state(), method, exchange_.connection_context().peer,
                     [&] { return method.handler->run(messages, context_); });
}

/// Runs the handler after the interceptors, which may refuse a caller before any work is done for its request.
HandlerOutcome PlainCalls::run_intercepted(session::Event& event, LoopMethod& served,
                                           std::unique_ptr<CallMessages>& messages) {
  const call::InterceptorChain& chain = exchange_.server_state().interceptors;
  ServerInterception interception;
  exchange_.early().take(event, interception);
  HandlerOutcome outcome{.status = interception.begin(chain, context_, event.metadata)};
  if (outcome.status.is_ok()) outcome.status = exchange_.read_request(event, served, messages);
  if (outcome.status.is_ok()) outcome = run(event, served.method(), *messages);
  interception.end(chain, context_, outcome.status);
  return outcome;
}

}  // namespace trunkline::server
