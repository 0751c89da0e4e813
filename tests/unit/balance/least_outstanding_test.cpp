// SPDX-License-Identifier: MIT
// The server with the fewest open calls.
#include "balance/least_outstanding.h"

#include "fleet_of_loads.h"

namespace trunkline::balance {
namespace {

TEST(LeastOutstanding, LevelsTheOpenCallsByTheWeights) {
  FleetOfLoads fleet(5);
  fleet[4].weight = 4;
  LeastOutstanding policy(1);
  policy.set_servers(fleet.all);

  for (int i = 0; i < 800; ++i) policy.choose({}, fleet.now)->on_started();

  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(fleet[i].outstanding(), 100, 1);
  EXPECT_NEAR(fleet[4].outstanding(), 400, 4);
}

TEST(LeastOutstanding, HearsOfCallsThatEnd) {
  FleetOfLoads fleet(7);
  LeastOutstanding policy(1);
  policy.set_servers(fleet.all);
  for (int i = 0; i < 70; ++i) policy.choose({}, fleet.now)->on_started();

  fleet[3].on_ended(Outcome::served);

  EXPECT_EQ(policy.choose({}, fleet.now), &fleet[3]);
}

TEST(LeastOutstanding, ChoosesAmongEqualsInTurn) {
  FleetOfLoads fleet(10);
  LeastOutstanding policy(1);
  policy.set_servers(fleet.all);

  for (const auto& [server, count] : fleet.counts(policy, 10000)) EXPECT_NEAR(count, 1000, 1);
}

TEST(LeastOutstanding, BeginsAtARandomServer) {
  FleetOfLoads fleet(10);
  std::map<const ServerLoad*, int> counts;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    LeastOutstanding policy(seed);
    policy.set_servers(fleet.all);
    ++counts[policy.choose({}, fleet.now)];
  }

  EXPECT_EQ(counts.size(), 10u);
  for (const auto& [server, count] : counts) EXPECT_NEAR(count, 100, 40);
}

TEST(LeastOutstanding, SeesAServerGrowThatGetsNoCalls) {
  FleetOfLoads fleet(2);
  fleet[0].on_started();
  fleet[1].slow_start = std::chrono::seconds(10);
  fleet[1].ready_since = fleet.now;
  LeastOutstanding policy(1);
  policy.set_servers(fleet.all);
  ASSERT_EQ(policy.choose({}, fleet.now), &fleet[0]);

  fleet.now += std::chrono::seconds(10);
  policy.choose({}, fleet.now);
  policy.choose({}, fleet.now);

  EXPECT_EQ(policy.choose({}, fleet.now), &fleet[1]);
}

TEST(LeastOutstanding, LeavesTheServersWhenItEnds) {
  FleetOfLoads fleet(2);
  {
    LeastOutstanding policy(1);
    policy.set_servers(fleet.all);
  }

  EXPECT_EQ(fleet[0].observer, nullptr);
}

}  // namespace
}  // namespace trunkline::balance
