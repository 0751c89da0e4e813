// SPDX-License-Identifier: MIT
// ConnectionPool: the connections of a channel to one server. It makes as many as there are calls at a time, up to a
// limit, with a backoff after failures and after connections that were of no use.
#pragma once

#include "client/backoff.h"
#include "client/client_connection.h"
#include "client/connection_source.h"
#include "client/connector.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::client {

/// A pool in which a connection is productive once a call has been served on it, or once it has lasted for a while.
/// That, and not the mere hello of a server, resets the backoff. The end of a connection that has had calls to serve
/// and was not productive counts as a failed attempt, except that the first one in a row is followed by the next
/// attempt at once: a server that shuts down may still accept one connection, only to send goaway.
///
/// A server to which there is no connection gets one attempt at a time. Once one has succeeded, the connections that
/// the load asks for are made side by side. Calls that have waited for the first one are shared out: each connection
/// gets its part, and those parts whose connections take much longer than the first one go to the others.
///
/// Only the loop's thread uses it.
class ConnectionPool final : public ConnectionSource, public ConnectionOwner {
 public:
  ConnectionPool(const ConnectionSetup& setup, SourceOwner& owner, std::unique_ptr<Connector> connector);
  ~ConnectionPool() override;

  /// Returns the connection with the fewest open calls among those that can start a call, or null if none can. A pool
  /// that may grow makes another connection unless the returned one has no open call.
  ClientConnection* pick() {
    if (connections_.size() == 1 && max_connections_ == 1) [[likely]] {
      ClientConnection* const only = connections_.front().get();
      return only->can_start() ? only : nullptr;
    }
    return pick_from_many();
  }
  ClientConnection* pick(const MethodEntry& method, const balance::CallHints& hints) override;
  bool has_room_soon() const noexcept override {
    const auto has_room = [](const auto& connection) { return connection->has_room(); };
    return !has_one_call_ && std::any_of(connections_.begin(), connections_.end(), has_room);
  }
  /// Returns true if some method may not be called.
  bool has_open_breakers() const noexcept { return setup_.meter != nullptr && setup_.meter->breakers().has_open(); }
  std::optional<OpenBreakers> open_breakers(const MethodEntry& method) const override;
  /// Makes connections until every call has one of its own, or max_connections are reached. Makes one if there is none,
  /// and none during the backoff.
  void connect() override;
  /// Hastens the next attempt for a call or a thread that waits until `deadline`. If the backoff would use up its time,
  /// the attempt comes when half of it is over, but no less than `least_wait` after the last failure.
  void hasten(base::TimePoint deadline) override;

  ChannelLifecycle::Event condition() const noexcept override;
  bool is_ready() const noexcept override;
  bool is_failing() const noexcept override {
    return connections_.empty() && !is_dialing() && backoff_timer_.is_scheduled();
  }
  /// Returns a connection that is open; null if there is none.
  std::shared_ptr<ClientConnection> opened() const noexcept;
  bool had_hello() const noexcept override { return had_hello_; }
  const Status& last_error() const noexcept override { return last_error_; }
  session::AwaitedLimit awaited_limit() const noexcept override;
  const std::string& target() const noexcept override { return connector_->target(); }
  std::size_t open_calls() const noexcept override;
  bool has_work_left() const noexcept override;
  /// Returns one server, of which nothing is measured unless there are circuit breakers.
  std::vector<ServerState> servers() const override;
  /// Returns true if there is neither a connection, nor an attempt to make one, nor a pause before the next attempt.
  bool is_at_rest() const noexcept { return connections_.empty() && !is_dialing() && !backoff_timer_.is_scheduled(); }
  /// Returns true if nothing is left of the connections, not even of those that drain.
  bool is_empty() const noexcept { return connections_.empty() && draining_.empty() && candidates_.empty(); }

  void drain() override;
  void close_all(const Status& reason) override;
  void end_calls() override;
  void detach() override;

 private:
  static constexpr base::Duration least_wait = std::chrono::milliseconds(500);
  /// A connection that lasts for this long, or for BackoffOptions::initial if that is shorter, is productive: to
  /// replace it at once is no storm of connections.
  static constexpr base::Duration productive_life = std::chrono::seconds(1);
  using Connections = std::vector<std::shared_ptr<ClientConnection>>;
  /// An attempt beside the one that is under way. Whoever drops it wants no connection of it.
  struct FurtherDial {
    std::shared_ptr<net::Dial> dial;
  };

