// SPDX-License-Identifier: MIT
// Calls that outlive their event: coroutines, blocking handlers, and those that wait for a message or their turn.
#include "server/server_connection.h"
#include "server/server_loop.h"

#include <asio/bind_cancellation_slot.hpp>
#include <asio/co_spawn.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace trunkline::server {

namespace {

/// Completion of a coroutine; tells the connection also when it is destroyed without having been called.
class CoroutineEnd {
 public:
  explicit CoroutineEnd(ServerCall& call) noexcept : connection_(call.connection), call_(&call) {}
  CoroutineEnd(CoroutineEnd&& other) noexcept
      : connection_(std::move(other.connection_)), call_(std::exchange(other.call_, nullptr)) {}
  CoroutineEnd& operator=(CoroutineEnd&&) = delete;
  ~CoroutineEnd() {
    if (call_ == nullptr) return;
    try {
      connection_->abandon(*call_);
    } catch (const std::exception& error) {
      connection_->loop().environment().log(LogLevel::error, error.what(), {}, connection_->facts().peer);
    }
  }

  void operator()(const std::exception_ptr& error, Status status) {
    ServerCall& call = *std::exchange(call_, nullptr);
    if (error == nullptr) {
      call.outcome.status = std::move(status);
    } else if (call.context.is_cancelled()) {
      call.outcome.status =
          Status(StatusCode::cancelled, "cancelled");  // the exception is Asio's way to tell the coroutine
    } else {
      call.outcome =
          exception_outcome(connection_->loop().environment(), call.method->method(), error, connection_->facts().peer);
    }
    connection_->complete(call);
  }

 private:
  std::shared_ptr<ServerConnection> connection_;
  ServerCall* call_;
};

}  // namespace

void ServerConnection::open_call(session::Event& event, LoopMethod& method) {
  Counters& counters = loop_->counters();
  counters.calls_started.add();
  counters.open_calls.add();
  ServerCall& call = loop_->take_call();
  call.begin(shared_from_this(), facts_, method, event);
  call.meter = loop_->meter(method);
  connection_->session().attach(event.id, &call);
  if (turns_ != nullptr) turns_->push_back(&call);
  if (method.shape().kind != MethodKind::unary) {
    call.make_stream();
    if (event.has_message || event.end) take_stream_message(call, event);
    call.stage = CallStage::ready;
    run_or_wait(call);
  } else if (event.has_message || event.end) {
    take_request(call, event);
  }
}

void ServerConnection::on_message(session::Event& event) {
  auto& call = *static_cast<ServerCall*>(event.context);
  if (call.stream != nullptr) {
    take_stream_message(call, event);
  } else if (call.stage == CallStage::awaiting_message) {  // a unary call has one request; the rest is ignored
    take_request(call, event);
  }
}

void ServerConnection::take_stream_message(ServerCall& call, session::Event& event) {
  call.meter.received(event);
  call.stream->on_message(event);
}

void ServerConnection::on_writable(ServerCall& call) {
  if (call.stream != nullptr) call.stream->on_writable();
}

void ServerConnection::take_request(ServerCall& call, session::Event& event) {
  call.meter.received(event);
  call.codec = event.codec;
  call.payload_bytes = event.payload.size();
  if (Status parsed = read_request(event, *call.method, call.messages); !parsed.is_ok()) {
    call.is_refused = true;
    call.outcome.status = std::move(parsed);
    call.stage = CallStage::ready;
    return run_or_wait(call);
  }
  // Requests in memory beyond this turn count against what the client may have under way.
  const bool waits =
      call.method->shape().execution != Execution::plain || (turns_ != nullptr && turns_->front() != &call);
  if (event.has_message && waits) {
    event.held = call.holds_credit = true;
    call.credit = event.credit;
  }
  call.stage = CallStage::ready;
  run_or_wait(call);
}

void ServerConnection::refuse_in_turn(const session::Event& event, const Status& status) {
  ServerCall& call = loop_->take_call();
  loop_->counters().calls_started.add();
  loop_->counters().open_calls.add();
  call.connection = shared_from_this();
  call.id = event.id;
  call.is_open = call.is_refused = true;
  call.outcome.status = status;
  call.stage = CallStage::ready;
  connection_->session().attach(event.id, &call);
  turns_->push_back(&call);
}

void ServerConnection::refuse_open(ServerCall& call, Status status) {
  loop_->counters().calls_started.add(-1);
  loop_->counters().calls_refused.add();
  release_credit(call);
  call.interception.end(loop_->environment().interceptors, call.context, status);
  call.meter.set_unanswered(status.code());
  if (call.is_open) {
    static_cast<void>(connection_->session().finish(call.id, status, {}, nullptr, true));
    flush();
  }
  retire(call);
}

void ServerConnection::run_or_wait(ServerCall& call) {
  if (turns_ != nullptr) {
    advance_turns();
  } else {
    run(call);
  }
}

void ServerConnection::advance_turns() {
  if (advancing_) return;
  struct Advancing {
    explicit Advancing(bool& advancing) noexcept : flag(advancing) { flag = true; }
    ~Advancing() { flag = false; }
    bool& flag;
  };
  const Advancing advancing(advancing_);
  // On a connection that is gone the rest is about to be cancelled.
  while (can_run() && !turns_->empty() && turns_->front()->stage == CallStage::ready) run(*turns_->front());
}

void ServerConnection::run(ServerCall& call) {
  if (call.is_refused) return refuse_open(call, std::move(call.outcome.status));
  call.stage = CallStage::running;
  Status allowed = call.interception.begin(loop_->environment().interceptors, call.context, call.metadata);
  if (!allowed.is_ok()) {
    call.outcome.status = std::move(allowed);
    return complete(call);
  }
  switch (call.method->shape().execution) {
    case Execution::plain:
      release_credit(call);
      call.was_run = true;
      call.outcome = call.run_here();
      return complete(call);
    case Execution::coroutine:
      return run_coroutine(call);
    case Execution::blocking:
      return run_blocking(call);
  }
}

