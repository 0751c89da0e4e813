// SPDX-License-Identifier: MIT
// The shares of priorities and zones.
#include "balance/tiers.h"

#include "balance/random_policy.h"
#include "fleet_of_loads.h"

namespace trunkline::balance {
namespace {

std::unique_ptr<Policy> make_random(std::uint64_t seed) { return std::make_unique<RandomPolicy>(seed); }

/// Ten servers in each of the tiers; the first `ready` of the first tier are ready, and all others.
struct TwoTiers {
  TwoTiers() : fleet(20), policy(1, make_random) {}
  int share_of_first(std::size_t ready, std::size_t ready_of_second = 10) {
    policy.set_listed(fleet.all);
    std::vector<ServerLoad*> servers(fleet.all.begin(), fleet.all.begin() + static_cast<std::ptrdiff_t>(ready));
    servers.insert(servers.end(), fleet.all.begin() + 10,
                   fleet.all.begin() + static_cast<std::ptrdiff_t>(10 + ready_of_second));
    policy.set_servers(servers);
    int first = 0;
    for (const auto& [server, count] : fleet.counts(policy, 10000)) {
      for (std::size_t i = 0; i < 10; ++i) first += server == &fleet[i] ? count : 0;
    }
    return first;
  }

  FleetOfLoads fleet;
  Tiers policy;
};

TEST(Tiers, UseTheLowestPriorityWhileEnoughOfItIsReady) {
  TwoTiers tiers;
  for (std::size_t i = 10; i < 20; ++i) tiers.fleet[i].priority = 1;

  EXPECT_EQ(tiers.share_of_first(10), 10000);
  EXPECT_EQ(tiers.share_of_first(8), 10000);
  EXPECT_NEAR(tiers.share_of_first(5), 7000, 200);
  EXPECT_NEAR(tiers.share_of_first(1), 1400, 200);
  EXPECT_EQ(tiers.share_of_first(0), 0);
  EXPECT_EQ(tiers.share_of_first(10), 10000);
}

TEST(Tiers, ShareTheCallsIfAllTogetherHaveTooFewServers) {
  TwoTiers tiers;
  for (std::size_t i = 10; i < 20; ++i) tiers.fleet[i].priority = 1;

  EXPECT_NEAR(tiers.share_of_first(2, 2), 5000, 200);
  EXPECT_EQ(tiers.share_of_first(1, 0), 10000);
}

TEST(Tiers, PreferTheOwnZone) {
  TwoTiers tiers;
  for (std::size_t i = 0; i < 10; ++i) tiers.fleet[i].is_local = true;

  EXPECT_EQ(tiers.share_of_first(10), 10000);
  EXPECT_NEAR(tiers.share_of_first(5), 7000, 200);
  EXPECT_EQ(tiers.share_of_first(0), 0);
  EXPECT_EQ(tiers.share_of_first(5, 0), 10000);
}

TEST(Tiers, LeaveThePriorityOnlyIfAllItsZonesAreShort) {
  FleetOfLoads fleet(30);
  for (std::size_t i = 0; i < 10; ++i) fleet[i].is_local = true;
  for (std::size_t i = 20; i < 30; ++i) fleet[i].priority = 1;
  Tiers policy(1, make_random);
  policy.set_listed(fleet.all);
  policy.set_servers(std::vector<ServerLoad*>(fleet.all.begin() + 5, fleet.all.end()));

  const auto counts = fleet.counts(policy, 10000);

  for (std::size_t i = 20; i < 30; ++i) EXPECT_FALSE(counts.contains(&fleet[i]));
}

TEST(Tiers, FollowAServerToAnotherTier) {
  TwoTiers tiers;
  ASSERT_NE(tiers.share_of_first(10), 10000);
  for (std::size_t i = 10; i < 20; ++i) tiers.fleet[i].priority = 1;

  EXPECT_EQ(tiers.share_of_first(10), 10000);
}

TEST(Tiers, AvoidsServersOfATierThoughOthersWereTriedLater) {
  FleetOfLoads fleet(4);
  fleet[2].priority = fleet[3].priority = 1;
  Tiers policy(1, make_random);
  policy.set_servers(fleet.all);
  AvoidedServers avoided;
  for (std::size_t i : {0, 2, 3}) avoided.add(&fleet[i]);

  EXPECT_EQ(fleet.counts(policy, 1000, {.avoided = avoided})[&fleet[0]], 0);
}

TEST(Tiers, CallsOfOneKeyFindOneTier) {
  TwoTiers tiers;
  for (std::size_t i = 10; i < 20; ++i) tiers.fleet[i].priority = 1;
  ASSERT_NEAR(tiers.share_of_first(5), 7000, 200);

  int first = 0;
  for (std::uint64_t key = 1; key <= 500; ++key) {
    const CallHints hints{.key = key * 0x9e3779b97f4a7c15u, .has_key = true};
    const auto priority = tiers.policy.choose(hints, tiers.fleet.now)->priority;
    for (int i = 0; i < 5; ++i) EXPECT_EQ(tiers.policy.choose(hints, tiers.fleet.now)->priority, priority);
    first += priority == 0 ? 1 : 0;
  }
  EXPECT_NEAR(first, 350, 60);
}

}  // namespace
}  // namespace trunkline::balance
