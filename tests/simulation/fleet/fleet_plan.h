// SPDX-License-Identifier: MIT
// FleetPlan: the size of a simulated fleet, its load, and what happens to it.
#pragma once

#include <trunkline/balancing.h>

#include <cstddef>
#include <cstdint>

namespace trunkline::simulation {

enum class FleetEvent : std::uint8_t {
  none,
  /// A tenth of the servers becomes ten times slower.
  slowed,
  /// The servers of one of three zones are cut off: nothing is heard of them any more, not even that they have gone.
  zone_lost,
  /// Every server is drained once and restarts, some at a time.
  rolling_restart,
  /// The same, but the servers are killed: the calls that they have are lost, and their clients learn it at once.
  rolling_kill,
  /// All servers become three times slower for a time, which is too slow for the load, and shed calls.
  retry_storm,
  /// A tenth of the servers is killed, and as many come under new names, which clients learn up to ten seconds later.
  stale_names,
};

/// What clients do about attempts that are refused or lost.
enum class RetryMode : std::uint8_t {
  none,
  /// As channels do it.
  within_budget,
  /// The same with a budget that is always full, which no channel has.
  without_budget,
};

struct FleetPlan {
  BalancingPolicy policy = BalancingPolicy::two_choices;
  FleetEvent event = FleetEvent::none;
  RetryMode retries = RetryMode::within_budget;
  bool has_hedging = false;
  /// With the default options, as in every channel.
  bool has_outlier_detection = true;
  /// Clients prefer the servers of their zone. There are three.
  bool prefers_zone = false;
  /// Half of the servers have 4 workers and the others 12, instead of 8.
  bool has_uneven_workers = false;
  /// The servers' weights are their workers.
  bool has_weights = false;
  std::size_t servers = 100;
  std::size_t clients = 200;
  /// Servers that a client uses.
  std::size_t subset = 20;
  double calls_per_second = 20000;
  /// Of all servers together.
  double utilisation = 0.6;
  /// The servers' speeds lie between 1 - spread and 1 + spread.
  double spread = 0.3;
  /// This share of the attempts is held up, for 50 ms on average, as by a collection of garbage.
  double held_up = 0;
  /// Calls that wait at a server at most; 0: any number. Further ones are refused, which costs a tenth of a call's
  /// work.
  std::size_t queue_limit = 0;
  /// In seconds. The event is at the end of the warm-up, and only calls that start after it are counted.
  double warm_up = 2;
  double measured = 4;
  std::uint64_t seed = 1;
};

}  // namespace trunkline::simulation
