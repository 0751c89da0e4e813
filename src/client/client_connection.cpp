// SPDX-License-Identifier: MIT
// ClientConnection: passes events of the session to operations and streams, found by the context of each call.
#include "client/client_connection.h"

#include "base/exception_text.h"
#include "call/message_coding.h"
#include "client/background_call.h"
#include "client/connected_stream.h"

#include <cstdint>
#include <utility>

namespace trunkline::client {

namespace {

/// The context of a call is the address of its operation, or the address of its stream with the lowest bit set. The
/// background call of a connection has a context without an address.
constexpr std::uintptr_t stream_bit = 1;
constexpr std::uintptr_t background = 3;

void* context_of(detail::CallOperation& operation) noexcept { return &operation; }
void* context_of(ConnectedStream& stream) noexcept {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(&stream) | stream_bit);
}
bool is_stream(const void* context) noexcept { return (reinterpret_cast<std::uintptr_t>(context) & stream_bit) != 0; }
ConnectedStream& stream_of(void* context) noexcept {
  return *reinterpret_cast<ConnectedStream*>(reinterpret_cast<std::uintptr_t>(context) & ~stream_bit);
}

void* context_of_background() noexcept { return reinterpret_cast<void*>(background); }
bool is_background(const void* context) noexcept { return reinterpret_cast<std::uintptr_t>(context) == background; }

/// Sets a flag while events are handled, and resets it also if one of them throws: with the flag set the connection
/// would never close.
class InEvents {
 public:
  explicit InEvents(bool& flag) noexcept : flag_(flag), outer_(std::exchange(flag, true)) {}
  ~InEvents() { flag_ = outer_; }
  InEvents(const InEvents&) = delete;
  InEvents& operator=(const InEvents&) = delete;

 private:
  bool& flag_;
  const bool outer_;
};

Status response_too_long(std::size_t bytes, std::uint32_t limit) {
  return {StatusCode::resource_exhausted, "the response has " + std::to_string(bytes) +
                                              " bytes, maxResponseMessageBytes of the service config is " +
                                              std::to_string(limit)};
}

/// Returns the idle timeout. Calls over HTTP/1.1 need a connection each, and most of these rest afterwards.
std::chrono::milliseconds idle_timeout_of(const session::Protocol& protocol, const ChannelOptions& options) noexcept {
  constexpr std::chrono::seconds longest_rest{50};
  return protocol.has_one_call && options.idle_timeout.count() == 0 ? longest_rest : options.idle_timeout;
}

/// Returns the error of a call with several responses, of which one would count and the others would be lost.
Status several_responses() {
  return {StatusCode::unimplemented,
          "the method sends a stream of responses, and was called as a unary method; call it as a server_stream or "
          "bidirectional method"};
}

}  // namespace

ClientConnection::ClientConnection(const ConnectionSetup& setup, ConnectionOwner& owner,
                                   std::unique_ptr<net::Transport> transport, const session::Protocol& protocol)
    : setup_(setup),
      owner_(owner),
      protocol_(protocol),
      peer_(transport->peer().address),
      is_encrypted_(transport->peer().is_encrypted),
      may_start_(setup.options.early_calls) {
  const ConnectionLimits& limits = setup_.options.limits;
  connection_ = std::make_shared<net::Connection>(
      std::move(transport), *this,
      net::ConnectionOptions{.write_buffer_bytes = limits.write_buffer_bytes,
                             .flush_delay = limits.flush_delay,
                             .handshake_timeout = limits.handshake_timeout,
                             .idle_timeout = idle_timeout_of(protocol, setup_.options)});
}

ClientConnection::~ClientConnection() = default;

void ClientConnection::start() {
  net::Loop& loop = setup_.loop;
  const std::chrono::milliseconds interval = setup_.options.limits.keepalive_interval;
  if (!protocol_.has_pings && interval.count() > 0) connection_->transport().ask_silent_peer(interval);
  connection_->start([&](session::SessionOwner& owner) {
    return protocol_.make_session({.role = session::Role::client,
                                   .options = setup_.session_options,
                                   .timers = loop.timers(),
                                   .owner = owner,
                                   .now = loop.now(),
                                   .is_encrypted = is_encrypted_});
  });
}

session::CallStart ClientConnection::start_of(const MethodEntry& method, base::TimePoint deadline,
                                              const Metadata* metadata) const {
  session::CallStart start{.method = {.key = method.key, .name = method.name},
                           .deadline = deadline,
                           .metadata = metadata != nullptr && !metadata->empty() ? metadata : nullptr};
  if (deadline != base::never) start.now = setup_.loop.now();
  return start;
}

