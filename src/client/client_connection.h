// SPDX-License-Identifier: MIT
// ClientConnection: one connection of a channel, between the calls that it serves and its session.
#pragma once

#include "call/stream_host.h"
#include "client/attempt.h"
#include "net/connection.h"
#include "session/protocol.h"
#include "session/session_options.h"

#include <trunkline/channel_options.h>
#include <trunkline/detail/call_operation.h>

#include <cstddef>
#include <memory>
#include <string>

namespace trunkline::client {

class ConnectedStream;

/// What a connection reports about itself. Loop's thread.
class ConnectionOwner {
 public:
  /// The server's hello has arrived.
  virtual void connection_opened(ClientConnection& connection) = 0;
  /// The first response to a call has arrived.
  virtual void connection_responded(ClientConnection& connection) = 0;
  /// The connection can start calls again, after a time in which it could not.
  virtual void connection_has_room(ClientConnection& connection) = 0;
  /// The connection drains: it takes no further calls, and closes after its last one.
  virtual void connection_draining(ClientConnection& connection) = 0;
  /// The connection is closed. `reason` is ok if this side has closed it.
  virtual void connection_closed(ClientConnection& connection, const Status& reason) = 0;
  /// True if calls wait for a connection. Then an idle one stays open.
  virtual bool wants_connection() const noexcept = 0;

 protected:
  ~ConnectionOwner() = default;
};

/// What a connection reports about its unary calls. Loop's thread.
class UnaryCallOwner {
 public:
  /// Returns an owner of the channel, which keeps it alive while events are handled: the user's code may destroy the
  /// channel in one of them.
  virtual std::shared_ptr<void> keep_alive() = 0;
  /// The leading metadata of the call has arrived.
  virtual void leading_received(detail::CallOperation& operation, const Metadata& leading) = 0;
  /// The call has ended with operation.status. `event` is the last one of the call, and may be moved from.
  virtual void call_finished(detail::CallOperation& operation, session::Event& event,
                             const ClientConnection& connection) = 0;

 protected:
  ~UnaryCallOwner() = default;
};

/// What the connections of a channel share. It outlives them, unless they are detached first.
struct ConnectionSetup {
  net::Loop& loop;
  const ChannelOptions& options;
  const session::SessionOptions& session_options;
  UnaryCallOwner& calls;
};

/// Loop's thread only. Kept alive by the pool until it is closed, and by the streams that it serves.
class ClientConnection final : public net::ConnectionHandler,
                               public call::StreamLink,
                               public std::enable_shared_from_this<ClientConnection> {
 public:
  ClientConnection(const ConnectionSetup& setup, ConnectionOwner& owner, std::unique_ptr<net::Transport> transport);
  ~ClientConnection() override;
  /// Makes a session of `protocol`, which begins its handshake. Call this once.
  void start(const session::Protocol& protocol);

  /// Without ChannelOptions::early_calls no call is started before the server's hello.
  bool can_start() const noexcept { return may_start_ && connection_ != nullptr && connection_->session().can_start(); }
  /// The server's hello has come.
  bool is_opened() const noexcept { return opened_; }
  /// Once it is closed: the server had sent something.
  bool has_peer_spoken() const noexcept { return has_peer_spoken_; }
  /// The connection has been of use: a call has had a response from its handler or may have run when the connection was
  /// lost, or the connection has lasted for at least `least_life` since the server's hello.
  bool is_productive(base::Duration least_life) const noexcept {
    return responded_ || (opened_ && setup_.loop.now() - opened_at_ >= least_life);
  }
  /// A call has been started on it.
  bool is_used() const noexcept { return used_; }
  /// This side has decided to close it.
  bool is_closing() const noexcept { return closing_; }
  /// The connection is closed, or takes no further calls.
  bool is_draining() const noexcept {
    return draining_ || connection_ == nullptr || connection_->session().is_closed();
  }
  /// The peer has ended the connection because of an error, maybe one that a call of this connection has caused.
  bool is_rejected() const noexcept { return rejected_; }
  std::size_t open_calls() const noexcept { return connection_ != nullptr ? connection_->session().open_calls() : 0; }
  /// The server's address.
  const std::string& peer() const noexcept { return peer_; }
  /// True if streams are open or output waits. Both need the loop to run although no thread waits for a call.
  bool has_work_left() const noexcept {
    return open_calls() > unary_calls_ || (connection_ != nullptr && connection_->session().has_output());
  }

  /// Starts a call, which requires can_start(). Its events reach the operation or stream until the call has ended.
  /// After an error no trace of the call is left in the connection.
  Status start(detail::CallOperation& operation, const session::OutgoingMessage& message, const Metadata* metadata);
  struct StreamStart {
    const Metadata* metadata = nullptr;
    /// Of later messages, if there is no first one and it is known.
    const Codec* codec = nullptr;
    bool end = false;
  };
  Status start(ConnectedStream& stream, const Attempt& attempt, const session::OutgoingMessage& message,
               const StreamStart& how);
  /// Cancels an open call. No further event of the call follows.
  void cancel(detail::CallOperation& operation, StatusCode reason);
  void cancel(session::CallId id, StatusCode reason);

  /// Takes no further calls, and closes after the last one.
  void drain();
  /// Closes at the end of the turn. The calls end with `reason`.
  void close(const Status& reason);
  /// After close(): ends the calls at once.
  void end_calls();
  /// The channel is being destroyed: drops the transport without a report to the owners.
  void detach();

  /// Null once the connection is closed.
  session::Session* session() noexcept override { return connection_ != nullptr ? &connection_->session() : nullptr; }
  void flush() override;

  void on_events(net::Connection& connection) override;
  void on_written(net::Connection& connection) override;
  /// Closes the connection unless calls wait for one.
  void on_idle(net::Connection& connection) override;
  void on_closed(net::Connection& connection) override;

 private:
  bool next_event();
  void handle_event();
  void note_response();
  void on_finished(detail::CallOperation& operation);
  void on_message(detail::CallOperation& operation);
  void on_stream_event(ConnectedStream& stream);
  Status decode_response(MutableMessageView response);
  session::CallStart start_of(const MethodEntry& method, base::TimePoint deadline, const Metadata* metadata) const;
  const Codec* codec_of(const MessageType& response) const;
  void close_if_drained();

  const ConnectionSetup setup_;
  ConnectionOwner& owner_;
  std::shared_ptr<net::Connection> connection_;
  session::Event event_;
  std::string peer_;
  const bool is_encrypted_;
  Status close_reason_;
  /// True while events are handled. The connection is not closed before the last of them.
  bool in_events_ = false;
  bool opened_ = false;
  bool has_peer_spoken_ = false;
  base::TimePoint opened_at_{};
  bool responded_ = false;
  bool used_ = false;
  bool rejected_ = false;
  /// The hello has come, or calls need not wait for it.
  bool may_start_;
  /// Takes no further calls.
  bool draining_ = false;
  /// close() was called.
  bool closing_ = false;
  std::size_t unary_calls_ = 0;
  // The last kind of response that was parsed directly, so that a name is not compared for every call.
  const Codec* direct_codec_ = nullptr;
  const MessageType* direct_type_ = nullptr;
};

}  // namespace trunkline::client