void ServerConnection::run_coroutine(ServerCall& call) {
  CoroutineEnd end(call);
  asio::awaitable<Status> running;
  try {
    // Also a function that is no coroutine itself may return an awaitable, and throw.
    MethodHandler& handler = *call.method->method().handler;
    call.was_run = true;
    running = call.stream != nullptr ? handler.run_stream_async(*call.stream, call.context)
                                     : handler.run_async(*call.messages, call.context);
  } catch (...) {
    return end(std::current_exception(), Status());
  }
  const std::shared_ptr<ServerConnection> keep = call.connection;
  try {
    asio::co_spawn(loop_->net_loop().context(), std::move(running),
                   asio::bind_cancellation_slot(call.cancellation.emplace().slot(), std::move(end)));
  } catch (const std::exception& error) {
    // `end` answers, as it is destroyed.
    loop_->environment().log(LogLevel::error, std::string("start coroutine: ") + error.what(), {}, facts_.peer);
  }
}

void ServerConnection::run_blocking(ServerCall& call) {
  WorkerPool& workers = loop_->environment().workers;
  if (workers.submit(call)) return;
  Status status(StatusCode::resource_exhausted, "call " + call.method->method().name +
                                                    ": blocking calls that wait for a worker have reached "
                                                    "max_queued_blocking_calls " +
                                                    std::to_string(workers.max_queued()));
  refuse_open(call, std::move(status));
}

void ServerConnection::complete(ServerCall& call) {
  try {
    answer(call);
  } catch (...) {
    const Status status = failed(call.method->method()).status;
    call.meter.set_unanswered(status.code());
    if (call.is_open) static_cast<void>(connection_->session().finish(call.id, status, {}, nullptr, false));
    flush();
  }
  retire(call);
}

void ServerConnection::answer(ServerCall& call) {
  release_credit(call);
  if (call.outcome.threw) loop_->counters().handler_exceptions.add();
  Status& status = call.outcome.status;
  call.interception.end(loop_->environment().interceptors, call.context, status);
  if (call.is_open) {
    if (call.stream != nullptr && call.was_run) {
      finish_stream(call, status);
    } else {
      session::Outgoing response;
      // Interceptors may call a refused stream ok; there is nothing to answer then.
      if (status.is_ok() && call.messages != nullptr) response = call.method->outgoing(*call.messages, call.codec);
      finish(call.id, status, std::move(response), call.context, call.meter, !call.was_run);
    }
    flush();
  }
}

void ServerConnection::finish_stream(ServerCall& call, const Status& status) {
  const Status sent = call.stream->finish(status, call.context.trailing());
  if (status.is_ok() && !sent.is_ok()) {
    loop_->environment().log(LogLevel::warning, sent.message(), call.method->method().name, facts_.peer);
  }
  (status.is_ok() && sent.is_ok() ? loop_->counters().calls_ok : loop_->counters().calls_failed).add();
  if (call.meter.is_on()) call.meter.end(status.is_ok() ? sent.code() : status.code(), loop_->net_loop().read_clock());
}

void ServerConnection::abandon(ServerCall& call) {
  if (connection_ != nullptr && call.is_open) {
    call.outcome.status = Status(
        StatusCode::internal, "call " + call.method->method().name + ": the handler was destroyed without an answer");
    loop_->environment().log(LogLevel::error, call.outcome.status.message(), call.method->method().name, facts_.peer);
    return complete(call);
  }
  call.is_open = false;
  if (call.method == nullptr) return retire(call);
  Status status(StatusCode::cancelled, "call " + call.method->method().name + ": the server has been stopped");
  call.interception.end(loop_->environment().interceptors, call.context, status);
  retire(call);
}

void ServerConnection::on_cancelled(session::Event& event) {
  auto& call = *static_cast<ServerCall*>(event.context);
  if (event.unanswered && call.stage != CallStage::running) {
    call.is_refused = true;
    call.outcome.status = event.status;
    call.stage = CallStage::ready;
    if (call.stream != nullptr) call.stream->on_cancelled(event.status);
    return run_or_wait(call);
  }
  // A call that runs on an ordered connection is the one whose turn it is.
  if (event.unanswered) static_cast<void>(connection_->session().finish(call.id, event.status, {}, nullptr, false));
  call.is_open = false;
  call.meter.set_unanswered(event.status.is_ok() ? StatusCode::cancelled : event.status.code());
  loop_->counters().calls_cancelled.add();
  if (call.stream != nullptr) call.stream->on_cancelled(event.status);
  if (call.stage != CallStage::running) {
    release_credit(call);
    return retire(call);
  }
  call.cancel();
}

void ServerConnection::release_credit(ServerCall& call) {
  if (!std::exchange(call.holds_credit, false) || connection_ == nullptr) return;
  connection_->session().release(call.id, call.credit);
  flush();
}

void ServerConnection::retire(ServerCall& call) {
  const std::shared_ptr<ServerConnection> keep = std::move(call.connection);
  touch_idle_timer();
  if (call.meter.is_on()) call.meter.end_unanswered(loop_->net_loop().read_clock());
  if (call.method != nullptr) loop_->environment().admission.leave(call.method->method());
  loop_->counters().open_calls.add(-1);
  if (turns_ != nullptr) turns_->erase(std::find(turns_->begin(), turns_->end(), &call));
  loop_->give_back(call);
  if (turns_ != nullptr) advance_turns();
  if (!in_batch_) close_if_drained();
}

}  // namespace trunkline::server
