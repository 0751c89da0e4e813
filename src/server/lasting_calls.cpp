// SPDX-License-Identifier: MIT
// LastingCalls: carries out the actions of the call lifecycle.
#include "server/lasting_calls.h"

#include "base/flag_scope.h"

#include <asio/bind_cancellation_slot.hpp>
#include <asio/co_spawn.hpp>

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <utility>

namespace trunkline::server {

namespace {

/// The time for which a client may send nothing of a request that it has begun, once its connection is draining.
constexpr std::chrono::milliseconds longest_rest_in_drain{10000};

/// The completion handler of a coroutine. It reports a coroutine that is destroyed before it has ended, too.
class CoroutineCompletion {
 public:
  explicit CoroutineCompletion(ServerCall& call, const CallExchange& exchange) noexcept
      : owner_(call.owner), exchange_(exchange), call_(&call) {}
  CoroutineCompletion(CoroutineCompletion&& other) noexcept
      : owner_(std::move(other.owner_)), exchange_(other.exchange_), call_(std::exchange(other.call_, nullptr)) {}
  CoroutineCompletion& operator=(CoroutineCompletion&&) = delete;
  ~CoroutineCompletion() {
    if (call_ == nullptr) return;
    try {
      owner_->on_dropped(*call_);
    } catch (const std::exception& error) {
      exchange_.server_state().log(LogLevel::error, error.what(), {}, exchange_.connection_context().peer);
    }
  }

  void operator()(const std::exception_ptr& error, Status status) {
    ServerCall& call = *std::exchange(call_, nullptr);
    if (error == nullptr) {
      call.outcome = {.status = std::move(status), .has_run = true};
    } else if (call.context.is_cancelled()) {
      // Asio tells a coroutine of its cancellation by an exception.
      call.outcome = {.status = Status(StatusCode::cancelled, "cancelled"), .has_run = true};
    } else {
      call.outcome = exception_outcome(exchange_.server_state(), call.method->method(), error,
                                       exchange_.connection_context().peer);
    }
    owner_->on_completed(call);
  }

