// SPDX-License-Identifier: MIT
// Beginning, running on a worker, and clearing of pooled calls.
#include "server/server_call.h"

#include "call/inherited_deadline.h"
#include "server/server_connection.h"
#include "server/server_loop.h"

#include <utility>

namespace trunkline::server {

void ServerCall::begin(std::shared_ptr<ServerConnection> owner, const ConnectionFacts& facts, LoopMethod& served,
                       session::Event& event) {
  connection = std::move(owner);
  method = served.shared_from_this();
  metadata = std::move(event.metadata);
  id = event.id;
  is_open = true;
  context.set_facts(facts);
  context.begin(served.method(), metadata, event.deadline, event.compressor);
}

void ServerCall::make_stream() {
  const std::shared_ptr<ServerLoop> loop = connection->loop().shared_from_this();
  stream = std::make_shared<call::ServerStreamCore>(loop, loop->environment().options.codecs, *this);
  if (meter.is_on()) stream->count_sent(meter.sent());
  stream->attach(connection, id);
}

void ServerCall::cancel() {
  const std::shared_ptr<ServerConnection> owner = connection;
  const std::shared_ptr<LoopMethod> served = method;
  const std::uint64_t use = uses_;
  ++cancelling;
  try {
    context.cancel();
  } catch (...) {
    // The handler may be running elsewhere: its outcome stays its own.
    static_cast<void>(exception_outcome(owner->loop().environment(), served->method(), std::current_exception(),
                                        owner->facts().peer));
  }
  --cancelling;
  // The callback may have ended the handler, and another call may have begun.
  if (use == uses_ && cancellation) cancellation->emit(asio::cancellation_type::terminal);
}

void ServerCall::reset() {
  if (messages != nullptr) method->give_back(std::move(messages), payload_bytes);
  stream.reset();
  interception = {};
  meter = {};
  was_run = is_refused = false;
  ++uses_;
  context.reset();
  metadata.clear();
  method.reset();
  stage = CallStage::awaiting_message;
  is_open = holds_credit = false;
  codec = nullptr;
  payload_bytes = 0;
  outcome = {};
  cancellation.reset();
  connection.reset();  // last: it may be what keeps the loop
}

HandlerOutcome ServerCall::run_handler() {
  // Whoever waits for the answer is gone, so the work is not begun.
  if (context.is_cancelled()) return {Status(StatusCode::cancelled, "cancelled before it was run")};
  was_run = true;
  return run_here();
}

HandlerOutcome ServerCall::run_here() {
  const ServerContext& facts = context;
  const call::InheritedDeadline::Scope scope(facts.deadline());
  MethodHandler& handler = *method->method().handler;
  return run_guarded(connection->loop().environment(), method->method(), facts.peer(), [&] {
    return stream != nullptr ? handler.run_stream(*stream, context) : handler.run(*messages, context);
  });
}

Status ServerCall::on_codec_exception(const Status& without_text, const std::string& text) {
  ServerLoop& loop = connection->loop();
  loop.count_exception();
  return codec_exception_status(loop.environment(), without_text, text, method->method().name,
                                connection->facts().peer);
}

void ServerCall::run_job(bool stopping) {
  outcome = stopping ? HandlerOutcome{Status(StatusCode::unavailable, "the server is stopping")} : run_handler();
  context.drop_callback();
  completed_.run = [](net::Task* task) {
    ServerCall& call = *static_cast<CompletionTask*>(task)->call;
    call.connection->complete(call);
  };
  completed_.drop = [](net::Task* task) {
    ServerCall& call = *static_cast<CompletionTask*>(task)->call;
    call.connection->abandon(call);
  };
  connection->loop().net_loop().post(&completed_);
}

}  // namespace trunkline::server