Status ClientConnection::start(detail::CallOperation& operation, const session::OutgoingMessage& message,
                               const Metadata* metadata) {
  session::CallStart begin = start_of(*operation.method_, operation.deadline_, metadata);
  begin.one_way = operation.one_way;
  begin.is_idempotent = operation.is_idempotent_;
  if (!message.has_message()) [[unlikely]]
    begin.codec = codec_of(*operation.response.type);
  begin.previous_attempts = static_cast<std::uint32_t>(operation.retries_);
  begin.context = context_of(operation);
  Result<session::CallId> id = connection_->session().start(begin, message);
  if (!id) return std::move(id).status();
  if (!operation.one_way) {
    operation.connection_ = this;
    operation.id_ = *id;
    ++unary_calls_;
    if (setup_.meter != nullptr) note_started(operation);
  }
  used_ = true;
  connection_->note_activity();
  flush();
  return {};
}

void ClientConnection::note_started(detail::CallOperation& operation) {
  operation.attempt_started_ = setup_.loop.now();
  setup_.meter->on_started(*operation.method_, operation.attempt_started_);
}

/// Returns what a status says about the server: the caller's mistakes and cancellations do not speak against it.
balance::Outcome ClientConnection::outcome_of(const Status& status) noexcept {
  switch (status.code()) {
    case StatusCode::cancelled:
      return balance::Outcome::abandoned;
    case StatusCode::resource_exhausted:
      return balance::Outcome::shed;
    case StatusCode::unavailable:
      if (connection_->session().is_closed()) {
        has_lost_calls_ = true;
        return balance::Outcome::lost;
      }
      return status.may_have_run() ? balance::Outcome::failed : balance::Outcome::shed;
    case StatusCode::deadline_exceeded:
    case StatusCode::internal:
    case StatusCode::data_loss:
    case StatusCode::unknown:
      return balance::Outcome::failed;
    default:
      return balance::Outcome::served;
  }
}

inline void ClientConnection::note_ended(const detail::CallOperation& operation) {
  const bool was_counted =
      operation.status.is_ok() && setup_.meter->count_served(operation.attempt_started_, setup_.loop.now());
  if (!was_counted) note_ended(operation, outcome_of(operation.status));
}

void ClientConnection::note_ended(const detail::CallOperation& operation, balance::Outcome outcome) {
  setup_.meter->on_ended(*operation.method_, outcome, operation.attempt_started_, setup_.loop.now());
}

void ClientConnection::note_stream_ended(const ConnectedStream& stream, balance::Outcome outcome) {
  setup_.meter->on_stream_ended(*stream.served_method, outcome, stream.served_since, setup_.loop.now(),
                                stream.is_counted_probe);
}

/// Returns the codec of the response, if the request is no message.
const Codec* ClientConnection::codec_of(const MessageType& response) const {
  const Result<const Codec*> codec = call::choose_codec(setup_.options.codecs, {}, response);
  return codec.is_ok() ? *codec : nullptr;
}

Status ClientConnection::start(ConnectedStream& stream, const Attempt& attempt, const session::OutgoingMessage& message,
                               const StreamStart& how) {
  session::CallStart begin = start_of(*attempt.method, attempt.deadline, how.metadata);
  begin.end = how.end;
  begin.is_stream = true;
  begin.codec = how.codec;
  begin.previous_attempts = how.previous_attempts;
  begin.context = context_of(stream);
  Result<session::CallId> id = connection_->session().start(begin, message);
  if (!id) return std::move(id).status();
  used_ = true;
  if (setup_.meter != nullptr) {
    stream.served_method = attempt.method;
    stream.served_since = setup_.loop.now();
    setup_.meter->on_started(*attempt.method, stream.served_since);
  }
  connection_->note_activity();
  flush();
  stream.attach(shared_from_this(), *id);
  return {};
}

Status ClientConnection::start(BackgroundCall& call, std::string_view method, const session::OutgoingMessage& message) {
  const session::CallStart begin{
      .method = {.key = 0, .name = method}, .is_stream = true, .context = context_of_background()};
  const Result<session::CallId> id = connection_->session().start(begin, message);
  if (!id) return id.status();
  background_ = &call;
  background_id_ = *id;
  connection_->set_background_calls(1);
  flush();
  return {};
}

void ClientConnection::cancel_background() {
  if (background_ == nullptr) return;
  end_background();
  if (session() == nullptr) return;
  connection_->session().cancel(background_id_, StatusCode::cancelled);
  flush();
  if (!in_events_) close_if_drained();
}

void ClientConnection::cancel(detail::CallOperation& operation, StatusCode reason, balance::Outcome outcome) {
  operation.connection_ = nullptr;
  --unary_calls_;
  if (setup_.meter != nullptr) note_ended(operation, outcome);
  cancel(operation.id_, reason);
}

