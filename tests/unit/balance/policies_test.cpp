// SPDX-License-Identifier: MIT
// What all policies have in common, and the distribution of those that only follow the weights.
#include "balance/make_policy.h"
#include "balance/pick_first.h"
#include "balance/random_policy.h"
#include "balance/round_robin.h"
#include "fleet_of_loads.h"

#include <array>

namespace trunkline::balance {
namespace {

constexpr std::array every_policy{BalancingPolicy::two_choices, BalancingPolicy::round_robin,
                                  BalancingPolicy::random,      BalancingPolicy::least_outstanding,
                                  BalancingPolicy::least_time,  BalancingPolicy::consistent_hash,
                                  BalancingPolicy::pick_first};

BalancingOptions options_of(BalancingPolicy policy) {
  BalancingOptions options;
  options.policy = policy;
  options.seed = 7;
  return options;
}

TEST(EveryPolicy, ChoosesNoneOfNone) {
  for (const BalancingPolicy policy : every_policy) {
    const auto made = make_policy(options_of(policy));
    EXPECT_EQ(made->choose({}, {}), nullptr) << to_string(policy);
    EXPECT_EQ(made->choose({.key = 5, .has_key = true}, {}), nullptr) << to_string(policy);
  }
}

TEST(EveryPolicy, ChoosesTheOnlyServerEvenIfItIsAvoided) {
  for (const BalancingPolicy policy : every_policy) {
    FleetOfLoads fleet(1);
    const auto made = make_policy(options_of(policy));
    made->set_servers(fleet.all);

    EXPECT_EQ(made->choose({.avoided = &fleet[0]}, fleet.now), &fleet[0]) << to_string(policy);
    EXPECT_EQ(made->choose({.key = 5, .has_key = true, .avoided = &fleet[0]}, fleet.now), &fleet[0]);
  }
}

TEST(EveryPolicy, AvoidsTheServerOfTheAttemptBefore) {
  for (const BalancingPolicy policy : every_policy) {
    FleetOfLoads fleet(2);
    const auto made = make_policy(options_of(policy));
    made->set_servers(fleet.all);

    EXPECT_EQ(fleet.counts(*made, 200, {.avoided = &fleet[0]})[&fleet[1]], 200) << to_string(policy);
    EXPECT_EQ(fleet.counts(*made, 200, {.key = 9, .has_key = true, .avoided = &fleet[1]})[&fleet[0]], 200);
  }
}

TEST(EveryPolicy, AvoidsTheServersOfAllAttemptsBefore) {
  for (const BalancingPolicy policy : every_policy) {
    FleetOfLoads fleet(5);
    const auto made = make_policy(options_of(policy));
    made->set_servers(fleet.all);
    AvoidedServers avoided;
    for (std::size_t i : {3, 0, 4, 1}) avoided.add(&fleet[i]);

    EXPECT_EQ(fleet.counts(*made, 200, {.avoided = avoided})[&fleet[2]], 200) << to_string(policy);
    EXPECT_EQ(fleet.counts(*made, 200, {.key = 9, .has_key = true, .avoided = avoided})[&fleet[2]], 200);
  }
}

TEST(EveryPolicy, ChoosesTheServerOfTheFirstAttemptWhereAllAreAvoided) {
  for (const BalancingPolicy policy : every_policy) {
    FleetOfLoads fleet(3);
    const auto made = make_policy(options_of(policy));
    made->set_servers(fleet.all);
    AvoidedServers avoided;
    for (std::size_t i : {1, 2, 0}) avoided.add(&fleet[i]);

    EXPECT_EQ(fleet.counts(*made, 200, {.avoided = avoided})[&fleet[1]], 200) << to_string(policy);
    EXPECT_EQ(fleet.counts(*made, 200, {.key = 9, .has_key = true, .avoided = avoided})[&fleet[1]], 200);
  }
}

TEST(EveryPolicy, FollowsChangesOfTheSet) {
  for (const BalancingPolicy policy : every_policy) {
    FleetOfLoads fleet(4);
    const auto made = make_policy(options_of(policy));
    made->set_servers(fleet.all);
    fleet.counts(*made, 50);

    made->set_servers(std::vector<ServerLoad*>{&fleet[1], &fleet[3]});
    const auto counts = fleet.counts(*made, 1000);
    EXPECT_FALSE(counts.contains(&fleet[0])) << to_string(policy);
    EXPECT_FALSE(counts.contains(&fleet[2])) << to_string(policy);

    made->set_servers({});
    EXPECT_EQ(made->choose({}, fleet.now), nullptr) << to_string(policy);
  }
}

TEST(RoundRobin, GivesEachServerItsTurns) {
  FleetOfLoads fleet(3);
  fleet[2].weight = 2;
  RoundRobin policy(1);
  policy.set_servers(fleet.all);

  auto counts = fleet.counts(policy, 4000);

  EXPECT_NEAR(counts[&fleet[0]], 1000, 2);
  EXPECT_NEAR(counts[&fleet[1]], 1000, 2);
  EXPECT_NEAR(counts[&fleet[2]], 2000, 2);
}

TEST(RoundRobin, GivesAServerThatStartsFewerTurns) {
  FleetOfLoads fleet(2);
  fleet[1].slow_start = std::chrono::seconds(10);
  fleet[1].ready_since = fleet.now - std::chrono::seconds(5);
  RoundRobin policy(1);
  policy.set_servers(fleet.all);

  EXPECT_NEAR(fleet.counts(policy, 3000)[&fleet[1]], 1000, 2);
}

TEST(PickFirst, StaysAtAServerThatIsReady) {
  FleetOfLoads fleet(3);
  PickFirst policy;
  policy.set_servers(std::vector<ServerLoad*>{&fleet[1], &fleet[2]});
  ASSERT_EQ(policy.choose({}, fleet.now), &fleet[1]);

  policy.set_servers(fleet.all);
  EXPECT_EQ(policy.choose({}, fleet.now), &fleet[1]);

  policy.set_servers(std::vector<ServerLoad*>{&fleet[0], &fleet[2]});
  EXPECT_EQ(policy.choose({}, fleet.now), &fleet[0]);
}

TEST(RandomPolicy, DrawsInProportionToTheWeights) {
  FleetOfLoads fleet(4);
  const std::array weights{0.5, 1.0, 2.5, 4.0};
  for (std::size_t i = 0; i < 4; ++i) fleet[i].weight = weights[i];
  RandomPolicy policy(1);
  policy.set_servers(fleet.all);

  auto counts = fleet.counts(policy, 80000);

  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(counts[&fleet[i]], 10000 * weights[i], 500) << i;
}

TEST(RandomPolicy, DrawsAServerThatStartsLessOften) {
  FleetOfLoads fleet(2);
  fleet[1].slow_start = std::chrono::seconds(10);
  fleet[1].ready_since = fleet.now - std::chrono::seconds(5);
  RandomPolicy policy(1);
  policy.set_servers(fleet.all);

  EXPECT_NEAR(fleet.counts(policy, 30000)[&fleet[1]], 10000, 500);
}

TEST(RoundRobin, AvoidsAServerThatHasNearlyAllTheWeight) {
  FleetOfLoads fleet(3);
  fleet[0].weight = 1000;
  RoundRobin policy(1);
  policy.set_servers(fleet.all);

  EXPECT_FALSE(fleet.counts(policy, 1000, {.avoided = &fleet[0]}).contains(&fleet[0]));
  EXPECT_EQ(fleet.counts(policy, 900)[&fleet[0]], 900) << "it has kept its turns";
}

TEST(RandomPolicy, AvoidsAServerThatHasNearlyAllTheWeight) {
  FleetOfLoads fleet(3);
  fleet[0].weight = 1e9;
  RandomPolicy policy(1);
  policy.set_servers(fleet.all);

  EXPECT_FALSE(fleet.counts(policy, 1000, {.avoided = &fleet[0]}).contains(&fleet[0]));
}

}  // namespace
}  // namespace trunkline::balance
