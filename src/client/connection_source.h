// SPDX-License-Identifier: MIT
// ConnectionSource: gives the calls of a channel connections: the pool of one server, or a fleet of servers.
#pragma once

#include "balance/call_hints.h"
#include "client/channel_lifecycle.h"
#include "client/client_connection.h"

#include <trunkline/balancing.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace trunkline::client {

class ConnectionPool;

/// Receives what a source reports, on the loop's thread.
class SourceOwner {
 public:
  /// Called when condition() may have changed.
  virtual void source_changed() = 0;
  /// Called when a connection may be able to start calls that wait.
  virtual void source_has_room() = 0;
  /// Called when an attempt to connect has failed, and there is no connection. See had_hello().
  virtual void connecting_failed(const Status& error) = 0;
  /// Returns true if calls wait for a connection.
  virtual bool wants_connection() const noexcept = 0;
  /// Returns how many calls wait for a connection, as far as this source is to serve them.
  virtual std::size_t waiting_calls() const noexcept = 0;
  /// Returns true if a connection is to be kept although no calls wait for one.
  virtual bool keeps_connection() const noexcept { return false; }
  /// Returns true if a server whose last connection was lost, or could not be made, is to be connected again although
  /// no calls wait for it. It is not called if the connection was closed because it was idle.
  virtual bool replaces_connection() { return false; }

 protected:
  ~SourceOwner() = default;
};

/// Says that the circuit breakers for a method of all servers that could get a call of it are open.
struct OpenBreakers {
  Status error{};
  /// The time at which it makes sense to try again.
  base::TimePoint until{};
};

/// A source, which only the loop's thread uses.
class ConnectionSource {
 public:
  virtual ~ConnectionSource() = default;

  /// Returns the pool from whose connections pick() chooses, if that is one server's and may be used without a call of
  /// pick() unless a breaker is open. Otherwise returns null.
  ConnectionPool* sole() const noexcept { return sole_; }
  /// Returns a connection that can start a call of `method`, or null if none can.
  virtual ClientConnection* pick(const MethodEntry& method, const balance::CallHints& hints) = 0;
  /// Returns true if pick() has returned null only for a moment: a connection first reads what has arrived, or calls
  /// are being shared out among connections. SourceOwner::source_has_room() or source_changed() follows.
  virtual bool has_room_soon() const noexcept = 0;
  /// Says why pick() returns null, if that is because of breakers.
  virtual std::optional<OpenBreakers> open_breakers(const MethodEntry& method) const = 0;
  /// Makes connections if there are none and none are being made.
  virtual void connect() = 0;
  /// Hastens the next attempt, since a call or a thread waits for a connection until `deadline`.
  virtual void hasten(base::TimePoint deadline) = 0;

  /// Returns the event by which a channel's life cycle learns what the source does.
  virtual ChannelLifecycle::Event condition() const noexcept = 0;
  virtual bool is_ready() const noexcept = 0;
  /// Returns true if the last attempts have failed, there is no connection, and the next attempt is not due yet.
  virtual bool is_failing() const noexcept = 0;
  /// Returns true if the last attempt that has failed got the server's hello: the connection was of no use.
  virtual bool had_hello() const noexcept = 0;
  /// Returns the reason why there is no connection. It is ok if nothing has failed yet.
  virtual const Status& last_error() const noexcept = 0;
  /// Returns a limit that keeps connections which are there from taking another call.
  virtual session::AwaitedLimit awaited_limit() const noexcept = 0;
  /// Returns the target for error texts.
  virtual const std::string& target() const noexcept = 0;
  /// Returns the number of open calls, which includes those of connections that drain.
  virtual std::size_t open_calls() const noexcept = 0;
  /// Returns true if the loop must run for it, as ClientConnection::has_work_left() says.
  virtual bool has_work_left() const noexcept = 0;
  virtual std::vector<ServerState> servers() const = 0;

  /// Makes no further attempts. Connections close after their last call.
  virtual void drain() = 0;
  /// Closes every connection at the end of the turn. The calls end with `reason`.
  virtual void close_all(const Status& reason) = 0;
  /// Ends the open calls at once, after close_all().
  virtual void end_calls() = 0;
  /// Drops every connection at once, and reports nothing to its calls.
  virtual void detach() = 0;

 protected:
  ConnectionPool* sole_ = nullptr;
};

}  // namespace trunkline::client
