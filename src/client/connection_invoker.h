// SPDX-License-Identifier: MIT
// ConnectionInvoker: starts attempts on the connections of a pool, or queues them until there is one.
#pragma once

#include "client/channel_lifecycle.h"
#include "client/connection_pool.h"
#include "client/pending_calls.h"

#include <functional>
#include <memory>
#include <string>

namespace trunkline::client {

/// An invoker takes an attempt and ensures that it is started or fails. This is the innermost invoker, for one server.
/// A policy that chooses between servers is an invoker around several of these. Loop's thread only.
class ConnectionInvoker final : public PoolOwner {
 public:
  struct Hooks {
    /// Called when the condition of the pool may have changed.
    std::function<void()> changed;
    /// Returns true if a thread waits for the channel to be ready.
    std::function<bool()> is_ready_awaited;
  };

  /// `lifecycle` says whether the channel accepts calls.
  ConnectionInvoker(const ConnectionSetup& setup, const ChannelLifecycle& lifecycle,
                    std::unique_ptr<Connector> connector, Hooks hooks);

  /// Starts `attempt` on a connection, queues it until there is one, or fails it.
  void invoke(Attempt& attempt);
  /// Invokes `attempt` after `pause`, or at its deadline if that comes first.
  void invoke_after(Attempt& attempt, base::Duration pause);
  /// Removes an attempt that waits. Returns false if it does not wait.
  bool remove(Attempt& attempt) noexcept { return pending_.remove(attempt); }
  /// Returns a connection that can start a call at once, without overtaking calls that wait. Null: there is none.
  ClientConnection* pick_directly() { return pending_.has_queued() ? nullptr : pool_.pick(); }
  /// A connection that can start a call. Null: there is none.
  ClientConnection* pick() { return pool_.pick(); }
  /// See ConnectionPool::hasten().
  void hasten(base::TimePoint deadline) { pool_.hasten(deadline); }
  /// Makes a connection if one is wanted and may be made.
  void connect_if_wanted();
  /// Fails every call that waits, with `status`.
  void fail_pending(const Status& status) { pending_.fail_all(status); }

  ConnectionPool& pool() noexcept { return pool_; }
  bool is_ready() const noexcept { return pool_.is_ready(); }
  /// True if calls wait, streams are open, or output waits. Then the loop must run although no thread waits.
  bool has_work_left() const noexcept { return !pending_.empty() || pool_.has_work_left(); }
  /// Describes what calls wait for, for error texts: "a connection to TARGET" or "room on the connection to TARGET".
  std::string awaited() const;

 private:
  void pool_changed() override { hooks_.changed(); }
  void pool_has_room() override;
  void connecting_failed(const Status& error) override;
  bool wants_connection() const noexcept override { return pending_.has_queued() || hooks_.is_ready_awaited(); }

  net::Loop& loop_;
  const ChannelLifecycle& lifecycle_;
  const Hooks hooks_;
  PendingCalls pending_;
  ConnectionPool pool_;
};

}  // namespace trunkline::client
