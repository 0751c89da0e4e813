// SPDX-License-Identifier: MIT
// ConnectionInvoker: starts attempts on the connections of a pool, or queues them until there is one.
#pragma once

#include "client/channel_lifecycle.h"
#include "client/connection_pool.h"
#include "client/connection_source.h"
#include "client/pending_calls.h"

#include <functional>
#include <memory>
#include <string>

namespace trunkline::client {

/// An invoker takes an attempt and ensures that it is started or fails. The queue is one for all servers of the
/// channel; its source chooses among them. Only the loop's thread uses it.
class ConnectionInvoker final : public SourceOwner {
 public:
  using MakeSource = std::function<std::unique_ptr<ConnectionSource>(const ConnectionSetup& setup, SourceOwner& owner)>;
  struct Hooks {
    /// Called when the condition of the pool may have changed.
    std::function<void()> changed;
    /// Returns true if a thread waits for the channel to be ready.
    std::function<bool()> is_ready_awaited;
  };

  /// `lifecycle` says whether the channel accepts calls.
  ConnectionInvoker(const ConnectionSetup& setup, const ChannelLifecycle& lifecycle, const MakeSource& make_source,
                    Hooks hooks);

  /// Starts `attempt` on a connection, queues it until there is one, or fails it.
  void invoke(Attempt& attempt);
  /// Invokes `attempt` after `pause`, or at its deadline if that comes first.
  void invoke_after(Attempt& attempt, base::Duration pause);
  /// Removes an attempt that waits. Returns false if it does not wait.
  bool remove(Attempt& attempt) noexcept { return pending_.remove(attempt); }
  /// Returns a connection that can start a call at once, without overtaking calls that wait. Null: there is none.
  ClientConnection* pick_directly(const MethodEntry& method, const balance::CallHints& hints) {
    return pending_.has_queued() ? nullptr : pick(method, hints);
  }
  /// Returns a connection that can start a call; null if there is none.
  [[gnu::always_inline]] ClientConnection* pick(const MethodEntry& method, const balance::CallHints& hints) {
    ConnectionPool* const sole = source_->sole();
    return sole != nullptr && !sole->has_open_breakers() ? sole->pick() : source_->pick(method, hints);
  }
  /// Hastens the next attempt to connect, as ConnectionSource::hasten() says.
  void hasten(base::TimePoint deadline) { source_->hasten(deadline); }
  /// Makes a connection if one is wanted and may be made.
  void connect_if_wanted();
  /// Tells the waiting calls that the service config has changed.
  void rules_changed() { pending_.rules_changed(); }
  /// Fails every call that waits, with `status`.
  void fail_pending(const Status& status) { pending_.fail_all(status); }

  ConnectionSource& source() noexcept { return *source_; }
  bool is_ready() const noexcept { return source_->is_ready(); }
  /// Returns true if calls wait, streams are open, or output waits. Then the loop must run although no thread waits.
  bool has_work_left() const noexcept { return !pending_.empty() || source_->has_work_left(); }
  /// Describes what calls wait for, for error texts: "a connection to TARGET", with the last error, or "room on the
  /// connection to TARGET", with the limit.
  std::string awaited() const;

 private:
  void source_changed() override { hooks_.changed(); }
  void source_has_room() override;
  void connecting_failed(const Status& error) override;
  bool wants_connection() const noexcept override { return pending_.has_queued() || hooks_.is_ready_awaited(); }
  std::size_t waiting_calls() const noexcept override { return pending_.queued(); }

  net::Loop& loop_;
  const ChannelLifecycle& lifecycle_;
  const Hooks hooks_;
  PendingCalls pending_;
  const std::unique_ptr<ConnectionSource> source_;
};

}  // namespace trunkline::client
