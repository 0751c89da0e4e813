// SPDX-License-Identifier: MIT
// ServerConnection: handles batches of events, and ends a connection in order.
#include "server/server_connection.h"

#include "base/exception_text.h"
#include "base/random_seed.h"

#include <string>
#include <utility>

namespace trunkline::server {

namespace {

/// The cost of an event beside its payload, as bytes.
constexpr std::size_t work_per_event = 64;

Status no_such_method(std::string_view name) {
  return {StatusCode::unimplemented, "call " + std::string(name) + ": no such method"};
}

Status not_by_get(std::string_view name) {
  return {StatusCode::failed_precondition,
          "call " + std::string(name) + ": the method is not marked no_side_effects, so it takes POST, not GET"};
}

}  // namespace

ServerConnection::ServerConnection(std::shared_ptr<LoopContext> context, Owner& owner, std::shared_ptr<PeerShare> peer)
    : context_(std::move(context)), owner_(&owner), calls_{.peer = std::move(peer)} {}

ServerConnection::~ServerConnection() = default;

void ServerConnection::start(std::unique_ptr<net::Transport> transport, const net::Connection::SessionFactory& factory,
                             ByteSpan first_bytes, base::TimePoint accepted_at, bool is_private) {
  const ServerOptions& options = context_->server_state().options;
  connection_context_.is_private = is_private;
  connection_context_.set_up(context_->loop(), context_->server_state(), weak_from_this(), transport->peer(),
                             calls_.peer);
  const net::ConnectionOptions connection_options{.write_buffer_bytes = options.limits.write_buffer_bytes,
                                                  .turn_bytes = options.max_turn_bytes,
                                                  .flush_delay = options.limits.flush_delay,
                                                  .serves_half_closed = true,
                                                  .handshake_timeout = options.limits.handshake_timeout,
                                                  .idle_timeout = options.idle_timeout};
  connection_ = std::make_shared<net::Connection>(std::move(transport), *this, connection_options);
  connection_->start(factory, first_bytes, accepted_at);
  if (connection_ != nullptr) age_.begin(context_->loop().timers(), accepted_at, base::random_seed());
}

std::size_t ServerConnection::unfinished() const noexcept {
  const session::Session& session = connection_->session();
  const std::size_t open = session.open_calls();
  return open == 0 && session.has_output() ? 1 : open;
}

// --- events ---

/// Lasts as long as a batch of events is handled.
class ServerConnection::BatchScope {
 public:
  explicit BatchScope(ServerConnection& connection)
      : methods_(connection.context_->methods()),
        served_here_(connection.context_->server_state().served_here),
        connection_(connection) {
    connection_.in_batch_ = true;
    connection_.methods_.refresh();
    connection_.watch_.begin_batch(connection_.context_->loop().now());
  }
  ~BatchScope() {
    connection_.watch_.end_batch();
    connection_.in_batch_ = false;
  }
  BatchScope(const BatchScope&) = delete;
  BatchScope& operator=(const BatchScope&) = delete;