void ClientConnection::cancel(const ConnectedStream& stream, StatusCode reason) {
  if (setup_.meter != nullptr) note_stream_ended(stream, balance::Outcome::abandoned);
  cancel(stream.id(), reason);
}

void ClientConnection::cancel(session::CallId id, StatusCode reason) {
  if (session() == nullptr) return;
  connection_->session().cancel(id, reason);
  flush();
  if (!in_events_) close_if_drained();
}

void ClientConnection::flush() {
  if (connection_ == nullptr) return;
  connection_->flush_soon();
  connection_->flush_if_large();
}

void ClientConnection::on_events(net::Connection&) {
  const std::shared_ptr<ClientConnection> keep = shared_from_this();
  const std::shared_ptr<void> keep_channel = setup_.calls.keep_alive();
  bool had_events = false;
  {
    const InEvents in_events(in_events_);
    while (next_event()) {
      had_events = had_events || !is_background(event_.context);
      handle_event();
    }
  }
  if (connection_ == nullptr) return;
  if (had_events) connection_->note_activity();
  close_if_drained();
}

/// Takes the next event. Returns false if there is none, or if the connection was closed by the one before. After an
/// exception of the session, e.g. for want of memory, an unknown event is lost, so the connection and all calls end.
bool ClientConnection::next_event() {
  if (connection_ == nullptr || !connection_->takes_events()) return false;
  session::Session& session = connection_->session();
  try {
    return session.next(event_);
  } catch (...) {
    if (session.is_closed()) throw;
    session.close(Status(StatusCode::internal, "receive: " + base::current_exception_text()));
  }
  return session.next(event_);
}

/// A one-way call ends when its last byte is written, which no event reports.
void ClientConnection::on_written(net::Connection&) { close_if_drained(); }

void ClientConnection::on_input_taken(net::Connection&) { owner_.connection_has_room(*this); }

void ClientConnection::handle_event() {
  switch (event_.type) {
    case session::EventType::finished:
      if (!responded_) [[unlikely]]
        note_response();
      if (is_stream(event_.context)) return on_stream_event();
      return on_finished(*static_cast<detail::CallOperation*>(event_.context));
    case session::EventType::message:
      if (!responded_) [[unlikely]]
        note_response();
      if (is_stream(event_.context)) return on_stream_event();
      return on_message(*static_cast<detail::CallOperation*>(event_.context));
    case session::EventType::writable:
      if (event_.id == 0) return owner_.connection_has_room(*this);
      if (is_stream(event_.context) && !is_background(event_.context)) stream_of(event_.context).on_writable();
      return;
    case session::EventType::opened:
      opened_ = may_start_ = true;
      opened_at_ = setup_.loop.now();
      return owner_.connection_opened(*this);
    case session::EventType::going_away:
      draining_ = true;
      rejected_ = rejected_ || !event_.status.is_ok();
      return owner_.connection_draining(*this);
    case session::EventType::closed:
      close_reason_ = event_.status;
      has_peer_spoken_ = connection_->has_received();
      was_answered_in_http1_ = connection_->session().was_answered_in_http1();
      draining_ = true;
      if (protocol_.has_one_call && event_.status.is_ok()) end_resting();
      if (has_lost_calls_ && !closing_) setup_.meter->on_connection_lost(setup_.loop.now());
      // This is reported before the transport is destroyed, so that calls look for another connection at once.
      if (opened_) owner_.connection_draining(*this);
      return;
    case session::EventType::call:
    case session::EventType::cancelled:
    case session::EventType::pause:
      return;
  }
}

/// Notes an event that is a response: it is one unless the server has refused the call as unprocessed, or this side has
/// ended it. A call that may have run when the connection was lost counts as well: the server has begun to serve, and
/// the call does not come back by itself.
void ClientConnection::note_response() {
  if (is_background(event_.context)) return;
  const Status& status = event_.status;
  const bool was_served =
      status.may_have_run() && (status.origin() == StatusOrigin::peer || connection_->session().is_closed());
  if (event_.type == session::EventType::finished && !status.is_ok() && !was_served) return;
  responded_ = true;
  owner_.connection_responded(*this);
}

