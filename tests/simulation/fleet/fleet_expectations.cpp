// SPDX-License-Identifier: MIT
// Small fleets, and what has to be true of them.
#include "simulation/fleet/fleet_expectations.h"

#include "simulation/fleet/fleet_run.h"

#include <cstdio>
#include <string>

namespace trunkline::simulation {

namespace {

class Expectations {
 public:
  explicit Expectations(std::uint64_t seed) noexcept : seed_(seed) {}

  bool check() {
    check_policies();
    check_hedging();
    check_losses();
    check_restarts();
    check_storm();
    check_seed();
    return is_right_;
  }

 private:
  /// Every client has as many calls as in the large fleet.
  FleetPlan small(FleetEvent event, double measured, BalancingPolicy policy = BalancingPolicy::two_choices) const {
    return {.policy = policy,
            .event = event,
            .servers = 40,
            .clients = 400,
            .calls_per_second = 40000,
            .warm_up = 4,
            .measured = measured,
            .seed = seed_};
  }

  FleetResult run(const char* what, const FleetPlan& plan) {
    const FleetResult result = run_fleet(plan);
    std::printf("%-24s %-17s p50 %5.1f p99 %6.1f p99.9 %6.1f ms, busiest %.2f, wasted %6.3f %%, failed %6.3f %%\n",
                what, std::string(to_string(plan.policy)).c_str(), result.p50, result.p99, result.p999, result.busiest,
                result.wasted() * 100, result.failed_share() * 100);
    expect(result.unended == 0 && result.served + result.failed == result.calls, "every call ends once");
    return result;
  }

  void expect(bool is_true, const char* what) {
    if (!is_true) std::printf("not true: %s\n", what);
    is_right_ = is_right_ && is_true;
  }

  void check_policies() {
    const FleetResult best = run("nothing happens", small(FleetEvent::none, 5));
    const FleetResult turns = run("nothing happens", small(FleetEvent::none, 5, BalancingPolicy::round_robin));
    const FleetResult drawn = run("nothing happens", small(FleetEvent::none, 5, BalancingPolicy::random));
    expect(best.failed == 0 && best.wasted() == 0, "nothing fails while nothing happens");
    expect(best.p99 < turns.p99, "two_choices beats round_robin at p99");
    expect(best.p99 < drawn.p99, "two_choices beats random at p99");
    const FleetResult slowed = run("a tenth is slowed", small(FleetEvent::slowed, 8));
    const FleetResult turns_slowed =
        run("a tenth is slowed", small(FleetEvent::slowed, 8, BalancingPolicy::round_robin));
    expect(slowed.failed * 20 < turns_slowed.failed, "two_choices avoids servers that have become slow");
    expect(slowed.level_after >= 0 && slowed.level_after <= 2, "after two seconds the slow servers are known");
  }

  void check_hedging() {
    FleetPlan plan = small(FleetEvent::none, 8);
    plan.held_up = 0.01;
    const FleetResult without = run("one in 100 is held up", plan);
    plan.has_hedging = true;
    const FleetResult with = run("the same, hedged", plan);
    expect(with.p999 * 2 < without.p999, "hedging halves p99.9");
    expect(with.attempts * 20 < with.calls * 21, "hedging takes less than 5 % more calls");
  }

  void check_losses() {
    const FleetResult cut = run("a zone is cut off", small(FleetEvent::zone_lost, 12));
    const FleetResult turns = run("a zone is cut off", small(FleetEvent::zone_lost, 12, BalancingPolicy::round_robin));
    expect(turns.failed_share() < 0.1, "round_robin loses a zone for as long as it takes to eject its servers");
    expect(cut.failed_share() < 0.03, "two_choices learns which servers are silent");
    const FleetResult renamed = run("names are stale", small(FleetEvent::stale_names, 12));
    expect(renamed.failed == 0, "stale names fail no idempotent call");
  }

  void check_restarts() {
    const FleetResult drained = run("all are drained", small(FleetEvent::rolling_restart, 15));
    expect(drained.failed == 0, "a rolling restart loses no call");
    const FleetResult killed = run("all are killed", small(FleetEvent::rolling_kill, 15));
    expect(killed.failed == 0, "killed servers fail no idempotent call");
    expect(killed.wasted() > 0, "killed servers cost attempts");
  }

  void check_storm() {
    FleetPlan plan = small(FleetEvent::retry_storm, 16);
    plan.queue_limit = 64;
    const FleetResult storm = run("retry storm", plan);
    plan.retries = RetryMode::without_budget;
    const FleetResult without = run("the same, no budget", plan);
    expect(static_cast<double>(storm.retries) <= storm.budget, "no retry storm exceeds its budget");
    expect(storm.retries < without.retries, "the budget takes effect");
    expect(storm.level_after >= 0 && storm.level_after <= 12, "the fleet recovers within two seconds after the storm");
  }

  void check_seed() {
    const FleetPlan plan = small(FleetEvent::none, 1);
    FleetPlan other = plan;
    ++other.seed;
    const FleetResult first = run_fleet(plan);
    const FleetResult second = run_fleet(plan);
    expect(first.calls == second.calls && first.p999 == second.p999, "a seed determines a run");
    expect(run_fleet(other).calls != first.calls, "another seed is another run");
  }

  const std::uint64_t seed_;
  bool is_right_ = true;
};

}  // namespace

bool check_fleet_expectations(std::uint64_t seed) { return Expectations(seed).check(); }

}  // namespace trunkline::simulation
