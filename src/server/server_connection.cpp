// SPDX-License-Identifier: MIT
// A connection's life and its batches of events; plain calls are served right here.
#include "server/server_connection.h"

#include "base/exception_text.h"
#include "call/inherited_deadline.h"
#include "server/server_loop.h"

#include <string>
#include <utility>

namespace trunkline::server {

ServerConnection::ServerConnection(std::shared_ptr<ServerLoop> loop)
    : loop_(std::move(loop)), plain_context_(&facts_) {}

ServerConnection::~ServerConnection() = default;

void ServerConnection::start(std::unique_ptr<net::Transport> transport, const net::Connection::SessionFactory& factory,
                             ByteSpan first_bytes) {
  const ServerOptions& options = loop_->environment().options;
  facts_.loop = &loop_->net_loop();
  facts_.connection = weak_from_this();
  facts_.peer = transport->peer().address;
  facts_.certificate_subject = transport->peer().certificate_subject;
  facts_.compressors = &options.compressors;
  facts_.answers_in_kind = options.compressor.empty();
  const net::ConnectionOptions connection_options{.write_buffer_bytes = options.limits.write_buffer_bytes,
                                                  .flush_delay = options.limits.flush_delay};
  connection_ = std::make_shared<net::Connection>(std::move(transport), *this, connection_options);
  touch_idle_timer();
  connection_->start(factory, first_bytes);
}

std::size_t ServerConnection::unfinished() const noexcept {
  const std::size_t open = open_calls();
  return open == 0 && connection_->session().has_output() ? 1 : open;
}

std::size_t ServerConnection::open_calls() const noexcept { return connection_->session().open_calls(); }

/// Marks the batch, however it is left.
class ServerConnection::BatchScope {
 public:
  explicit BatchScope(ServerConnection& connection) : connection_(connection) {
    connection_.loop_->begin_batch();
    connection_.in_batch_ = true;
  }
  ~BatchScope() {
    connection_.in_batch_ = false;
    connection_.loop_->end_batch();
  }
  BatchScope(const BatchScope&) = delete;
  BatchScope& operator=(const BatchScope&) = delete;