 private:
  const MethodCache::Batch methods_;
  const call::ServedHere::Scope served_here_;
  ServerConnection& connection_;
};

void ServerConnection::on_events(net::Connection& connection) {
  // If a handler runs the loop, the batch that it belongs to also handles what arrives meanwhile.
  if (in_batch_) return;
  const std::shared_ptr<ServerConnection> keep = shared_from_this();
  {
    const BatchScope batch(*this);
    if (protocol_name_.empty()) [[unlikely]]
      count_protocol(connection.session());
    handle_events(connection);
  }
  if (std::exchange(had_calls_, false)) connection.note_activity();
  context_->quiet_timer().note_activity();
  close_if_drained();
}

void ServerConnection::handle_events(net::Connection& connection) {
  session::Session& session = connection.session();
  const auto handle_all = [&] {
    while (connection.takes_events() && !connection.must_yield() && session.next(event_)) {
      if (event_.type == session::EventType::call) [[likely]] {
        on_call(event_);
      } else {
        handle_event(event_);
      }
      connection.count_work(work_per_event + event_.payload.size() +
                            (event_.is_compressed ? event_.decompressed_bytes : 0));
      if (watch_.is_over()) connection.end_turn();
    }
  };
  try {
    return handle_all();
  } catch (...) {
    const std::string text = "serve connection: " + base::current_exception_text();
    context_->server_state().log(LogLevel::error, text, {}, connection_context_.peer);
  }
  // The state of the call that was being served is unknown. The end of the connection ends all calls.
  session.close(Status(StatusCode::internal, "serve connection: an exception"));
  handle_all();
}

/// Handles any event but a call.
void ServerConnection::handle_event(session::Event& event) {
  switch (event.type) {
    case session::EventType::message:
      if (event.context != nullptr) open_calls_.on_message(event);
      return;
    case session::EventType::cancelled:
      return on_cancelled(event);
    case session::EventType::writable:
      if (event.context != nullptr) open_calls_.on_writable(event);
      return;
    case session::EventType::opened:
      return on_opened();
    case session::EventType::pause:
      return connection_->end_turn();
    case session::EventType::closed:
      if (!event.status.is_ok()) {
        context_->server_state().log(LogLevel::info, event.status.message(), {}, connection_context_.peer);
      }
      return;
    case session::EventType::call:
    case session::EventType::going_away:
    case session::EventType::finished:
      return;
  }
}

void ServerConnection::on_opened() {
  // A client without the hello assumes that none of its calls has run.
  connection_->flush_now();
  if (connection_->session().has_output()) connection_->hold_until_written();
  if (connection_->session().is_ordered()) open_calls_.set_ordered();
  methods_.forget();
  if (!protocol_name_.empty() && protocol_name_ != connection_->session().protocol_name()) {
    // The connection had requests over HTTP/1.1, and is a WebSocket now.
    context_->protocols().remove(std::exchange(protocol_name_, {}));
    count_protocol(connection_->session());
  }
}

void ServerConnection::count_protocol(const session::Session& session) {
  if (!session.is_open()) return;
  protocol_name_ = session.protocol_name();
  context_->protocols().add(protocol_name_);
}

void ServerConnection::on_cancelled(session::Event& event) {
  const bool by_client = event.status.origin() == StatusOrigin::peer;
  if (event.context != nullptr) open_calls_.on_cancelled(event);
  if (!by_client || connection_ == nullptr) return;
  const auto log = [this](std::string_view consequence) {
    const std::string limit = std::to_string(context_->server_state().options.max_cancelled_calls_per_second);
    const std::string text = "serve connection: the client cancels more calls than max_cancelled_calls_per_second " +
                             limit + std::string(consequence);
    context_->server_state().log(LogLevel::warning, text, {}, connection_context_.peer);
    return text;
  };
  switch (cancellations_.on_cancelled(context_->loop().now())) {
    case CancellationRate::Verdict::allow:
      return;
    case CancellationRate::Verdict::slow_down:
      log("; it has to wait");
      return connection_->hold_for(CancellationRate::pause());
    case CancellationRate::Verdict::disconnect:
      return connection_->close(Status(StatusCode::resource_exhausted, log(" all the time")));
  }
}

/// Returns true if a client of this connection may call the method. Only requests of HTTP reach routes.
bool ServerConnection::is_reached(const RegisteredMethod& method, bool by_route) const noexcept {
  return method.is_route == by_route && (!method.options.is_private || connection_context_.is_private);
}

void ServerConnection::on_call(session::Event& event) {
  had_calls_ = true;
  if (!event.status.is_ok()) return refuse(event, event.status);
  LoopMethod* const found = methods_.find(event);
  if (found == nullptr || !is_reached(found->method(), event.is_route)) [[unlikely]]
    return refuse(event, no_such_method(event.method_name));
  RegisteredMethod& method = found->method();
  if (event.is_get && !method.options.no_side_effects) [[unlikely]]
    return refuse(event, *found, not_by_get(event.method_name));
  if (event.deadline != base::never && event.deadline <= context_->loop().now()) {
    return refuse(event, *found,
                  {StatusCode::deadline_exceeded, "call " + method.name + ": its deadline has passed on arrival"});
  }
  watch_.note(method.name);
  Admission& admission = context_->server_state().admission;
  const bool is_full = admission.is_full(calls_);
  if (found->runs_plain() && event.end && !is_full && !open_calls_.must_keep_order()) {
    const unsigned level = admission.priorities().level_of(event.metadata);
    const CallPermit permit = admission.admit_plain(method, calls_, level);
    if (!permit) return refuse(event, *found, admission.refusal(method, calls_, {.level = level}));
    plain_calls_.serve(connection_->session(), event, *found);
    connection_->flush_if_large();
    return;
  }
  const CallTraits traits = open_calls_.traits_of(event.metadata, *found);
  const bool starts_now = LastingCalls::is_ready(event, *found) && !is_full;
  CallPermit permit = starts_now ? admission.admit(method, calls_, traits) : CallPermit();
  const bool is_admitted = starts_now ? static_cast<bool>(permit) : admission.has_room_for(method, calls_, traits);
  if (!is_admitted) return refuse(event, *found, admission.refusal(method, calls_, traits));
  open_calls_.open(event, *found, std::move(permit));
}

/// Decides what needs only the name and the metadata. Admission is decided again when the whole message is there.
Status ServerConnection::on_call_begun(session::Event& event) {
  LoopMethod* const found = context_->methods().find(event.method_name);
  if (found == nullptr || !is_reached(found->method(), event.is_route)) {
    context_->totals().calls_refused.add();
    return note_refusal(event, no_such_method(event.method_name));
  }
  Admission& admission = context_->server_state().admission;
  const CallTraits traits = open_calls_.traits_of(event.metadata, *found);
  if (!admission.has_room_for(found->method(), calls_, traits)) {
    Status status = admission.refusal(found->method(), calls_, traits);
    context_->totals().calls_refused.add();
    context_->metrics().count_refusal(*found, status.code());
    return note_refusal(event, std::move(status));
  }
  const call::InterceptorChain& interceptors = context_->server_state().interceptors;
  if (interceptors.empty()) return {};
  Status status = exchange_.early().begin(interceptors, event, *found);
  if (status.is_ok()) return status;
  // The call counts as one that an interceptor refuses when its request has come.
  CallMetrics metrics = context_->metrics().begin_call(*found);
  context_->totals().calls_started.add();
  exchange_.count_response(status, status, found->method().name, metrics);
  return note_refusal(event, std::move(status));
}

/// Notes that the call of the event has been refused, and counted, before its message was read.
Status ServerConnection::note_refusal(const session::Event& event, Status status) {
  counted_refusal_ = event.id;
  return status;
}

std::uint64_t ServerConnection::routes_version() const noexcept {
  const MethodCache& methods = context_->methods();
  return methods.routes().empty() ? 0 : methods.version();
}

std::string_view ServerConnection::http_methods_of(std::string_view method) {
  LoopMethod* const found = context_->methods().find(method);
  if (found == nullptr || !is_reached(found->method(), false)) return {};
  return found->method().options.no_side_effects ? "GET, POST" : "POST";
}

void ServerConnection::on_call_dropped(session::CallId id) noexcept {
  if (!exchange_.early().empty()) exchange_.early().end(id, Status(StatusCode::cancelled, "ended before its request"));
}

void ServerConnection::refuse(const session::Event& event, const Status& status) {
  if (!exchange_.early().empty()) exchange_.early().end(event.id, status);
  const bool is_counted = std::exchange(counted_refusal_, 0) == event.id;
  if (open_calls_.must_keep_order()) return open_calls_.refuse_in_order(event, status, is_counted);
  if (!is_counted) context_->totals().calls_refused.add();
  exchange_.send_refusal(event.id, status);
}

void ServerConnection::refuse(const session::Event& event, LoopMethod& method, const Status& status) {
  context_->metrics().count_refusal(method, status.code());
  refuse(event, status);
}

void ServerConnection::on_call_ended() {
  if (connection_ != nullptr) connection_->note_activity();
  if (!in_batch_) close_if_drained();
}

Status ServerConnection::on_codec_exception(std::string_view doing, std::string_view text) {
  context_->count_exception();
  return codec_exception_status(context_->server_state(), session::SessionOwner::status_of_exception(doing, {}), text,
                                {}, connection_context_.peer);
}

void ServerConnection::on_metadata_dropped(const Status& why) noexcept {
  context_->server_state().log(LogLevel::warning, why.message(), {}, connection_context_.peer);
}

// --- output and end ---

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
  connection_context_.is_draining.store(true, std::memory_order_release);
  connection_->close_when_delivered();
  connection_->session().drain();
  connection_->flush_soon();
  if (!in_batch_) close_if_drained();
}