 private:
  /// The owner of the call, which keeps exchange_ alive, too.
  std::shared_ptr<CallOwner> owner_;
  const CallExchange& exchange_;
  ServerCall* call_;
};

Status second_request(const RegisteredMethod& method) {
  return {StatusCode::unimplemented, "call " + method.name + ": the method is " +
                                         std::string(to_string(method.handler->shape().kind)) +
                                         ", and was called with a stream of requests, as a client_stream or "
                                         "bidirectional method is"};
}

}  // namespace

void LastingCalls::handle(ServerCall& call, CallEvent event, const Status& status) {
  const CallStage stage = call.stage;
  switch (call.advance(event)) {
    case LifecycleAction::none:
    case LifecycleAction::decode:
      return;
    case LifecycleAction::advance_order:
      if (call.stage == CallStage::refused) set_refused(call, status);
      return advance_order(call);
    case LifecycleAction::start:
      return start(call);
    case LifecycleAction::send_refusal:
      if (stage == CallStage::running) call.outcome.status = status;
      return send_refusal(call);
    case LifecycleAction::send_response:
      return send_response(call);
    case LifecycleAction::send_status_and_cancel:
      send_status(call, status);
      [[fallthrough]];
    case LifecycleAction::cancel:
      count_cancelled(call, status);
      return deliver_cancellation(call);
    case LifecycleAction::send_status:
      send_status(call, status);
      [[fallthrough]];
    case LifecycleAction::count_cancelled:
      return count_cancelled(call, status);
    case LifecycleAction::cancel_again:
      if (call.stream != nullptr) call.stream->on_cancelled(status);
      return deliver_cancellation(call);
    case LifecycleAction::discard:
      count_cancelled(call, status);
      call.outcome.status = status;
      call.interception.end(exchange_.server_state().interceptors, call.context, call.outcome.status);
      return retire(call);
    case LifecycleAction::retire:
      conclude(call);
      return retire(call);
    case LifecycleAction::log_error:
      return log_error(call, event);
  }
}

void LastingCalls::log_error(const ServerCall& call, CallEvent event) const {
  const std::string method = call.method != nullptr ? call.method->method().name : std::string();
  exchange_.server_state().log(LogLevel::error,
                               "serve call: event " + std::string(to_string(event)) + " must not happen in stage " +
                                   std::string(to_string(call.stage)),
                               method, exchange_.connection_context().peer);
}

// --- how a call begins ---

std::shared_ptr<CallOwner> LastingCalls::shared() { return {exchange_.connection_context().link.lock(), this}; }

/// Adds an object for the call `id`, which `begin` prepares. If it throws, nothing remains: the session ends the call.
template <class Begin>
ServerCall& LastingCalls::add_call(session::CallId id, Begin begin) {
  ServerCall& call = exchange_.context().calls().take();
  try {
    begin(call);
    if (call_order_ != nullptr) call_order_->push_back(&call);
    exchange_.link().session()->attach(id, &call);
  } catch (...) {
    if (call_order_ != nullptr && !call_order_->empty() && call_order_->back() == &call) call_order_->pop_back();
    exchange_.context().calls().give_back(call);
    throw;
  }
  exchange_.totals().calls_started.add();
  exchange_.totals().open_calls.add();
  return call;
}

void LastingCalls::open(session::Event& event, LoopMethod& method, CallPermit permit) {
  const bool is_stream = method.shape().kind != MethodKind::unary;
  ServerCall& call = add_call(event.id, [&](ServerCall& added) {
    exchange_.early().take(event, added.interception);
    added.begin(shared(), exchange_.connection_context(), method, event);
    added.permit = std::move(permit);
    added.metrics = exchange_.context().metrics().begin_call(method);
    if (is_stream) make_stream(added);
  });
  if (method.method().is_background) ++background_calls_;
  // An interceptor may refuse a caller before any work is done for its request.
  call.outcome.status = call.interception.begin(exchange_.server_state().interceptors, call.context, call.metadata);
  if (!call.outcome.status.is_ok()) return handle(call, CallEvent::ready);
  const bool has_request = event.has_message || event.end;
  if (!is_stream) {
    if (!event.end) await_request(call);
    if (has_request) receive(call, event);
    return;
  }
  if (has_request) take_stream_message(call, event);
  handle(call, CallEvent::ready);
}

void LastingCalls::refuse_in_order(const session::Event& event, const Status& status, bool is_counted) {
  ServerCall& call = add_call(event.id, [&](ServerCall& added) { added.begin_without_method(shared(), event.id); });
  call.is_refusal_counted = is_counted;
  handle(call, CallEvent::refuse, status);
}

void LastingCalls::make_stream(ServerCall& call) {
  LoopContext& context = exchange_.context();
  call.stream = std::make_shared<call::ServerStreamCore>(context.shared_from_this(),
                                                         exchange_.server_state().options.codecs, call);
  if (call.metrics.is_collected()) call.stream->count_sent(call.metrics.bytes_sent());
  call.stream->set_response_codec(call.codec);
  call.stream->attach(exchange_.connection_context().link.lock(), call.id);
}

void LastingCalls::take_request(ServerCall& call, session::Event& event) {
  call.metrics.count_received(event);
  if (call.codec == nullptr) call.codec = event.codec;
  const Status decoded = exchange_.read_request(event, *call.method, call.messages);
  call.payload_bytes = event.payload.size();
  if (!decoded.is_ok()) return handle(call, CallEvent::refuse, decoded);
  // A request that waits for its turn counts against what the client may send, on this call and on all of its
  // connection. One that its handler has does not: how many handlers run is limited by admission, and one handler may
  // wait for a call that the client is yet to send. One whose client has not ended it delays no other call.
  const bool waits = call_order_ != nullptr && call_order_->front() != &call;
  if (event.has_message && (waits || !event.end)) {
    (waits ? event.is_queued : event.is_retained) = true;
    call.holds_connection_credit = waits;
    call.held_credit = event.credit;
  }
  if (event.end) end_request(call);
}

void LastingCalls::end_request(ServerCall& call) {
  call.request_timer.cancel();
  handle(call, CallEvent::ready);
}

void LastingCalls::await_request(ServerCall& call) {
  const std::chrono::milliseconds timeout = request_time();
  if (timeout.count() == 0) return;
  net::Loop& loop = exchange_.context().loop();
  const session::Session* const session = exchange_.link().session();
  call.request_mark = session != nullptr ? session->received_of_message(call.id) : 0;
  loop.timers().schedule(call.request_timer, base::deadline_after(loop.now(), timeout));
}

/// Returns the time for the rest of a request; 0: for ever. A drain waits only for requests that go on coming.
std::chrono::milliseconds LastingCalls::request_time() const noexcept {
  const std::chrono::milliseconds timeout = exchange_.server_state().options.limits.stall_timeout;
  return exchange_.connection_context().is_draining ? std::min(timeout, longest_rest_in_drain) : timeout;
}

void LastingCalls::on_request_timeout(ServerCall& call) {
  const std::chrono::milliseconds timeout = request_time();
  if (exchange_.connection_context().is_draining) {
    const session::Session* const session = exchange_.link().session();
    const bool goes_on = session != nullptr && session->received_of_message(call.id) > call.request_mark;
    if (goes_on) return await_request(call);
    return handle(call, CallEvent::refuse,
                  {StatusCode::unavailable, "call " + call.method->method().name +
                                                ": the server is draining, and the client has sent nothing of its "
                                                "request for " +
                                                std::to_string(timeout.count()) + " ms"});
  }
  handle(call, CallEvent::refuse,
         {StatusCode::deadline_exceeded, "call " + call.method->method().name +
                                             ": the client has not ended its request within stall_timeout " +
                                             std::to_string(timeout.count()) + " ms"});
}

void LastingCalls::set_refused(ServerCall& call, const Status& status) {
  call.request_timer.cancel();
  call.outcome.status = status;
  if (call.stream != nullptr) call.stream->on_cancelled(status);
}

// --- events of the session ---

void LastingCalls::on_message(session::Event& event) {
  auto& call = *static_cast<ServerCall*>(event.context);
  if (event.has_message && !call.has_request) call.context.take_first_message(event);
  if (call.stream == nullptr) return receive(call, event);
  const bool is_second = event.has_message && call.has_request;
  const bool is_served = call.stage == CallStage::running || call.stage == CallStage::awaiting_order;
  if (is_second && is_served && call.method->shape().kind == MethodKind::server_stream) {
    return handle(call, CallEvent::aborted, second_request(call.method->method()));
  }
  take_stream_message(call, event);
}

/// Takes a message. A unary handler runs when the client has ended its side, so that no second request is lost.
void LastingCalls::receive(ServerCall& call, session::Event& event) {
  if (call.advance(CallEvent::message) != LifecycleAction::decode) return;
  if (call.messages == nullptr) return take_request(call, event);
  if (!event.has_message) return end_request(call);
  handle(call, CallEvent::refuse, second_request(call.method->method()));
}

void LastingCalls::take_stream_message(ServerCall& call, session::Event& event) {
  call.has_request = call.has_request || event.has_message;
  call.metrics.count_received(event);
  // The handler of a server_stream has the request in its hands until it ends.
  if (event.has_message && call.method->shape().kind == MethodKind::server_stream) {
    const bool is_size_known = event.is_compressed && !event.is_unsized;
    call.payload_bytes = is_size_known ? event.decompressed_bytes : event.payload.size();
    if (call.stage == CallStage::running) call.hold_request();
  }
  call.stream->on_message(event);
}

void LastingCalls::on_writable(const session::Event& event) {
  auto& call = *static_cast<ServerCall*>(event.context);
  if (call.stream != nullptr) call.stream->on_writable();
}

void LastingCalls::on_cancelled(const session::Event& event) {
  auto& call = *static_cast<ServerCall*>(event.context);
  handle(call, event.needs_finish ? CallEvent::aborted : CallEvent::cancelled, event.status);
}

void LastingCalls::on_draining(ServerCall& call) {
  if (call.stage == CallStage::awaiting_request) return await_request(call);
  if (call.stage != CallStage::running) return;
  const std::shared_ptr<CallOwner> keep = call.owner;
  try {
    call.context.tell_drain();
  } catch (...) {
    static_cast<void>(exception_outcome(exchange_.server_state(), call.method->method(), std::current_exception(),
                                        exchange_.connection_context().peer));
  }
}

void LastingCalls::on_drain_ended(ServerCall& call) {
  if (call.stage != CallStage::running || call.stream == nullptr) return;
  Status status(StatusCode::unavailable,
                "call " + call.method->method().name + ": the server has ended the stream, because it is draining");
  handle(call, CallEvent::aborted, status.set_should_reconnect());
  exchange_.link().flush();
}

void LastingCalls::on_detached(ServerCall& call) { handle(call, CallEvent::detached); }

void LastingCalls::on_stopped(ServerCall& call) { handle(call, CallEvent::stopped); }

// --- the order of calls ---

void LastingCalls::advance_order(ServerCall& call) {
  if (call_order_ != nullptr) return run_next_calls();
  if (!lacks_place(call)) return handle(call, CallEvent::due);
  // The request keeps no credit of the connection, for which handlers that run may have to wait.
  call.hold_request();
  if (waiting_ == nullptr) waiting_ = std::make_unique<std::deque<ServerCall*>>();
  waiting_->push_back(&call);
}

/// Returns true if the handler of the call is to run, but has to wait until one of a cancelled call has ended.
bool LastingCalls::lacks_place(const ServerCall& call) const noexcept {
  return call.stage == CallStage::awaiting_order && !call.permit && call.outcome.status.is_ok() &&
         exchange_.server_state().admission.is_full(running_);
}

void LastingCalls::run_next_calls() {
  if (is_running_next_) return;
  // A call that ends at once comes back here: the loop below goes on with the next one, without recursion.
  const base::FlagScope scope(is_running_next_);
  while (ServerCall* const next = next_call()) handle(*next, CallEvent::due);
}

/// Returns the call whose turn has come. Null: there is none.
ServerCall* LastingCalls::next_call() {
  std::deque<ServerCall*>* const calls = call_order_ != nullptr ? call_order_.get() : waiting_.get();
  if (calls == nullptr || calls->empty()) return nullptr;
  const session::Session* const session = exchange_.link().session();
  // The calls of a connection that has closed are about to be cancelled.
  if (session == nullptr || session->is_closed()) return nullptr;
  ServerCall& first = *calls->front();
  const bool is_ready = first.stage == CallStage::awaiting_order || first.stage == CallStage::refused;
  if (!is_ready || lacks_place(first)) return nullptr;
  if (call_order_ == nullptr) calls->pop_front();
  return &first;
}

// --- how a handler runs ---

void LastingCalls::start(ServerCall& call) {
  release_credit(call);
  // An interceptor has refused the call.
  if (!call.outcome.status.is_ok()) return handle(call, CallEvent::completed);
  if (!admit(call)) return;
  call.hold_request();
  switch (call.method->shape().execution) {
    case Execution::plain:
      call.outcome = call.run_handler();
      return handle(call, CallEvent::completed);
    case Execution::coroutine:
      return start_coroutine(call);
    case Execution::blocking:
      return start_blocking(call);
  }
}

/// Admits a call that has no permit yet: calls that wait take no place from those whose handlers run. Returns false if
/// the call has been refused.
bool LastingCalls::admit(ServerCall& call) {
  if (call.permit) return true;
  Admission& admission = exchange_.server_state().admission;
  RegisteredMethod& method = call.method->method();
  const CallTraits traits = traits_of(call.metadata, *call.method);
  call.permit = admission.admit(method, running_, traits);
  if (call.permit) return true;
  handle(call, CallEvent::refuse, admission.refusal(method, running_, traits));
  return false;
}

void LastingCalls::start_coroutine(ServerCall& call) {
  CoroutineCompletion completion(call, exchange_);
  call.outcome.has_run = true;
  asio::awaitable<Status> coroutine;
  try {
    // A function that returns an awaitable need not be a coroutine itself, so it may throw.
    MethodHandler& handler = *call.method->method().handler;
    coroutine = call.stream != nullptr ? handler.run_stream_async(*call.stream, call.context)
                                       : handler.run_async(*call.messages, call.context);
  } catch (...) {
    return completion(std::current_exception(), Status());
  }
  const std::shared_ptr<CallOwner> keep = call.owner;
  try {
    asio::co_spawn(exchange_.context().loop().context(), std::move(coroutine),
                   asio::bind_cancellation_slot(call.cancellation.emplace().slot(), std::move(completion)));
  } catch (const std::exception& error) {
    // The destructor of `completion` ends the call.
    exchange_.server_state().log(LogLevel::error, std::string("start coroutine: ") + error.what(), {},
                                 exchange_.connection_context().peer);
  }
}

void LastingCalls::start_blocking(ServerCall& call) {
  WorkerPool& workers = exchange_.server_state().workers;
  call.set_level(exchange_.server_state().admission.priorities().level_of(call.metadata));
  const ServerContext& shown = call.context;
  if (shown.deadline() != base::never) {
    const base::Duration left = shown.deadline() - exchange_.context().loop().now();
    call.run_before = base::deadline_after(base::Clock::now(), left);
  }
  if (workers.submit(call)) return;
  const Status status(StatusCode::resource_exhausted, "call " + call.method->method().name +
                                                          ": blocking calls that wait for a worker have reached "
                                                          "max_queued_blocking_calls " +
                                                          std::to_string(workers.max_queued()));
  handle(call, CallEvent::refuse, status);
}

void LastingCalls::on_completed(ServerCall& call) {
  // A caller that waits is told that the handler has not begun.
  if ((call.is_refused_by_worker || call.context.is_shed()) && call.stage == CallStage::running) {
    const Status status = std::exchange(call.outcome.status, {});
    return handle(call, CallEvent::refuse, status);
  }
  if (call.permit.is_measured() && call.outcome.has_run) call.permit.measure(exchange_.read_clock());
  handle(call, CallEvent::completed);
}

void LastingCalls::on_dropped(ServerCall& call) {
  const std::string& method = call.method->method().name;
  if (is_open(call.stage)) {
    call.outcome.status =
        Status(StatusCode::internal, "call " + method + ": the handler was destroyed without a response");
    exchange_.server_state().log(LogLevel::error, call.outcome.status.message(), method,
                                 exchange_.connection_context().peer);
  } else {
    call.outcome.status =
        Status(StatusCode::cancelled, "call " + method + ": the handler was destroyed after its cancellation");
  }
  handle(call, CallEvent::dropped);
}

Status LastingCalls::on_codec_exception(const ServerCall& call, const Status& without_text, const std::string& text) {
  exchange_.context().count_exception();
  return codec_exception_status(exchange_.server_state(), without_text, text, call.method->method().name,
                                exchange_.connection_context().peer);
}

// --- how a call ends ---

void LastingCalls::send_refusal(ServerCall& call) {
  release_credit(call);
  Status& status = call.outcome.status;
  call.interception.end(exchange_.server_state().interceptors, call.context, status);
  if (call.stage == CallStage::responding) {
    exchange_.totals().calls_started.add(-1);
    call.metrics.set_status_without_response(status.code());
    if (!call.is_refusal_counted) exchange_.totals().calls_refused.add();
    exchange_.send_refusal(call.id, status);
    exchange_.link().flush();
  }
  retire(call);
}

void LastingCalls::send_response(ServerCall& call) {
  try {
    conclude(call);
    if (call.stage == CallStage::responding) send_outcome(call);
  } catch (...) {
    // The user's code threw in an interceptor or while the response was encoded.
    const Status status = exchange_.current_exception_status(call.method->method());
    if (call.stage == CallStage::responding) {
      call.metrics.set_status_without_response(status.code());
      exchange_.totals().calls_failed.add();
      send_status(call, status);
    }
  }
  exchange_.link().flush();
  retire(call);
}

void LastingCalls::send_outcome(ServerCall& call) {
  const HandlerOutcome& outcome = call.outcome;
  Status sent;
  if (call.stream != nullptr && outcome.has_run) {
    sent = call.stream->finish(outcome.status, call.context.trailing());
  } else {
    session::OutgoingMessage response;
    // An interceptor may have turned the refusal of a stream into ok: then there is no response to send.
    if (outcome.status.is_ok() && call.messages != nullptr)
      response = call.method->outgoing(*call.messages, call.codec);
    sent = exchange_.send_response(*exchange_.link().session(), call.id, outcome.status, std::move(response),
                                   call.context, call.metrics, outcome.has_run);
  }
  // The call may have been cancelled, and counted, while the response was encoded.
  if (call.stage != CallStage::responding) return;
  exchange_.count_response(outcome.status, sent, call.method->method().name, call.metrics);
}

void LastingCalls::send_status(const ServerCall& call, const Status& status) {
  static_cast<void>(exchange_.link().session()->finish(call.id, status, {}, nullptr, false));
}

void LastingCalls::count_cancelled(ServerCall& call, const Status& status) {
  exchange_.totals().calls_cancelled.add();
  if (call.stage != CallStage::ended) call.hold_rest();
  if (!status.is_ok()) call.metrics.set_status_without_response(status.code());
  if (call.stream != nullptr) call.stream->on_cancelled(status);
}

void LastingCalls::deliver_cancellation(ServerCall& call) {
  const std::shared_ptr<CallOwner> keep = call.owner;
  // An exception here is that of the user's callback, or of the handler as it is cancelled. The outcome of the handler,
  // which may run on another thread, is not changed by it.
  const auto log_exception = [&] {
    static_cast<void>(exception_outcome(exchange_.server_state(), call.method->method(), std::current_exception(),
                                        exchange_.connection_context().peer));
  };
  try {
    call.context.cancel();
  } catch (...) {
    log_exception();
  }
  // The callback may have ended the handler.
  if (call.stage == CallStage::cancelling && call.cancellation) {
    try {
      call.cancellation->emit(asio::cancellation_type::terminal);
    } catch (...) {
      log_exception();
    }
  }
  // A job that no worker has begun gives its place in the queue to others.
  if (call.stage == CallStage::cancelling && exchange_.server_state().workers.remove(call)) {
    call.outcome.status = Status(StatusCode::cancelled, "cancelled before it was run");
    call.context.drop_callback();
    handle(call, CallEvent::completed);
  }
  handle(call, CallEvent::cancel_delivered);
}

void LastingCalls::conclude(ServerCall& call) {
  release_credit(call);
  if (call.outcome.threw) exchange_.totals().handler_exceptions.add();
  call.interception.end(exchange_.server_state().interceptors, call.context, call.outcome.status);
}

void LastingCalls::release_credit(ServerCall& call) {
  if (!call.held_credit) return;
  const session::MessageCredit credit = *call.held_credit;
  call.held_credit.reset();
  session::Session* const session = exchange_.link().session();
  if (session == nullptr) return;
  if (call.holds_connection_credit) {
    session->release_queued(call.id, credit);
  } else {
    session->release(call.id, credit);
  }
  exchange_.link().flush();
}

void LastingCalls::retire(ServerCall& call) {
  // The call may be the last owner of the connection, and thereby of this object.
  const std::shared_ptr<CallOwner> keep = std::move(call.owner);
  release_credit(call);
  if (call.metrics.is_collected()) call.metrics.end_without_response(exchange_.read_clock());
  exchange_.totals().open_calls.add(-1);
  if (call.method != nullptr && call.method->method().is_background) --background_calls_;
  if (call_order_ != nullptr) call_order_->erase(std::find(call_order_->begin(), call_order_->end(), &call));
  if (waiting_ != nullptr) std::erase(*waiting_, &call);
  if (waiting_ != nullptr && waiting_->empty()) waiting_.reset();
  exchange_.context().calls().give_back(call);
  run_next_calls();
  exchange_.link().on_call_ended();
}

}  // namespace trunkline::server
