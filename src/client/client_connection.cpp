// SPDX-License-Identifier: MIT
// From events to operations and streams, by the context each call was started with.
#include "client/client_connection.h"

#include "call/message_coding.h"
#include "client/channel_core.h"
#include "client/client_stream_core.h"
#include "session/native_session.h"

#include <cstdint>
#include <utility>

namespace trunkline::client {

namespace {

/// A context is an operation's address, or a stream's with the lowest bit set.
constexpr std::uintptr_t stream_bit = 1;

void* context_of(CallOperation& operation) noexcept { return &operation; }
void* context_of(ClientStreamCore& stream) noexcept {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(&stream) | stream_bit);
}
bool is_stream(const void* context) noexcept { return (reinterpret_cast<std::uintptr_t>(context) & stream_bit) != 0; }
ClientStreamCore& stream_of(void* context) noexcept {
  return *reinterpret_cast<ClientStreamCore*>(reinterpret_cast<std::uintptr_t>(context) & ~stream_bit);
}

/// Also if one of the events throws: a connection that took itself for amid its events would never close.
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

}  // namespace

ClientConnection::ClientConnection(ChannelCore& core, std::unique_ptr<net::Transport> transport)
    : core_(&core), peer_(transport->peer().address) {
  const ConnectionLimits& limits = core.options().limits;
  connection_ = std::make_shared<net::Connection>(
      std::move(transport), *this,
      net::ConnectionOptions{.write_buffer_bytes = limits.write_buffer_bytes, .flush_delay = limits.flush_delay});
}

ClientConnection::~ClientConnection() = default;

void ClientConnection::start() {
  connection_->start([this](session::SessionOwner& owner) {
    net::Loop& loop = core_->loop();
    auto session =
        session::make_native_session(session::Role::client, core_->session_options(), loop.timers(), owner, loop.now());
    session_ = session.get();
    return session;
  });
  const auto idle_timeout = core_->options().idle_timeout;
  if (idle_timeout > idle_timeout.zero()) {
    core_->loop().timers().schedule(idle_timer_, core_->loop().now() + idle_timeout);
  }
}

session::CallStart ClientConnection::start_of(const MethodEntry& method, base::TimePoint deadline,
                                              const Metadata* metadata) const {
  session::CallStart start{.method = {.key = method.key, .name = method.name},
                           .deadline = deadline,
                           .metadata = metadata != nullptr && !metadata->empty() ? metadata : nullptr};
  if (deadline != base::never) start.now = core_->loop().now();
  return start;
}

Status ClientConnection::start(CallOperation& operation, const session::Outgoing& message, const Metadata* metadata) {
  session::CallStart begin = start_of(*operation.method_, operation.deadline_, metadata);
  begin.one_way = operation.one_way;
  begin.context = context_of(operation);
  Result<session::CallId> id = session_->start(begin, message);
  if (!id) return std::move(id).status();
  if (!operation.one_way) {
    operation.connection_ = this;
    operation.id_ = *id;
    ++unary_calls_;
  }
  used_ = true;
  flush();
  return {};
}

Status ClientConnection::start(ClientStreamCore& stream, const session::Outgoing& message, const Metadata* metadata,
                               bool end) {
  session::CallStart begin = start_of(*stream.method, stream.deadline, metadata);
  begin.end = end;
  begin.context = context_of(stream);
  Result<session::CallId> id = session_->start(begin, message);
  if (!id) return std::move(id).status();
  used_ = true;
  flush();
  stream.attach(shared_from_this(), *id);
  return {};
}

void ClientConnection::cancel(CallOperation& operation, StatusCode reason) {
  operation.connection_ = nullptr;
  --unary_calls_;
  cancel(operation.id_, reason);
}

void ClientConnection::cancel(session::CallId id, StatusCode reason) {
  if (session() == nullptr) return;
  session_->cancel(id, reason);
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
  const std::shared_ptr<ChannelCore> keep_core = core_->shared_from_this();
  {
    const InEvents amid_events(in_events_);
    while (connection_ != nullptr && session_->next(event_)) handle_event();
  }
  if (connection_ != nullptr) close_if_drained();
}

/// One-way calls end with their last byte, of which no event tells.
void ClientConnection::on_written(net::Connection&) { close_if_drained(); }

