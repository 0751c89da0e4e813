// SPDX-License-Identifier: MIT
// ConnectionPool: the connections of a channel to one server. It makes them one at a time, with a backoff after
// failures and after connections that were of no use.
#pragma once

#include "client/backoff.h"
#include "client/channel_lifecycle.h"
#include "client/client_connection.h"
#include "client/connector.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::client {

/// What a pool reports. Loop's thread.
class PoolOwner {
 public:
  /// condition() may have changed.
  virtual void pool_changed() = 0;
  /// A connection may be able to start calls that wait.
  virtual void pool_has_room() = 0;
  /// An attempt to connect has failed, and there is no connection. See had_hello().
  virtual void connecting_failed(const Status& error) = 0;
  /// True if calls wait for a connection.
  virtual bool wants_connection() const noexcept = 0;

 protected:
  ~PoolOwner() = default;
};

/// A connection is productive once a call has been served on it, or once it has lasted for a while. That, and not
/// the mere hello of a server, resets the backoff. The end of a connection that has had calls to serve and was not
/// productive counts as a failed attempt, except that the first one in a row is followed by the next attempt at once: a
/// server that shuts down may still accept one connection, only to send goaway.
///
/// Loop's thread only.
class ConnectionPool final : public ConnectionOwner {
 public:
  ConnectionPool(const ConnectionSetup& setup, PoolOwner& owner, std::unique_ptr<Connector> connector);
  ~ConnectionPool();

  /// Returns the connection with the fewest open calls among those that can start a call, or null if none can. A pool
  /// that may grow makes another connection unless the returned one has no open call.
  ClientConnection* pick() {
    if (connections_.size() == 1 && max_connections_ == 1) [[likely]] {
      ClientConnection* const only = connections_.front().get();
      return only->can_start() ? only : nullptr;
    }
    return pick_from_many();
  }
  /// Makes a connection, unless one is being made, the backoff is not over, or max_connections are reached.
  void connect();
  /// A call or a thread waits for a connection until `deadline`. If the backoff would use up its time, the next attempt
  /// comes earlier: when half of that time is over, but no less than `least_wait` after the last failure.
  void hasten(base::TimePoint deadline);

  /// The event by which a channel's life cycle learns what the pool does.
  ChannelLifecycle::Event condition() const noexcept;
  bool is_ready() const noexcept;
  /// True if the last attempt has failed, there is no connection, and the next attempt is not due yet.
  bool is_failing() const noexcept { return connections_.empty() && !is_dialing_ && backoff_timer_.is_scheduled(); }
  /// The last attempt that has failed got the server's hello: the connection was of no use.
  bool had_hello() const noexcept { return had_hello_; }
  /// Why there is no connection. Ok if nothing has failed yet.
  const Status& last_error() const noexcept { return last_error_; }
  const std::string& target() const noexcept { return connector_->target(); }
  /// Includes the calls of connections that drain.
  std::size_t open_calls() const noexcept;
  /// See ClientConnection::has_work_left().
  bool has_work_left() const noexcept;

  /// Makes no further attempts. Connections close after their last call.
  void drain();
  /// Closes every connection at the end of the turn. The calls end with `reason`.
  void close_all(const Status& reason);
  /// After close_all(): ends the open calls at once.
  void end_calls();
  /// Drops every connection at once, and reports nothing to its calls.
  void detach();

 private:
  static constexpr base::Duration least_wait = std::chrono::milliseconds(500);
  /// A connection that lasts for this long, or for BackoffOptions::initial if that is shorter, is productive: to
  /// replace it at once is no storm of connections.
  static constexpr base::Duration productive_life = std::chrono::seconds(1);
  using Connections = std::vector<std::shared_ptr<ClientConnection>>;

  ClientConnection* pick_from_many();
  void dialed(Result<std::unique_ptr<net::Transport>> transport);
  void admit(ClientConnection& winner);
  void end_dial();
  void candidate_failed(Status error);
  void attempt_failed(Status error, bool had_hello);
  void begin_pause();
  void note_end(const ClientConnection& connection);
  void note_productive() noexcept;
  void log_warning(const std::string& message, std::string_view peer) const noexcept;
  static Connections::iterator find(Connections& among, const ClientConnection& connection);
  /// Returns false if the connection is not among connections_.
  bool move_to_draining(ClientConnection& connection);
  static void on_backoff(base::Timer& timer, void* owner, base::TimePoint now);

  void connection_opened(ClientConnection& connection) override;
  void connection_responded(ClientConnection& connection) override;
  void connection_has_room(ClientConnection& connection) override;
  void connection_draining(ClientConnection& connection) override;
  void connection_closed(ClientConnection& connection, const Status& reason) override;
  bool wants_connection() const noexcept override { return owner_.wants_connection(); }

  const ConnectionSetup setup_;
  PoolOwner& owner_;
  const std::unique_ptr<Connector> connector_;
  const std::size_t max_connections_;
  const base::Duration least_life_;
  Backoff backoff_;
  Connections connections_;
  /// Connections to the addresses of one attempt that wait for the server's hello. The first to get it is taken.
  Connections candidates_;
  /// Connections that take no further calls and close after their last one.
  Connections draining_;
  std::shared_ptr<net::Dial> dial_;
  /// False once the connection that is being made is no longer wanted. Shared with the callback, which may outlive the
  /// pool.
  std::shared_ptr<bool> is_dial_wanted_;
  /// An attempt is under way: until a candidate has its hello, or nothing more can come of it.
  bool is_dialing_ = false;
  /// The dial that is under way may give further transports.
  bool has_more_addresses_ = false;
  /// drain() was called.
  bool is_stopped_ = false;
  /// A connection of no use has been replaced at once, and none was productive since.
  bool was_replaced_ = false;
  bool had_hello_ = false;
  Status last_error_;
  /// When the last attempt has failed.
  base::TimePoint failed_at_{};
  base::Timer backoff_timer_{on_backoff, this};
};

}  // namespace trunkline::client