/// Decodes a response. One that cannot be parsed is no error of the caller: invalid_argument becomes internal.
Status ClientConnection::decode_response(const detail::CallOperation& operation) {
  const MutableMessageView response = operation.response;
  const bool is_as_before = event_.codec == direct_codec_ && response.type == direct_type_ && direct_codec_ != nullptr;
  if (!is_as_before && event_.codec != nullptr && call::parses_directly(*event_.codec, *response.type)) {
    direct_codec_ = event_.codec;
    direct_type_ = response.type;
  }
  if (event_.is_compressed) [[unlikely]] {
    if (Status corrupt = connection_->session().decompress(event_); !corrupt.is_ok()) return corrupt;
  }
  if (event_.payload.size() > operation.max_response_bytes_) [[unlikely]]
    return response_too_long(event_.payload.size(), operation.max_response_bytes_);
  Status status = is_as_before ? call::parse_message(*direct_codec_, event_.payload, response)
                               : call::decode_message(event_, response);
  if (status.code() == StatusCode::invalid_argument) return {StatusCode::internal, status.message()};
  return status;
}

void ClientConnection::on_finished(detail::CallOperation& operation) {
  operation.connection_ = nullptr;
  --unary_calls_;
  if (event_.status.is_ok()) [[likely]] {
    if (event_.has_message && operation.has_response_) [[unlikely]] {
      operation.status = several_responses();
    } else if (event_.has_message || !operation.has_response_) {
      operation.status = decode_response(operation);
    }
  } else {
    operation.status = std::move(event_.status);
  }
  if (setup_.meter != nullptr) note_ended(operation);
  setup_.calls.call_finished(operation, event_, *this);
}

/// Handles leading metadata, or a response that arrives before the status.
void ClientConnection::on_message(detail::CallOperation& operation) {
  setup_.calls.response_begun(operation, event_.metadata);
  if (!event_.has_message) return;
  Status status = std::exchange(operation.has_response_, true) ? several_responses() : decode_response(operation);
  if (status.is_ok()) {
    if (operation.is_hedge_) setup_.calls.response_received(operation);
    return;
  }
  connection_->session().cancel(operation.id_, StatusCode::cancelled);
  operation.connection_ = nullptr;
  --unary_calls_;
  operation.status = std::move(status);
  if (setup_.meter != nullptr) note_ended(operation);
  setup_.calls.call_finished(operation, event_, *this);
}

void ClientConnection::on_stream_event() {
  if (is_background(event_.context)) return on_background_event();
  ConnectedStream& stream = stream_of(event_.context);
  if (event_.type == session::EventType::message) {
    if (setup_.meter != nullptr && !stream.is_counted_probe) {
      stream.is_counted_probe =
          setup_.meter->on_stream_answered(*stream.served_method, stream.served_since, setup_.loop.now());
    }
    return stream.on_message(event_);
  }
  if (setup_.meter != nullptr) note_stream_ended(stream, outcome_of(event_.status));
  stream.on_finished(event_, peer_);
}

/// Handles an event of the background call. After its cancellation none follows, except from a session that has closed.
void ClientConnection::on_background_event() {
  if (background_ == nullptr) return;
  BackgroundCall& call = *background_;
  if (event_.type == session::EventType::message) return call.on_message(event_);
  end_background();
  call.on_finished(event_);
}

void ClientConnection::end_background() noexcept {
  background_ = nullptr;
  if (connection_ != nullptr) connection_->set_background_calls(0);
}

void ClientConnection::drain() {
  draining_ = true;
  if (connection_ == nullptr) return;
  connection_->session().drain();
  connection_->flush_soon();
  if (!in_events_) close_if_drained();
}

void ClientConnection::close(const Status& reason) {
  draining_ = closing_ = true;
  if (connection_ != nullptr) connection_->close(reason);
}

void ClientConnection::end_calls() {
  const std::shared_ptr<ClientConnection> keep = shared_from_this();
  while (next_event()) handle_event();
}

/// Ends a connection whose only call is over, and for which nothing waits to be written. A server that sends the rest
/// of a response that nobody wants would go on as long as somebody reads it.
void ClientConnection::end_resting() {
  // A server that ends connections before they are used is not asked for another at once.
  closing_ = used_;
  if (in_events_) connection_->abort(Status());
}

void ClientConnection::detach() { connection_.reset(); }

void ClientConnection::close_if_drained() {
  if (closing_ || !draining_ || connection_ == nullptr || connection_->session().is_closed() ||
      !connection_->session().is_drained())
    return;
  close(Status());
}

void ClientConnection::on_closed(net::Connection&) {
  const std::shared_ptr<ClientConnection> keep = shared_from_this();
  const std::shared_ptr<net::Connection> gone = std::move(connection_);
  owner_.connection_closed(*this, close_reason_);
}

void ClientConnection::on_idle(net::Connection&) {
  // A connection that is still being opened, or that calls wait for, is not idle.
  if (draining_ || !opened_ || owner_.wants_connection()) return;
  const std::shared_ptr<ClientConnection> keep = shared_from_this();
  close(Status());
  owner_.connection_draining(*this);
}

}  // namespace trunkline::client