 private:
  ServerConnection& connection_;
};

void ServerConnection::on_events(net::Connection& connection) {
  if (in_batch_) return;  // a handler lets the loop run: the outer batch goes on with what has come
  const std::shared_ptr<ServerConnection> keep = shared_from_this();
  {
    const BatchScope batch(*this);
    if (methods_version_ != loop_->methods_version()) {
      methods_.clear();
      methods_version_ = loop_->methods_version();
    }
    handle_events(connection.session());
  }
  if (std::exchange(had_calls_, false)) touch_idle_timer();
  close_if_drained();
}

void ServerConnection::handle_events(session::Session& session) {
  session::Event event;
  const auto handle_all = [&] {
    while (session.next(event)) handle_event(event);
  };
  try {
    return handle_all();
  } catch (...) {
    const std::string text = "serve connection: " + base::current_exception_text();
    loop_->environment().log(LogLevel::error, text, {}, facts_.peer);
  }
  // What state the call is in is unknown; the end of the connection settles that of all.
  session.close(Status(StatusCode::internal, "serve connection: an exception"));
  handle_all();
}

void ServerConnection::handle_event(session::Event& event) {
  switch (event.type) {
    case session::EventType::call:
      return on_call(event);
    case session::EventType::message:
      if (event.context != nullptr) on_message(event);
      return;
    case session::EventType::cancelled:
      if (event.context != nullptr) on_cancelled(event);
      return;
    case session::EventType::opened:
      return on_opened();
    case session::EventType::closed:
      if (!event.status.is_ok()) {
        loop_->environment().log(LogLevel::info, event.status.message(), {}, facts_.peer);
      }
      return;
    case session::EventType::writable:
      if (event.context != nullptr) on_writable(*static_cast<ServerCall*>(event.context));
      return;
    case session::EventType::going_away:
    case session::EventType::finished:
      return;
  }
}

void ServerConnection::on_opened() {
  const session::Session& session = connection_->session();
  if (session.is_ordered()) turns_ = std::make_unique<std::deque<ServerCall*>>();
  const ServerOptions& options = loop_->environment().options;
  for (const auto& compressor : options.compressors.compressors()) {
    if (!session.peer_accepts(*compressor)) continue;
    facts_.accepted_compressors.push_back(compressor.get());
    if (compressor->name() == options.compressor) facts_.default_compressor = compressor.get();
  }
}

LoopMethod* ServerConnection::find_method(const session::Event& event) {
  const std::size_t number = event.method_number;
  if (number != 0 && number < methods_.size() && methods_[number] != nullptr) return methods_[number];
  LoopMethod* method = loop_->find_method(event.method_name);
  if (number != 0 && method != nullptr) {
    if (number >= methods_.size()) methods_.resize(number + 1);
    methods_[number] = method;
  }
  return method;
}

void ServerConnection::on_call(session::Event& event) {
  had_calls_ = true;
  if (!event.status.is_ok()) return refuse(event, event.status);
  LoopMethod* const found = find_method(event);
  if (found == nullptr) {
    return refuse(event, {StatusCode::unimplemented, "call " + std::string(event.method_name) + ": no such method"});
  }
  Method& method = found->method();
  if (event.deadline != base::never && event.deadline <= loop_->net_loop().now()) {
    return refuse(event, *found,
                  {StatusCode::deadline_exceeded, "call " + method.name + ": its deadline has passed on arrival"});
  }
  Admission& admission = loop_->environment().admission;
  if (found->runs_plain() && (event.has_message || event.end) && !must_wait_turn()) {
    if (!admission.try_enter_plain(method)) return refuse(event, *found, admission.refusal(method));
    struct Leaving {
      ~Leaving() { admission.leave_plain(method); }
      Admission& admission;
      Method& method;
    };
    const Leaving leaving{admission, method};
    serve_plain(event, *found);
  } else {
    if (!admission.try_enter(method)) return refuse(event, *found, admission.refusal(method));
    open_call(event, *found);
  }
}

void ServerConnection::refuse(const session::Event& event, const Status& status) {
  if (must_wait_turn()) return refuse_in_turn(event, status);
  loop_->counters().calls_refused.add();
  static_cast<void>(connection_->session().finish(event.id, status, {}, nullptr, true));
}

void ServerConnection::refuse(const session::Event& event, LoopMethod& method, const Status& status) {
  loop_->count_refusal(method, status.code());
  refuse(event, status);
}

void ServerConnection::serve_plain(session::Event& event, LoopMethod& served) {
  std::unique_ptr<CallMessages> messages;
  CallMeter meter = loop_->meter(served);
  meter.received(event);
  if (Status parsed = read_request(event, served, messages); !parsed.is_ok()) {
    refuse(event, parsed);
    if (meter.is_on()) meter.end(parsed.code(), loop_->net_loop().read_clock());
  } else {
    const Method& method = served.method();
    Counters& counters = loop_->counters();
    counters.calls_started.add();
    plain_context_.begin(method, event.metadata, event.deadline, event.compressor);
    bool ran = true;
    const HandlerOutcome outcome = loop_->environment().interceptors.empty()
                                       ? run_plain(event, method, *messages)
                                       : run_intercepted(event, method, *messages, ran);
    if (outcome.threw) counters.handler_exceptions.add();
    finish(event.id, outcome.status,
           outcome.status.is_ok() ? served.outgoing(*messages, event.codec) : session::Outgoing{}, plain_context_,
           meter, !ran);
    plain_context_.end();
  }
  if (messages != nullptr) served.give_back(std::move(messages), event.payload.size());
  connection_->flush_if_large();
}

Status ServerConnection::read_request(const session::Event& event, LoopMethod& served,
                                      std::unique_ptr<CallMessages>& messages) {
  try {
    messages = served.take_messages();
    return served.decode(event, *messages);
  } catch (...) {
    messages.reset();
    return failed(served.method()).status;
  }
}

HandlerOutcome ServerConnection::failed(const Method& method) const {
  loop_->counters().handler_exceptions.add();
  return {exception_outcome(loop_->environment(), method, std::current_exception(), facts_.peer).status};
}

HandlerOutcome ServerConnection::run_plain(const session::Event& event, const Method& method, CallMessages& messages) {
  const call::InheritedDeadline::Scope scope(event.deadline);
  return run_guarded(loop_->environment(), method, facts_.peer,
                     [&] { return method.handler->run(messages, plain_context_); });
}

HandlerOutcome ServerConnection::run_intercepted(session::Event& event, const Method& method, CallMessages& messages,
                                                 bool& ran) {
  const call::InterceptorChain& chain = loop_->environment().interceptors;
  Interception interception;
  HandlerOutcome outcome{interception.begin(chain, plain_context_, event.metadata)};
  ran = outcome.status.is_ok();
  if (ran) outcome = run_plain(event, method, messages);
  interception.end(chain, plain_context_, outcome.status);
  return outcome;
}

void ServerConnection::finish(session::CallId id, const Status& status, session::Outgoing&& response,
                              CallContext& context, CallMeter& meter, bool unprocessed) {
  session::Session& session = connection_->session();
  Counters& counters = loop_->counters();
  const std::uint64_t taken_before = meter.is_on() ? session.payload_bytes_taken() : 0;
  response.compressor = context.compressor();
  const Status sent = context.leading() == nullptr
                          ? session.finish(id, status, response, context.trailing(), unprocessed)
                          : finish_with_leading(id, status, response, context, unprocessed);
  if (status.is_ok() && !sent.is_ok()) {
    loop_->environment().log(LogLevel::warning, sent.message(), static_cast<ServerContext&>(context).method(),
                             facts_.peer);
  }
  (status.is_ok() && sent.is_ok() ? counters.calls_ok : counters.calls_failed).add();
  if (!meter.is_on()) return;
  meter.sent().add(static_cast<std::int64_t>(session.payload_bytes_taken() - taken_before));
  meter.end(status.is_ok() ? sent.code() : status.code(), loop_->net_loop().read_clock());
}

Status ServerConnection::finish_with_leading(session::CallId id, const Status& status,
                                             const session::Outgoing& response, const CallContext& context,
                                             bool unprocessed) {
  session::Session& session = connection_->session();
  const Status sent = session.send(id, {}, context.leading(), false);
  // An error of the handler's says more than this one, and whether the caller is still there finish() finds out, too.
  if (!status.is_ok() || sent.code() != StatusCode::resource_exhausted) {
    return session.finish(id, status, response, context.trailing(), unprocessed);
  }
  return session.finish(id, sent, {}, context.trailing(), unprocessed);
}

void ServerConnection::flush() {
  if (connection_ == nullptr) return;
  if (in_batch_) {
    connection_->flush_if_large();
  } else {
    connection_->flush_soon();
  }
}

void ServerConnection::drain() {
  if (connection_->session().is_closed()) return;
  connection_->session().drain();
  connection_->flush_soon();
  if (!in_batch_) close_if_drained();
}

void ServerConnection::close(const Status& reason) { connection_->close(reason); }

void ServerConnection::drop() {
  if (connection_ == nullptr) return;
  const std::shared_ptr<net::Connection> connection = connection_;
  connection->abort(Status(StatusCode::unavailable, "the server has dropped the connection"));
}

void ServerConnection::detach() {
  idle_timer_.cancel();
  drain_check_.cancel();
  closing_ = true;
  connection_.reset();
}

void ServerConnection::close_if_drained() {
  if (closing_ || connection_ == nullptr || !connection_->session().is_drained()) return;
  if (connection_->session().has_output()) {
    // Looked at again after what this turn writes, and so after each write that a slow reader makes room for: every
    // write follows a batch.
    return loop_->net_loop().defer(drain_check_);
  }
  closing_ = true;
  connection_->close(Status());
}

void ServerConnection::on_written(void* owner) {
  auto& self = *static_cast<ServerConnection*>(owner);
  const std::shared_ptr<ServerConnection> keep = self.shared_from_this();
  if (!self.connection_->session().has_output()) self.close_if_drained();
}

void ServerConnection::on_closed(net::Connection&) {
  idle_timer_.cancel();
  drain_check_.cancel();
  loop_->remove(*this);
}

Status ServerConnection::on_codec_exception(std::string_view doing, std::string_view text) {
  loop_->count_exception();
  return codec_exception_status(loop_->environment(), session::SessionOwner::status_of_exception(doing, {}), text, {},
                                facts_.peer);
}

void ServerConnection::touch_idle_timer() {
  const auto timeout = loop_->environment().options.idle_timeout;
  if (timeout <= timeout.zero() || closing_) return;
  last_active_ = loop_->net_loop().now();
  if (!idle_timer_.is_scheduled()) loop_->net_loop().timers().schedule(idle_timer_, last_active_ + timeout);
}

void ServerConnection::on_idle(base::Timer& timer, void* owner, base::TimePoint now) {
  auto& self = *static_cast<ServerConnection*>(owner);
  const auto timeout = self.loop_->environment().options.idle_timeout;
  if (self.open_calls() > 0) self.last_active_ = now;
  if (now < self.last_active_ + timeout) {
    self.loop_->net_loop().timers().schedule(timer, self.last_active_ + timeout);
    return;
  }
  const std::shared_ptr<ServerConnection> keep = self.shared_from_this();
  self.drain();
}

}  // namespace trunkline::server
