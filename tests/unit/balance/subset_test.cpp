// SPDX-License-Identifier: MIT
// Even use, and stability when the set changes.
#include "balance/subset.h"

#include "fleet_of_loads.h"

#include <algorithm>

namespace trunkline::balance {
namespace {

TEST(Subset, IsTheWholeSetIfThatIsSmallEnough) {
  FleetOfLoads fleet(5);

  EXPECT_EQ(choose_subset(fleet.all, 0, 1), fleet.all);
  EXPECT_EQ(choose_subset(fleet.all, 5, 1), fleet.all);
  EXPECT_EQ(choose_subset(fleet.all, 3, 1).size(), 3u);
  EXPECT_TRUE(choose_subset({}, 3, 1).empty());
}

TEST(Subset, ManyClientsUseAllServersByTheirWeights) {
  FleetOfLoads fleet(100);
  fleet[7].weight = 2;

  std::map<ServerLoad*, int> users;
  for (std::uint64_t client = 0; client < 10000; ++client) {
    for (ServerLoad* const server : choose_subset(fleet.all, 10, client)) ++users[server];
  }

  for (std::size_t i = 0; i < 100; ++i) {
    if (i == 7) continue;
    EXPECT_NEAR(users[&fleet[i]], 1000, 150) << i;
  }
  EXPECT_NEAR(users[&fleet[7]], 1900, 150);
}

TEST(Subset, ChangesByAtMostOneServer) {
  FleetOfLoads fleet(50);
  for (std::uint64_t client = 0; client < 100; ++client) {
    const auto before = choose_subset(fleet.all, 10, client);
    auto fewer = fleet.all;
    std::erase(fewer, before[3]);
    const auto after = choose_subset(fewer, 10, client);

    std::vector<ServerLoad*> kept;
    for (ServerLoad* const server : after) {
      if (std::find(before.begin(), before.end(), server) != before.end()) kept.push_back(server);
    }
    EXPECT_EQ(kept.size(), 9u);
  }
}

}  // namespace
}  // namespace trunkline::balance
