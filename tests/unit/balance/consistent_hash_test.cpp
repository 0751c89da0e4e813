// SPDX-License-Identifier: MIT
// Which server a key finds, and how many keys move.
#include "balance/consistent_hash.h"

#include "balance/key_hash.h"
#include "fleet_of_loads.h"

#include <cmath>
#include <string>

namespace trunkline::balance {
namespace {

CallHints key(int i) { return {.key = hash_of_key("key " + std::to_string(i)), .has_key = true}; }

std::vector<ServerLoad*> servers_of_keys(Policy& policy, int keys, base::TimePoint now) {
  std::vector<ServerLoad*> servers;
  for (int i = 0; i < keys; ++i) servers.push_back(policy.choose(key(i), now));
  return servers;
}

TEST(ConsistentHash, SpreadsKeysByTheWeights) {
  FleetOfLoads fleet(10);
  fleet[9].weight = 3;
  ConsistentHash policy(1, 1.25);
  policy.set_servers(fleet.all);

  std::map<ServerLoad*, int> counts;
  for (ServerLoad* const server : servers_of_keys(policy, 12000, fleet.now)) ++counts[server];

  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(counts[&fleet[i]], 1000, 400);
  EXPECT_NEAR(counts[&fleet[9]], 3000, 700);
}

TEST(ConsistentHash, IsTheSameForEveryClient) {
  FleetOfLoads fleet(20);
  FleetOfLoads reversed(20);
  std::reverse(reversed.all.begin(), reversed.all.end());
  ConsistentHash first(1, 1.25), second(99, 2);
  first.set_servers(fleet.all);
  second.set_servers(reversed.all);

  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(first.choose(key(i), {})->identity, second.choose(key(i), {})->identity);
  }
}

TEST(ConsistentHash, MovesOnlyTheKeysOfAServerThatGoes) {
  FleetOfLoads fleet(10);
  ConsistentHash policy(1, 1.25);
  policy.set_servers(fleet.all);
  const auto before = servers_of_keys(policy, 2000, fleet.now);

  std::erase(fleet.all, &fleet[4]);
  policy.set_servers(fleet.all);
  const auto after = servers_of_keys(policy, 2000, fleet.now);

  int moved = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == &fleet[4]) {
      ++moved;
      EXPECT_NE(after[i], &fleet[4]);
    } else {
      EXPECT_EQ(after[i], before[i]);
    }
  }
  EXPECT_GT(moved, 0);
}

TEST(ConsistentHash, BoundsTheOpenCallsOfTheServerOfAHotKey) {
  FleetOfLoads fleet(10);
  ConsistentHash policy(1, 1.25);
  policy.set_servers(fleet.all);

  for (int open = 1; open <= 1000; ++open) {
    policy.choose(key(0), fleet.now)->on_started();
    for (ServerLoad* const server : fleet.all) ASSERT_LE(server->outstanding(), std::ceil(1.25 * open / 10));
  }
}

TEST(ConsistentHash, BoundsTheOpenCallsWhileAllServersStart) {
  FleetOfLoads fleet(10);
  for (ServerLoad* const load : fleet.all) {
    load->slow_start = std::chrono::seconds(10);
    load->ready_since = fleet.now;
  }
  ConsistentHash policy(1, 1.25);
  policy.set_servers(fleet.all);

  for (int i = 0; i < 1000; ++i) policy.choose(key(1), fleet.now)->on_started();

  for (ServerLoad* const load : fleet.all) EXPECT_LE(load->outstanding(), 126u);
}

TEST(ConsistentHash, ReturnsToTheServerOfTheKey) {
  FleetOfLoads fleet(10);
  ConsistentHash policy(1, 1.25);
  policy.set_servers(fleet.all);
  ServerLoad* const home = policy.choose(key(0), fleet.now);
  home->on_started();
  ASSERT_NE(policy.choose(key(0), fleet.now), home);

  home->on_ended(Outcome::served);

  EXPECT_EQ(policy.choose(key(0), fleet.now), home);
}

TEST(ConsistentHash, ChoosesByLoadWithoutAKey) {
  FleetOfLoads fleet(2);
  ConsistentHash policy(1, 1.25);
  policy.set_servers(fleet.all);
  fleet[0].on_started();
  fleet[0].on_started();

  EXPECT_EQ(fleet.counts(policy, 100)[&fleet[1]], 100);
}

}  // namespace
}  // namespace trunkline::balance
