// SPDX-License-Identifier: MIT
// ServerLoop: the connections of one loop, from the accepted transport to the end of the last one.
#pragma once

#include "net/connection.h"
#include "net/listener.h"
#include "net/pending_connections.h"
#include "net/protocol_sniffer.h"
#include "net/transport.h"
#include "server/connection_limit.h"
#include "server/loop_context.h"
#include "server/server_connection.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace trunkline::server {

/// Only the loop's thread uses it, except where noted. Its server owns it; abandon() must be the last call.
class ServerLoop final : public std::enable_shared_from_this<ServerLoop>, private ServerConnection::Owner {
 public:
  ServerLoop(std::shared_ptr<ServerState> server_state, net::Loop& loop);
  ~ServerLoop();
  ServerLoop(const ServerLoop&) = delete;
  ServerLoop& operator=(const ServerLoop&) = delete;

  /// Returns the loop. Any thread may call it.
  net::Loop& net_loop() const noexcept { return context_->loop(); }
  /// Returns the context. Any thread may read its totals and visit its metrics.
  LoopContext& context() const noexcept { return *context_; }
  /// Returns the number of connections of this loop, and of those on their way to it. Any thread may call it.
  std::size_t load() const noexcept { return load_->load(std::memory_order_relaxed); }
  /// Returns a permit for one more connection from `peer`; null if a limit has been reached. Any thread may call it.
  net::ConnectionPermit acquire_permit(std::string_view peer);
  /// Returns the connections that are on their way to accept(), and those whose protocol is not known yet.
  const std::shared_ptr<net::PendingConnections>& pending() const noexcept { return pending_; }
  /// Counts and logs that there was no permit for a connection from `peer`.
  void refuse_over_limit(std::string_view peer);

  /// Serves a connection that has a permit, unless the loop has closed.
  void accept(net::AcceptedConnection accepted);

  /// Lets open calls finish and closes each connection after its last call; at `deadline` closes the rest. Calls
  /// `done` with the number of calls cut off when all connections are closed and expect_no_more() has ended.
  void drain(base::TimePoint deadline, std::function<void(std::size_t)> done);
  /// Ends the drain, which may have yet to begin, at `deadline` if that is earlier.
  void drain_by(base::TimePoint deadline);
  /// Says that no more connections come. Those on their way arrive within `turns` turns of the loop; those that have
  /// sent nothing until then are closed. Any thread calls it; with 0 turns the loop's, or any if nothing runs the loop.
  void expect_no_more(int turns);
  /// Closes all connections with `reason` and serves no further ones. Returns how many calls were cut off; a connection
  /// with nothing but unsent output counts as one.
  std::size_t close_all(const Status& reason);
  /// Starts to collect statistics.
  void collect_statistics();
  /// Releases the handlers of methods that have been removed.
  void release_removed_methods() { context_->methods().refresh(); }
  /// Releases all connections and cancels the handlers that still run. Must be called after the server has run the loop
  /// for the last time.
  void abandon();

 private:
  enum class Phase : std::uint8_t {
    serving,
    /// New connections are told to go elsewhere.
    draining,
    /// New connections are closed.
    closed,
  };
  struct Served {
    std::shared_ptr<ServerConnection> connection;
    net::ConnectionPermit permit;
  };

  void on_sniffed(Result<net::SniffResult> sniffed, net::AcceptedConnection accepted);
  /// Tells a client of another protocol, in that protocol, that it is not served.
  void reject_protocol(net::SniffResult sniffed, net::AcceptedConnection accepted);
  void serve(net::AcceptedConnection accepted, const session::Protocol& protocol, ByteSpan first_bytes);
  void refuse(LogLevel level, std::string_view reason, std::string_view peer);
  void on_connection_closed(ServerConnection& connection) override;
  void remember_if_held(const std::shared_ptr<ServerConnection>& connection);
  std::vector<std::shared_ptr<ServerConnection>> all_connections() const;
  void finish_drain_if_empty();
  static void on_drain_timeout(base::Timer& timer, void* self, base::TimePoint now);

  const std::shared_ptr<LoopContext> context_;
  const LoopLoad load_ = std::make_shared<std::atomic<std::size_t>>(0);
  const std::shared_ptr<net::PendingConnections> pending_;
  std::unordered_map<ServerConnection*, Served> connections_;
  /// Connections that were closed while others kept them. When there are `most_held_` of them, those that have gone are
  /// dropped.
  std::vector<std::weak_ptr<ServerConnection>> held_;
  std::size_t most_held_ = 0;

  Phase phase_ = Phase::serving;
  /// True if no further connections come.
  bool expects_no_more_ = false;
  base::Timer drain_timer_{on_drain_timeout, this};
  /// The earliest deadline that drain() and drain_by() were given.
  base::TimePoint drain_deadline_ = base::never;
  /// The callback of drain(); null unless the loop is draining.
  std::function<void(std::size_t)> drained_;
  std::size_t cut_off_ = 0;
};

}  // namespace trunkline::server