void ClientConnection::handle_event() {
  switch (event_.type) {
    case session::EventType::finished:
      if (is_stream(event_.context)) return on_stream_event(stream_of(event_.context));
      return on_finished(*static_cast<CallOperation*>(event_.context));
    case session::EventType::message:
      if (is_stream(event_.context)) return on_stream_event(stream_of(event_.context));
      return on_message(*static_cast<CallOperation*>(event_.context));
    case session::EventType::writable:
      if (event_.id == 0) return core_->pump();
      if (is_stream(event_.context)) stream_of(event_.context).on_writable();
      return;
    case session::EventType::opened:
      opened_ = true;
      return core_->connection_opened();
    case session::EventType::going_away:
      leaving_ = true;
      return core_->connection_leaves(*this);
    case session::EventType::closed:
      close_reason_ = event_.status;
      leaving_ = true;
      // Not only when the transport is gone, too: calls look for another one at once.
      if (opened_) core_->connection_leaves(*this);
      return;
    case session::EventType::call:
    case session::EventType::cancelled:
      return;
  }
}

/// A response that does not parse is not the caller's mistake.
Status ClientConnection::decode_response(MutableMessageView response) {
  const bool is_as_before = event_.codec == direct_codec_ && response.type == direct_type_ && direct_codec_ != nullptr;
  if (!is_as_before && event_.codec != nullptr && call::parses_directly(*event_.codec, *response.type)) {
    direct_codec_ = event_.codec;
    direct_type_ = response.type;
  }
  Status status = is_as_before ? call::parse_message(*direct_codec_, event_.payload, response)
                               : call::decode_message(event_, response);
  if (status.code() == StatusCode::invalid_argument) return {StatusCode::internal, status.message()};
  return status;
}

void ClientConnection::on_finished(CallOperation& operation) {
  operation.connection_ = nullptr;
  --unary_calls_;
  if (event_.status.is_ok()) [[likely]] {
    if (event_.has_message || !operation.answered_) operation.status = decode_response(operation.response);
  } else {
    operation.status = std::move(event_.status);
  }
  core_->call_finished(operation, event_, *this);
}

/// Leading metadata, or an answer that comes before the status.
void ClientConnection::on_message(CallOperation& operation) {
  if (!event_.metadata.empty()) core_->take_leading(operation, event_.metadata);
  if (!event_.has_message || operation.answered_) return;
  operation.answered_ = true;
  Status status = decode_response(operation.response);
  if (status.is_ok()) return;
  session_->cancel(operation.id_, StatusCode::cancelled);
  operation.connection_ = nullptr;
  --unary_calls_;
  operation.status = std::move(status);
  core_->call_finished(operation, event_, *this);
}

void ClientConnection::on_stream_event(ClientStreamCore& stream) {
  if (event_.type == session::EventType::message) return stream.on_message(event_);
  stream.on_finished(event_, peer_);
}

void ClientConnection::drain() {
  leaving_ = true;
  if (connection_ == nullptr) return;
  session_->drain();
  connection_->flush_soon();
  if (!in_events_) close_if_drained();
}

void ClientConnection::close(const Status& reason) {
  leaving_ = closing_ = true;
  if (connection_ != nullptr) connection_->close(reason);
}

void ClientConnection::end_calls() {
  const std::shared_ptr<ClientConnection> keep = shared_from_this();
  while (connection_ != nullptr && session_->next(event_)) handle_event();
}

void ClientConnection::detach() {
  idle_timer_.cancel();
  connection_.reset();
}

void ClientConnection::close_if_drained() {
  if (closing_ || !leaving_ || connection_ == nullptr || session_->is_closed() || !session_->is_drained()) return;
  close(Status());
}

void ClientConnection::on_closed(net::Connection&) {
  idle_timer_.cancel();
  const std::shared_ptr<ClientConnection> keep = shared_from_this();
  const std::shared_ptr<net::Connection> gone = std::move(connection_);
  core_->connection_closed(*this, close_reason_);
}

void ClientConnection::on_idle(base::Timer& timer, void* owner, base::TimePoint now) {
  auto& self = *static_cast<ClientConnection*>(owner);
  if (self.connection_ == nullptr || self.leaving_) return;
  // One that is still being made, or waited for, is not idle.
  const bool is_wanted = !self.opened_ || self.core_->wants_connection();
  const bool is_busy = self.open_calls() > 0;
  if (!std::exchange(self.used_, is_busy) && !is_busy && !is_wanted) {
    self.core_->connection_leaves(self);
    return self.close(Status());
  }
  self.core_->loop().timers().schedule(timer, now + self.core_->options().idle_timeout);
}

}  // namespace trunkline::client
