// SPDX-License-Identifier: MIT
// ConnectionPool: the connections of a channel; makes them, one attempt at a time, and waits between failures.
#pragma once

#include "client/backoff.h"
#include "client/client_connection.h"
#include "client/connector.h"

#include <memory>
#include <vector>

namespace trunkline::client {

/// Loop's thread only.
class ConnectionPool {
 public:
  ConnectionPool(ChannelCore& core, std::unique_ptr<Connector> connector);
  ~ConnectionPool();

  /// The connection with the fewest open calls of those that can start one; null if none can.
  ClientConnection* pick() {
    if (connections_.size() == 1 && most_ == 1) [[likely]] {
      ClientConnection* const only = connections_.front().get();
      return only->can_start() ? only : nullptr;
    }
    return pick_from_many();
  }
  /// Calls wait: makes a connection if one is to be made.
  void connect();
  /// Being made, or waiting for the server's hello.
  bool is_connecting() const noexcept;
  /// The last attempt has failed, there is no connection, and the next attempt is not due yet.
  bool is_failing() const noexcept { return connections_.empty() && backoff_timer_.is_scheduled(); }
  bool is_ready() const noexcept;
  bool is_empty() const noexcept { return connections_.empty() && leaving_.empty() && !dialing_; }
  /// Why there is no connection; ok if nothing has failed yet.
  const Status& last_error() const noexcept { return last_error_; }
  const std::string& target() const noexcept { return connector_->target(); }

  void opened();
  /// It takes no further calls.
  void leaves(ClientConnection& connection);
  void closed(ClientConnection& connection, const Status& reason);

  /// No further attempts; connections close after their last call.
  void drain();
  void close_all(const Status& reason);
  /// After close_all(): ends the open calls at once, not at the end of the turn.
  void end_calls();
  std::size_t open_calls() const noexcept;
  /// Open streams, or output that waits.
  bool has_work_left() const noexcept;
  /// Drops everything at once, without a word to the calls.
  void detach();

 private:
  ClientConnection* pick_from_many();
  void dialed(Result<std::unique_ptr<net::Transport>> transport);
  void failed(Status error);
  static void on_backoff(base::Timer& timer, void* owner, base::TimePoint now);

  ChannelCore& core_;
  const std::unique_ptr<Connector> connector_;
  const std::size_t most_;
  Backoff backoff_;
  std::vector<std::shared_ptr<ClientConnection>> connections_;
  std::vector<std::shared_ptr<ClientConnection>> leaving_;
  std::shared_ptr<net::Dial> dial_;
  std::shared_ptr<bool> dial_wanted_;  // what a callback that cannot be given up looks at
  bool dialing_ = false;
  bool stopped_ = false;
  Status last_error_;
  base::Timer backoff_timer_{on_backoff, this};
};

}  // namespace trunkline::client