void ServerConnection::on_idle(net::Connection&) {
  const std::shared_ptr<ServerConnection> keep = shared_from_this();
  drain();
}

void ServerConnection::on_age(base::Timer&, void* self, base::TimePoint now) {
  const std::shared_ptr<ServerConnection> keep = static_cast<ServerConnection*>(self)->shared_from_this();
  switch (keep->age_.expire(keep->context_->loop().timers(), now)) {
    case ConnectionAge::Expired::age:
      keep->drain();
      return keep->visit_calls([](ServerCall& call) { call.owner->on_draining(call); });
    case ConnectionAge::Expired::grace:
      keep->visit_calls([](ServerCall& call) { call.owner->on_drain_ended(call); });
      return keep->close(Status(StatusCode::unavailable, "serve connection: max_connection_age_grace is over"));
  }
}

/// Visits all calls of the loop. That is for what happens once in the life of a connection.
void ServerConnection::visit_calls(const std::function<void(ServerCall&)>& visitor) {
  context_->calls().visit([&](ServerCall& call) {
    if (call.is_of(connection_context_)) visitor(call);
  });
}

void ServerConnection::close(const Status& reason) { connection_->close(reason); }

void ServerConnection::drop() {
  if (connection_ == nullptr) return;
  const std::shared_ptr<net::Connection> connection = connection_;
  connection->abort(Status(StatusCode::unavailable, "the server has dropped the connection"));
}

void ServerConnection::release() {
  drain_check_.cancel();
  age_.cancel();
  is_closing_ = true;
  owner_ = nullptr;
  connection_.reset();
  exchange_.early().end_all(Status(StatusCode::unavailable, "the server has stopped"));
}

void ServerConnection::close_if_drained() {
  if (is_closing_ || connection_ == nullptr || !connection_->session().is_drained()) return;
  if (connection_->session().has_output()) {
    // The check is repeated after the writes of this turn. If a slow reader leaves output behind, the batch that
    // follows each further write checks again.
    return context_->loop().defer(drain_check_);
  }
  is_closing_ = true;
  connection_->close(Status());
}

void ServerConnection::on_written(void* self) {
  const std::shared_ptr<ServerConnection> keep = static_cast<ServerConnection*>(self)->shared_from_this();
  if (!keep->connection_->session().has_output()) keep->close_if_drained();
}

void ServerConnection::on_closed(net::Connection&) {
  drain_check_.cancel();
  age_.cancel();
  if (owner_ != nullptr) std::exchange(owner_, nullptr)->on_connection_closed(*this);
}

}  // namespace trunkline::server
