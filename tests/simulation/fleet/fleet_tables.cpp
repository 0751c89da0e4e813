// SPDX-License-Identifier: MIT
// The tables of docs/simulated-fleet.md.
#include "simulation/fleet/fleet_tables.h"

#include "simulation/fleet/fleet_run.h"

#include <array>
#include <cstdio>
#include <utility>

namespace trunkline::simulation {

namespace {

constexpr std::array policies{BalancingPolicy::two_choices, BalancingPolicy::round_robin,
                              BalancingPolicy::random,      BalancingPolicy::least_outstanding,
                              BalancingPolicy::least_time,  BalancingPolicy::consistent_hash};

/// 1,000 servers and 10,000 clients.
FleetPlan whole(std::uint64_t seed, double warm_up, double measured) {
  return {.servers = 1000,
          .clients = 10000,
          .calls_per_second = 1e6,
          .warm_up = warm_up,
          .measured = measured,
          .seed = seed};
}

/// A fifth of it, in which every server and every client has as many calls as in the whole.
FleetPlan fifth(std::uint64_t seed, FleetEvent event, double measured) {
  return {.event = event,
          .servers = 200,
          .clients = 2000,
          .calls_per_second = 2e5,
          .warm_up = 5,
          .measured = measured,
          .seed = seed};
}

std::vector<FleetRow> of_all_policies(FleetPlan plan) {
  std::vector<FleetRow> rows;
  for (const BalancingPolicy policy : policies) {
    plan.policy = policy;
    rows.push_back({std::string(to_string(policy)), plan});
  }
  return rows;
}

FleetTable steady(std::uint64_t seed) { return {"steady", "Nothing happens", of_all_policies(whole(seed, 5, 60))}; }

FleetTable hedging(std::uint64_t seed) {
  FleetTable table{"hedging", "Hedging", {}};
  FleetPlan plan = fifth(seed, FleetEvent::none, 20);
  for (const double held_up : {0.0, 0.01}) {
    plan.held_up = held_up;
    const std::string work = held_up == 0 ? "exponential" : "one in 100 held up";
    plan.has_hedging = false;
    table.rows.push_back({work, plan});
    plan.has_hedging = true;
    table.rows.push_back({work + ", hedging", plan});
  }
  return table;
}

FleetTable zones_and_weights(std::uint64_t seed) {
  FleetTable table{"weights", "Zones and weights", {}};
  FleetPlan plan = fifth(seed, FleetEvent::none, 20);
  table.rows.push_back({"two_choices", plan});
  plan.prefers_zone = true;
  table.rows.push_back({"two_choices, own zone first", plan});
  plan.prefers_zone = false;
  for (const BalancingPolicy policy : {BalancingPolicy::two_choices, BalancingPolicy::round_robin}) {
    plan.policy = policy;
    plan.has_uneven_workers = true;
    plan.has_weights = false;
    const std::string name(to_string(policy));
    table.rows.push_back({name + ", 4 or 12 workers", plan});
    plan.has_weights = true;
    table.rows.push_back({name + ", 4 or 12 workers as weights", plan});
  }
  return table;
}

FleetTable slowed(std::uint64_t seed) {
  FleetPlan plan = whole(seed, 5, 15);
  plan.event = FleetEvent::slowed;
  return {"slowed", "A tenth of the servers becomes ten times slower", of_all_policies(plan)};
}

FleetTable zone_lost(std::uint64_t seed) {
  FleetTable table{"zone_lost", "A zone is cut off", of_all_policies(fifth(seed, FleetEvent::zone_lost, 20))};
  FleetPlan plan = fifth(seed, FleetEvent::zone_lost, 20);
  plan.has_hedging = true;
  table.rows.push_back({"two_choices, hedging", plan});
  plan.has_hedging = false;
  plan.prefers_zone = true;
  table.rows.push_back({"two_choices, own zone first", plan});
  plan.prefers_zone = false;
  plan.has_outlier_detection = false;
  table.rows.push_back({"two_choices, no outlier detection", plan});
  plan.policy = BalancingPolicy::round_robin;
  table.rows.push_back({"round_robin, no outlier detection", plan});
  return table;
}

FleetTable rolling_restart(std::uint64_t seed) {
  FleetTable table{"rolling_restart", "Every server restarts",
                   of_all_policies(fifth(seed, FleetEvent::rolling_restart, 60))};
  FleetPlan plan = fifth(seed, FleetEvent::rolling_kill, 60);
  table.rows.push_back({"two_choices, killed", plan});
  plan.policy = BalancingPolicy::round_robin;
  table.rows.push_back({"round_robin, killed", plan});
  return table;
}

FleetTable retry_storm(std::uint64_t seed) {
  FleetTable table{"retry_storm", "A retry storm", {}};
  FleetPlan plan = fifth(seed, FleetEvent::retry_storm, 25);
  plan.queue_limit = 64;
  for (const auto& [mode, name] :
       {std::pair(RetryMode::none, "no retries"), std::pair(RetryMode::within_budget, "retries within their budget"),
        std::pair(RetryMode::without_budget, "retries without a budget")}) {
    plan.retries = mode;
    table.rows.push_back({name, plan});
  }
  return table;
}

FleetTable stale_names(std::uint64_t seed) {
  return {"stale_names", "Names are stale", of_all_policies(fifth(seed, FleetEvent::stale_names, 20))};
}

void print_head(bool is_of_retries) {
  if (is_of_retries) {
    std::printf("| clients | p99 ms | failed calls %% | attempts by calls in the worst second | retries | budget |");
    std::printf(" level after s |\n|---|---:|---:|---:|---:|---:|---:|\n");
    return;
  }
  std::printf("| policy | p50 ms | p99 ms | p99.9 ms | busiest / mean | wasted attempts %% | failed calls %% |");
  std::printf(" level after s |\n|---|---:|---:|---:|---:|---:|---:|---:|\n");
}

void print_row(const std::string& name, const FleetResult& result, bool is_of_retries) {
  const double failed = result.failed_share() * 100;
  if (is_of_retries) {
    std::printf("| %s | %.1f | %.2f | %.2f | %llu | %.0f |", name.c_str(), result.p99, failed, result.amplification,
                static_cast<unsigned long long>(result.retries), result.budget);
  } else {
    std::printf("| %s | %.1f | %.1f | %.1f | %.2f | %.3f | %.3f |", name.c_str(), result.p50, result.p99, result.p999,
                result.busiest, result.wasted() * 100, failed);
  }
  result.level_after < 0 ? std::printf(" never |\n") : std::printf(" %.0f |\n", result.level_after);
  std::fflush(stdout);
}

}  // namespace

void FleetTable::print() const {
  const FleetPlan& plan = rows.front().plan;
  std::printf("## %s\n\n", title.c_str());
  std::printf(
      "`simulation_fleet --table %s --seed %llu`: %zu servers, %zu clients, %.0f calls a second; %.0f s after\n",
      name.c_str(), static_cast<unsigned long long>(plan.seed), plan.servers, plan.clients, plan.calls_per_second,
      plan.measured);
  std::printf("%.0f s of warm-up.\n\n", plan.warm_up);
  const bool is_of_retries = plan.event == FleetEvent::retry_storm;
  print_head(is_of_retries);
  std::uint64_t calls = 0;
  double seconds = 0;
  for (const FleetRow& row : rows) {
    const FleetResult result = run_fleet(row.plan);
    print_row(row.name, result, is_of_retries);
    calls += result.all_calls;
    seconds += result.seconds;
  }
  std::printf("\n%.0f million calls were simulated in %.0f s of processor time.\n\n", static_cast<double>(calls) / 1e6,
              seconds);
}

std::vector<FleetTable> fleet_tables(std::uint64_t seed) {
  return {steady(seed),    hedging(seed),         zones_and_weights(seed), slowed(seed),
          zone_lost(seed), rolling_restart(seed), stale_names(seed),       retry_storm(seed)};
}

}  // namespace trunkline::simulation
