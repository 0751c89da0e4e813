// SPDX-License-Identifier: MIT
// Fleet: the servers that a name stands for, and the choice among them.
#pragma once

#include "balance/outlier_detector.h"
#include "balance/policy.h"
#include "base/timer_wheel.h"
#include "client/connection_source.h"
#include "client/fleet_server.h"
#include "client/resolver_inbox.h"

#include <trunkline/resolver.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trunkline::client {

/// The parts from which a fleet is made.
struct FleetParts {
  /// The resolver. Null: it could not be made, and `error` says why; calls fail with it.
  std::unique_ptr<Resolver> resolver;
  Status error{};
  std::function<std::unique_ptr<Connector>(const ResolvedServer& server)> make_connector;
  /// The URI, for error texts.
  std::string target;
};

/// A fleet whose resolver starts with the first call. From then on every server is kept connected, unless the channel
/// has an idle_timeout: then servers that are lost are connected again while calls are made. A call that finds no ready
/// server waits in the queue of the channel's ConnectionInvoker, one for all servers. Only the loop's thread uses it.
class Fleet final : public ConnectionSource, public FleetServerOwner, public ResolverListener {
 public:
  Fleet(const ConnectionSetup& setup, SourceOwner& owner, FleetParts parts);
  ~Fleet() override;

  ClientConnection* pick(const MethodEntry& method, const balance::CallHints& hints) override;
  bool has_room_soon() const noexcept override;
  std::optional<OpenBreakers> open_breakers(const MethodEntry& method) const override;
  void connect() override;
  void hasten(base::TimePoint deadline) override;

  ChannelLifecycle::Event condition() const noexcept override;
  bool is_ready() const noexcept override { return !ready_.empty(); }
  bool is_failing() const noexcept override;
  bool had_hello() const noexcept override { return had_hello_; }
  const Status& last_error() const noexcept override { return last_error_; }
  session::AwaitedLimit awaited_limit() const noexcept override;
  const std::string& target() const noexcept override { return parts_.target; }
  std::size_t open_calls() const noexcept override;
  bool has_work_left() const noexcept override;
  std::vector<ServerState> servers() const override;

  void drain() override;
  void close_all(const Status& reason) override;
  void end_calls() override;
  void detach() override;

 private:
  void resolved(Resolution resolution) override;
  void resolving_failed(Status error) override;
  void server_changed(FleetServer& server) override;
  void server_has_room(FleetServer& server) override;
  void server_failed(FleetServer& server, const Status& error) override;
  void server_judged() override;
  bool keeps_connections() const noexcept override;
  bool replaces_connections() override;
  bool has_waiting_calls() const noexcept override { return !is_stopped_ && owner_.wants_connection(); }
  std::size_t waiting_calls_of_a_server() const noexcept override;

  static constexpr int most_choices = 4;

  ClientConnection* pick_on(FleetServer& server, const MethodEntry& method);
  bool is_worth_waiting(FleetServer& server, const MethodEntry& method) const noexcept;
  ClientConnection* pick_elsewhere(FleetServer& useless, const MethodEntry& method, const balance::CallHints& hints);
  void start_resolver();
  void refresh_resolver();
  void keep_subset(std::vector<ResolvedServer>& servers) const;
  void choose_policy();
  void choose_among_ready();
  void choose_again();
  bool is_in_use();
  void watch_outliers();
  void sweep_outliers(base::TimePoint now);
  void note_failure(const Status& error);
  void remove_gone_servers();

  const ConnectionSetup setup_;
  SourceOwner& owner_;
  FleetParts parts_;
  std::unique_ptr<balance::Policy> policy_;
  BalancingPolicy policy_kind_;
  /// Judges the servers that are listed.
  balance::OutlierDetector detector_;
  /// The number of this client, which decides which subset of the servers it uses.
  const std::uint64_t client_;
  /// The inbox of the resolver; null until the resolver starts, and after drain().
  std::shared_ptr<ResolverInbox> inbox_;
  /// The servers, including those that leave.
  std::vector<std::unique_ptr<FleetServer>> servers_;
  std::vector<balance::ServerLoad*> ready_;
  /// The number of calls counted when is_in_use() was last called, and the time when it first found so many.
  std::uint64_t counted_calls_ = 0;
  base::TimePoint counted_at_{};
  /// The place where a look at all servers begins, so that it does not always find the same one.
  std::size_t next_look_ = 0;
  /// True once the resolver has reported servers.
  bool is_resolved_ = false;
  /// True if the resolver has failed, and there are no servers.
  bool is_unresolved_ = false;
  bool is_started_ = false;
  bool is_stopped_ = false;
  bool had_hello_ = false;
  Status last_error_;
  /// Judges the servers at intervals. It is not scheduled while there is nothing to judge.
  base::Timer sweep_timer_;
  /// Chooses among the servers again, after a server was judged.
  net::DeferredTask choose_again_;
  /// Picks again for the calls that wait.
  net::DeferredTask pick_again_;
  /// Destroys servers that have left, outside their own functions.
  net::DeferredTask remove_gone_;
};

}  // namespace trunkline::client
