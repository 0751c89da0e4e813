// SPDX-License-Identifier: MIT
// ClientConnection: one connection of a channel, between the calls that it serves and its session.
#pragma once

#include "call/stream_host.h"
#include "client/attempt.h"
#include "client/server_meter.h"
#include "net/connection.h"
#include "session/protocol.h"
#include "session/session_options.h"

#include <trunkline/channel_options.h>
#include <trunkline/detail/call_operation.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace trunkline::client {

class BackgroundCall;
class ConnectedStream;
class ServiceRules;

/// Receives what a connection reports about itself, on the loop's thread.
class ConnectionOwner {
 public:
  /// Called when the server's hello has arrived.
  virtual void connection_opened(ClientConnection& connection) = 0;
  /// Called when the first response to a call has arrived.
  virtual void connection_responded(ClientConnection& connection) = 0;
  /// Called when the connection can start calls again, after a time in which it could not, or in which something that
  /// had arrived had to be read first.
  virtual void connection_has_room(ClientConnection& connection) = 0;
  /// Called when the connection drains: it takes no further calls, and closes after its last one.
  virtual void connection_draining(ClientConnection& connection) = 0;
  /// Called when the connection is closed. `reason` is ok if this side has closed it.
  virtual void connection_closed(ClientConnection& connection, const Status& reason) = 0;
  /// Returns true if calls wait for a connection, or this one is kept for further calls. Then it stays open although it
  /// is idle.
  virtual bool wants_connection() const noexcept = 0;

 protected:
  ~ConnectionOwner() = default;
};

/// Receives what a connection reports about its unary calls, on the loop's thread.
class UnaryCallOwner {
 public:
  /// Returns an owner of the channel, which keeps it alive while events are handled: the user's code may destroy the
  /// channel in one of them.
  virtual std::shared_ptr<void> keep_alive() = 0;
  /// Called when a part of the call's response has arrived before its end. `leading` is the leading metadata if it has
  /// come, which may be empty.
  virtual void response_begun(detail::CallOperation& operation, const Metadata& leading) = 0;
  /// Called when the response of a hedged call's attempt has come ahead of the status; operation.response holds it.
  virtual void response_received(detail::CallOperation& operation) = 0;
  /// Called when the call has ended with operation.status. `event` is the call's last one, and may be moved from.
  virtual void call_finished(detail::CallOperation& operation, session::Event& event,
                             const ClientConnection& connection) = 0;

 protected:
  ~UnaryCallOwner() = default;
};

/// The objects that the connections of a channel share. They outlive them, unless they are detached first.
struct ConnectionSetup {
  net::Loop& loop;
  const ChannelOptions& options;
  const session::SessionOptions& session_options;
  UnaryCallOwner& calls;
  ServiceRules& rules;
  /// Measures the server. Null: nothing does.
  ServerMeter* meter = nullptr;
};

