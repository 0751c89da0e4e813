// SPDX-License-Identifier: MIT
// What it costs to choose a server, and to report the call to it.
#include "balance/make_policy.h"
#include "micro/measurement.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

namespace trunkline::balance {
namespace {

/// Servers, each with a latency of its own, and the policy that chooses among them.
struct Choices {
  Choices(BalancingPolicy name, std::size_t count) : loads(count) {
    std::vector<ServerLoad*> servers;
    for (ServerLoad& load : loads) {
      load.identity = servers.size() + 1;
      servers.push_back(&load);
      load.on_started();
      load.on_ended(Outcome::served, std::chrono::microseconds(100 + servers.size() % 7), now);
    }
    BalancingOptions options;
    options.policy = name;
    options.seed = 1;
    policy = make_policy(options);
    policy->set_listed(servers);
    policy->set_servers(servers);
    policy->choose(hints, now);  // builds what is built by the first choice
  }
  ServerLoad* choose() {
    hints.key += 0x9e3779b97f4a7c15u;
    now += std::chrono::microseconds(1);
    return policy->choose(hints, now);
  }
  bool knows(const ServerLoad* chosen) const {
    return std::any_of(loads.begin(), loads.end(), [&](const ServerLoad& load) { return &load == chosen; });
  }

  std::deque<ServerLoad> loads;
  std::unique_ptr<Policy> policy;
  base::TimePoint now{std::chrono::hours(1)};
  CallHints hints{.key = 1, .has_key = true};
};

/// A choice alone; every call has a key.
void BM_Choose(benchmark::State& state, BalancingPolicy name) {
  Choices choices(name, static_cast<std::size_t>(state.range(0)));
  for (int i = 0; i < 100; ++i) {
    if (!choices.knows(choices.choose())) return state.SkipWithError("something else than a server was chosen");
  }

  bench::Measurement measurement(state);
  for (auto _ : state) benchmark::DoNotOptimize(choices.choose());
  measurement.finish();
}

/// A choice, the start and the end of its call.
void BM_ChooseAndReport(benchmark::State& state, BalancingPolicy name) {
  Choices choices(name, static_cast<std::size_t>(state.range(0)));

  bench::Measurement measurement(state);
  for (auto _ : state) {
    ServerLoad* const chosen = choices.choose();
    chosen->on_started();
    chosen->on_ended(Outcome::served, std::chrono::microseconds(100), choices.now);
  }
  measurement.finish();

  std::uint64_t started = 0;
  for (const ServerLoad& load : choices.loads) started += load.started();
  // One call of each was measured before.
  const auto expected = static_cast<std::uint64_t>(state.iterations()) + choices.loads.size();
  if (started != expected) state.SkipWithError("a call is missing");
}

void of_fleets(benchmark::internal::Benchmark* benchmark) { benchmark->ArgName("servers")->Arg(1)->Arg(10)->Arg(1000); }
BENCHMARK_CAPTURE(BM_Choose, two_choices, BalancingPolicy::two_choices)->Apply(of_fleets);
BENCHMARK_CAPTURE(BM_Choose, round_robin, BalancingPolicy::round_robin)->Apply(of_fleets);
BENCHMARK_CAPTURE(BM_Choose, random, BalancingPolicy::random)->Apply(of_fleets);
BENCHMARK_CAPTURE(BM_Choose, least_outstanding, BalancingPolicy::least_outstanding)->Apply(of_fleets);
BENCHMARK_CAPTURE(BM_Choose, least_time, BalancingPolicy::least_time)->Apply(of_fleets);
BENCHMARK_CAPTURE(BM_Choose, consistent_hash, BalancingPolicy::consistent_hash)->Apply(of_fleets);
BENCHMARK_CAPTURE(BM_ChooseAndReport, two_choices, BalancingPolicy::two_choices)->Apply(of_fleets);
BENCHMARK_CAPTURE(BM_ChooseAndReport, round_robin, BalancingPolicy::round_robin)->Apply(of_fleets);
BENCHMARK_CAPTURE(BM_ChooseAndReport, random, BalancingPolicy::random)->Apply(of_fleets);
BENCHMARK_CAPTURE(BM_ChooseAndReport, least_outstanding, BalancingPolicy::least_outstanding)->Apply(of_fleets);
BENCHMARK_CAPTURE(BM_ChooseAndReport, least_time, BalancingPolicy::least_time)->Apply(of_fleets);
BENCHMARK_CAPTURE(BM_ChooseAndReport, consistent_hash, BalancingPolicy::consistent_hash)->Apply(of_fleets);

}  // namespace
}  // namespace trunkline::balance
