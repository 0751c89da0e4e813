// SPDX-License-Identifier: MIT
// FleetServer: one server of a fleet, with its connections and what is measured of it.
#pragma once

#include "client/connection_pool.h"
#include "client/health_watch.h"
#include "client/server_meter.h"
#include "session/session_options.h"

#include <trunkline/balancing.h>
#include <trunkline/resolver.h>

#include <cstdint>
#include <memory>
#include <string>

namespace trunkline::client {

class FleetServer;

/// Receives what a server reports to its fleet, on the loop's thread.
class FleetServerOwner {
 public:
  /// Called when the state of the server may have changed.
  virtual void server_changed(FleetServer& server) = 0;
  /// Called when a connection of the server may be able to start calls that wait.
  virtual void server_has_room(FleetServer& server) = 0;
  /// Called when an attempt to connect has failed, and there is no connection.
  virtual void server_failed(FleetServer& server, const Status& error) = 0;
  /// Called when it may have changed whether a server gets calls. The owner looks at it later, outside this function.
  virtual void server_judged() = 0;
  /// Returns true if the fleet keeps its servers connected at present.
  virtual bool keeps_connections() const noexcept = 0;
  /// Returns true if lost connections are replaced, as SourceOwner::replaces_connection() says.
  virtual bool replaces_connections() = 0;
  /// Returns true if calls wait for a connection to any server.
  virtual bool has_waiting_calls() const noexcept = 0;
  /// Returns the share of each server of the calls that wait.
  virtual std::size_t waiting_calls_of_a_server() const noexcept = 0;

 protected:
  ~FleetServerOwner() = default;
};

/// A server, which only the loop's thread uses.
class FleetServer final : public SourceOwner, public ServerMeterOwner, public HealthWatchOwner {
 public:
  FleetServer(const ConnectionSetup& setup, FleetServerOwner& owner, const ResolvedServer& resolved,
              std::unique_ptr<Connector> connector);

  /// Returns the key by which the server is known across reports of the resolver.
  static std::string key_of(const ResolvedServer& resolved);
  const ResolvedServer& resolved() const noexcept { return resolved_; }
  /// Takes over the properties that may change from one report to the next.
  void update(const ResolvedServer& resolved);
  /// Has the server judged as ServerMeter::judge_by() says.
  void judge_by(balance::OutlierDetector* detector) { meter_.judge_by(detector); }
  /// Tells the health watch that the service config has changed.
  void rules_changed() { watch_.rules_changed(); }
  /// Returns a number by which the server is known on every client.
  static std::uint64_t identity_of(const ResolvedServer& resolved);

  ConnectionPool& pool() noexcept { return pool_; }
  const ConnectionPool& pool() const noexcept { return pool_; }
  balance::ServerLoad& load() noexcept { return meter_.load(); }
  const balance::BreakerTable& breakers() const noexcept { return meter_.breakers(); }
  balance::OutlierRecord& outlier() noexcept { return meter_.outlier(); }
  /// Returns true if the server is connected and healthy.
  bool is_ready() const noexcept { return !is_leaving_ && pool_.is_ready() && watch_.is_serving(); }
  /// Returns true if the server cannot serve a call in the near future.
  bool is_failing() const noexcept;
  /// Has the server take no further calls, and go once its open calls have ended.
  void leave();
  bool is_leaving() const noexcept { return is_leaving_; }
  /// True if calls are spread over this server, among others. The fleet sets it; was_ready says if it was ready then.
  bool gets_calls = false;
  bool was_ready = false;
  /// Says why the server gets no calls: the last error of the pool, "... not serving", or "... ejected until ...".
  Status reason() const;
  ServerState state() const;

 private:
  void source_changed() override;
  void source_has_room() override;
  void health_changed() override { owner_.server_judged(); }
  void server_judged() override { owner_.server_judged(); }
  void connecting_failed(const Status& error) override { owner_.server_failed(*this, error); }
  bool wants_connection() const noexcept override { return !is_leaving_ && owner_.has_waiting_calls(); }
  std::size_t waiting_calls() const noexcept override { return is_leaving_ ? 0 : owner_.waiting_calls_of_a_server(); }
  bool keeps_connection() const noexcept override { return !is_leaving_ && owner_.keeps_connections(); }
  bool replaces_connection() override { return !is_leaving_ && owner_.replaces_connections(); }

  net::Loop& loop_;
  FleetServerOwner& owner_;
  ResolvedServer resolved_;
  session::SessionOptions session_options_;
  ServerMeter meter_;
  /// The value of BalancingOptions::zone.
  const std::string& own_zone_;
  bool is_leaving_ = false;
  ConnectionPool pool_;
  HealthWatch watch_;
};

}  // namespace trunkline::client
