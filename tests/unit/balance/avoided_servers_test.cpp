// SPDX-License-Identifier: MIT
// AvoidedServers: which servers it keeps.
#include "balance/avoided_servers.h"

#include "fleet_of_loads.h"

#include <gtest/gtest.h>

#include <vector>

namespace trunkline::balance {
namespace {

class AvoidedServersTest : public testing::Test {
 protected:
  /// Which of the fleet's servers are avoided.
  std::vector<int> kept(const AvoidedServers& avoided) {
    std::vector<int> kept;
    for (int i = 0; i < 6; ++i) {
      if (avoided.contains(&fleet[static_cast<std::size_t>(i)])) kept.push_back(i);
    }
    return kept;
  }
  AvoidedServers of(const std::vector<int>& servers) {
    AvoidedServers avoided;
    for (const int i : servers) avoided.add(&fleet[static_cast<std::size_t>(i)]);
    return avoided;
  }

  FleetOfLoads fleet{6};
};

TEST_F(AvoidedServersTest, ReplacesTheOldest) {
  EXPECT_TRUE(of({}).empty());
  EXPECT_EQ(kept(of({0, 1, 2, 3})), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(kept(of({0, 1, 2, 3, 4, 5})), (std::vector<int>{2, 3, 4, 5}));
}

TEST_F(AvoidedServersTest, CountsAServerOnceAndAsTheNewest) {
  EXPECT_EQ(kept(of({0, 1, 2, 3, 0, 4})), (std::vector<int>{0, 2, 3, 4}));
}

TEST_F(AvoidedServersTest, IgnoresNull) {
  EXPECT_TRUE(AvoidedServers(nullptr).empty());
  EXPECT_FALSE(AvoidedServers(nullptr).contains(nullptr));
}

TEST_F(AvoidedServersTest, GivesTheLast) {
  EXPECT_EQ(kept(of({0, 1, 2}).last(5)), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(kept(of({0, 1, 2}).last(1)), (std::vector<int>{2}));
  EXPECT_TRUE(of({0, 1, 2}).last(0).empty());
}

TEST_F(AvoidedServersTest, GivesThoseAmongOthersInTheirOrder) {
  const std::vector<ServerLoad*> others{&fleet[5], &fleet[0], &fleet[2]};

  EXPECT_EQ(kept(of({2, 1, 0}).among(others)), (std::vector<int>{0, 2}));
  EXPECT_EQ(kept(of({2, 1, 0}).among(others).last(1)), (std::vector<int>{0}));
}

}  // namespace
}  // namespace trunkline::balance