/// Only the loop's thread uses it. The pool keeps it alive until it is closed, and so do the streams that it serves.
class ClientConnection final : public net::ConnectionHandler,
                               public call::StreamLink,
                               public std::enable_shared_from_this<ClientConnection> {
 public:
  /// `protocol` must outlive the connection.
  ClientConnection(const ConnectionSetup& setup, ConnectionOwner& owner, std::unique_ptr<net::Transport> transport,
                   const session::Protocol& protocol);
  ~ClientConnection() override;
  /// Makes the session, which begins its handshake. Call this once.
  void start();

  /// Returns true if the session takes another call. Without ChannelOptions::early_calls it takes none before the
  /// server's hello.
  bool has_room() const noexcept { return may_start_ && connection_ != nullptr && connection_->session().can_start(); }
  /// Returns true if a call can be started. What has arrived while the connection rested is read before, since it may
  /// be the end of the connection: ConnectionOwner::connection_has_room() follows if it is not.
  bool can_start() const noexcept {
    return has_room() && !(protocol_.has_one_call ? is_stale() : connection_->has_unread(setup_.loop.now()));
  }
  /// Returns the limit that keeps has_room() from being true, if one does.
  session::AwaitedLimit awaited_limit() const noexcept {
    return connection_ != nullptr ? connection_->session().awaited_limit() : session::AwaitedLimit();
  }
  /// Returns true if a call that is started next has the connection for itself.
  bool is_free() const noexcept { return has_room() && open_calls() == 0 && !(protocol_.has_one_call && is_stale()); }
  /// Returns true if the server's hello has come.
  bool is_opened() const noexcept { return opened_; }
  /// Returns Session::was_answered_in_http1() once the connection is closed.
  bool was_answered_in_http1() const noexcept { return was_answered_in_http1_; }
  /// Returns true if the server had sent something, once the connection is closed.
  bool has_peer_spoken() const noexcept { return has_peer_spoken_; }
  /// Returns true if the connection has been of use: a call has had a response from its handler or may have run when it
  /// was lost, or the connection has lasted for at least `least_life` since the server's hello.
  bool is_productive(base::Duration least_life) const noexcept {
    return responded_ || (opened_ && setup_.loop.now() - opened_at_ >= least_life);
  }
  /// Returns true if a call has been started on the connection.
  bool is_used() const noexcept { return used_; }
  /// Returns true if it carries one call at a time, so that each call under way needs a connection.
  bool carries_one_call() const noexcept { return protocol_.has_one_call; }
  /// Returns true if this side has decided to close the connection.
  bool is_closing() const noexcept { return closing_; }
  /// Returns true if the connection is closed, or takes no further calls.
  bool is_draining() const noexcept {
    return draining_ || connection_ == nullptr || connection_->session().is_closed();
  }
  /// Returns true if the peer has ended the connection because of an error, which one of its calls may have caused.
  bool is_rejected() const noexcept { return rejected_; }
  /// Returns the number of open calls of users.
  std::size_t open_calls() const noexcept {
    const std::size_t all = connection_ != nullptr ? connection_->session().open_calls() : 0;
    return all - (background_ != nullptr && all > 0 ? 1 : 0);
  }
  /// Returns what is measured of the server; null if nothing is.
  const balance::ServerLoad* load() const noexcept { return setup_.meter != nullptr ? &setup_.meter->load() : nullptr; }
  /// Returns the server's address.
  const std::string& peer() const noexcept { return peer_; }
  /// Returns true if streams are open or output waits. Both need the loop to run although no thread waits for a call.
  bool has_work_left() const noexcept {
    return open_calls() > unary_calls_ || (connection_ != nullptr && connection_->session().has_output());
  }

  /// Starts a call, which requires can_start(). Its events reach the operation or stream until the call has ended.
  /// After an error no trace of the call is left in the connection.
  Status start(detail::CallOperation& operation, const session::OutgoingMessage& message, const Metadata* metadata);
  struct StreamStart {
    const Metadata* metadata = nullptr;
    /// The codec of later messages, if there is no first one and the codec is known.
    const Codec* codec = nullptr;
    bool end = false;
    std::uint32_t previous_attempts = 0;
  };
  Status start(ConnectedStream& stream, const Attempt& attempt, const session::OutgoingMessage& message,
               const StreamStart& how);
  /// Starts a call of the channel's own, which requires can_start() and that there is none. Its only request is
  /// `message`.
  Status start(BackgroundCall& call, std::string_view method, const session::OutgoingMessage& message);
  /// Cancels the channel's own call, of which no further event follows. No effect if there is none.
  void cancel_background();
  /// Cancels an open call, of which no further event follows. `outcome` is what that says about the server.
  void cancel(detail::CallOperation& operation, StatusCode reason,
              balance::Outcome outcome = balance::Outcome::abandoned);
  void cancel(const ConnectedStream& stream, StatusCode reason);

  /// Takes no further calls, and closes after the last one.
  void drain();
  /// Closes at the end of the turn. The calls end with `reason`.
  void close(const Status& reason);
  /// Ends the calls at once, after close().
  void end_calls();
  /// Drops the transport without a report to the owners, since the channel is being destroyed.
  void detach();

  /// Returns the session; null once the connection is closed.
  session::Session* session() noexcept override { return connection_ != nullptr ? &connection_->session() : nullptr; }
  void flush() override;

  void on_events(net::Connection& connection) override;
  void on_written(net::Connection& connection) override;
  void on_input_taken(net::Connection& connection) override;
  /// Closes the connection unless calls wait for one.
  void on_idle(net::Connection& connection) override;
  void on_closed(net::Connection& connection) override;

 private:
  /// Returns true if the connection rested and a server over HTTP/1.1 has ended it without a word before, or is about
  /// to.
  bool is_stale() const noexcept {
    if (!connection_->has_received()) return false;
    return connection_->transport().has_input() || setup_.loop.now() >= connection_->session().rests_until();
  }
  bool next_event();
  void handle_event();
  void note_response();
  void note_started(detail::CallOperation& operation);
  balance::Outcome outcome_of(const Status& status) noexcept;
  void note_ended(const detail::CallOperation& operation);
  void note_ended(const detail::CallOperation& operation, balance::Outcome outcome);
  void note_stream_ended(const ConnectedStream& stream, balance::Outcome outcome);
  void cancel(session::CallId id, StatusCode reason);
  void on_finished(detail::CallOperation& operation);
  void on_message(detail::CallOperation& operation);
  void on_stream_event();
  void on_background_event();
  void end_background() noexcept;
  Status decode_response(const detail::CallOperation& operation);
  session::CallStart start_of(const MethodEntry& method, base::TimePoint deadline, const Metadata* metadata) const;
  const Codec* codec_of(const MessageType& response) const;
  void close_if_drained();
  void end_resting();

  const ConnectionSetup setup_;
  ConnectionOwner& owner_;
  const session::Protocol& protocol_;
  std::shared_ptr<net::Connection> connection_;
  session::Event event_;
  std::string peer_;
  const bool is_encrypted_;
  Status close_reason_;
  /// True while events are handled. The connection is not closed before the last of them.
  bool in_events_ = false;
  bool opened_ = false;
  bool has_peer_spoken_ = false;
  bool was_answered_in_http1_ = false;
  base::TimePoint opened_at_{};
  bool responded_ = false;
  bool used_ = false;
  bool rejected_ = false;
  /// True if calls that are measured have ended with the connection.
  bool has_lost_calls_ = false;
  /// True if the hello has come, or calls need not wait for it.
  bool may_start_;
  /// True if the connection takes no further calls.
  bool draining_ = false;
  /// True if close() was called.
  bool closing_ = false;
  std::size_t unary_calls_ = 0;
  /// The channel's own call; null if there is none.
  BackgroundCall* background_ = nullptr;
  session::CallId background_id_ = 0;
  // The last kind of response that was parsed directly, so that a name is not compared for every call.
  const Codec* direct_codec_ = nullptr;
  const MessageType* direct_type_ = nullptr;
};

}  // namespace trunkline::client