  ClientConnection* pick_from_many();
  bool is_dialing() const noexcept { return is_dialing_ || !further_dials_.empty(); }
  std::size_t dials() const noexcept { return further_dials_.size() + (is_dialing_ ? 1 : 0); }
  std::size_t calls() const noexcept;
  bool has_more_to_come() const noexcept;
  bool lacks_connections() const noexcept;
  bool has_share(const ClientConnection& connection) const noexcept;
  void begin_sharing();
  void share_out_again();
  void dial();
  void dial_further();
  void dialed_further(const std::shared_ptr<FurtherDial>& dial, Result<std::unique_ptr<net::Transport>> transport);
  void dialed(Result<std::unique_ptr<net::Transport>> transport);
  void admit(ClientConnection& winner);
  void end_dial();
  void close_candidates();
  bool try_http1(const ClientConnection& connection);
  /// Returns true if `count` connections, with which calls can be started, are not enough.
  bool wants_more_than(std::size_t count) const noexcept;
  /// Returns true if another is wanted after a failure, or after the loss of a connection that this side did not close.
  bool wants_another();
  /// Makes a connection in place of `ended`, if one is wanted.
  void replace(const ClientConnection& ended);
  void candidate_failed(Status error);
  void attempt_failed(Status error, bool had_hello);
  void begin_pause();
  void note_end(const ClientConnection& connection);
  void note_productive() noexcept;
  void log_warning(const std::string& message, std::string_view peer) const noexcept;
  static Connections::iterator find(Connections& among, const ClientConnection& connection);
  /// Moves a connection to draining_. Returns false if it is not among connections_.
  bool move_to_draining(ClientConnection& connection);
  static void on_backoff(base::Timer& timer, void* owner, base::TimePoint now);
  static void on_sharing_over(base::Timer& timer, void* owner, base::TimePoint now);

  void connection_opened(ClientConnection& connection) override;
  void connection_responded(ClientConnection& connection) override;
  void connection_has_room(ClientConnection& connection) override;
  void connection_draining(ClientConnection& connection) override;
  void connection_closed(ClientConnection& connection, const Status& reason) override;
  bool wants_connection() const noexcept override { return wants_more_than(1); }

  /// Measures the server of a channel to one server with circuit breakers; otherwise null.
  const std::unique_ptr<ServerMeter> own_meter_;
  const ConnectionSetup setup_;
  SourceOwner& owner_;
  const std::unique_ptr<Connector> connector_;
  /// This member and the next one depend on the protocol that the server speaks.
  std::size_t max_connections_;
  /// True if a connection carries one call at a time.
  bool has_one_call_ = false;
  const base::Duration least_life_;
  Backoff backoff_;
  Connections connections_;
  /// The connections to the addresses of one attempt that wait for the server's hello. The first to get it is taken.
  Connections candidates_;
  /// The connections that take no further calls and close after their last one.
  Connections draining_;
  std::shared_ptr<net::Dial> dial_;
  /// False once the connection that is being made is no longer wanted. The callback, which may outlive the pool, shares
  /// it.
  std::shared_ptr<bool> is_dial_wanted_;
  /// True while an attempt is under way: until a candidate has its hello, or nothing more can come of it.
  bool is_dialing_ = false;
  /// Further attempts, so that many calls do not wait for handshakes in a row.
  std::vector<std::shared_ptr<FurtherDial>> further_dials_;
  /// True if the last of them led to a connection. The attempt under way reports failures and slows them down.
  bool may_dial_further_ = true;
  /// True if the dial that is under way may give further transports.
  bool has_more_addresses_ = false;
  /// True if drain() was called.
  bool is_stopped_ = false;
  /// True if a connection of no use has been replaced at once, and none was productive since.
  bool was_replaced_ = false;
  bool had_hello_ = false;
  Status last_error_;
  /// The time when the attempt that is under way began.
  base::TimePoint dialed_at_{};
  /// The time when the last attempt failed.
  base::TimePoint failed_at_{};
  base::Timer backoff_timer_{on_backoff, this};
  /// It is scheduled while calls that have waited for the first connection are shared out. When it fires, they wait no
  /// longer.
  base::Timer sharing_timer_{on_sharing_over, this};
};

}  // namespace trunkline::client
