// SPDX-License-Identifier: MIT
// The server with the least latency.
#include "balance/least_time.h"

#include "fleet_of_loads.h"

namespace trunkline::balance {
namespace {

using std::chrono::milliseconds;

TEST(LeastTime, TriesEveryServerOnceAndThenPrefersTheFastest) {
  FleetOfLoads fleet(8);
  LeastTime policy(1);
  policy.set_servers(fleet.all);

  std::map<ServerLoad*, int> counts;
  for (int i = 0; i < 8000; ++i) {
    ServerLoad* const chosen = policy.choose({}, fleet.now);
    chosen->on_started();
    chosen->on_ended(Outcome::served, milliseconds(chosen == &fleet[5] ? 5 : 20), fleet.now);
    ++counts[chosen];
  }

  EXPECT_EQ(counts.size(), 8u);
  EXPECT_NEAR(counts[&fleet[5]], 8000 * 15 / 16 + 8000 / 16 / 8, 100);
}

TEST(LeastTime, GivesAnUnmeasuredServerOneCallBeforeItsFirstLatency) {
  FleetOfLoads fleet(2);
  fleet[0].on_started();
  fleet[0].on_ended(Outcome::served, milliseconds(10), fleet.now);
  LeastTime policy(1);
  policy.set_servers(fleet.all);

  for (int i = 0; i < 320; ++i) policy.choose({}, fleet.now)->on_started();

  EXPECT_GE(fleet[1].outstanding(), 1u);
  EXPECT_LT(fleet[1].outstanding(), 30u);
}

TEST(LeastTime, PrefersServersThatHaveAnsweredToOneThatOnlyFails) {
  FleetOfLoads fleet(2);
  LeastTime policy(1);
  policy.set_servers(fleet.all);

  int failing = 0;
  for (int i = 0; i < 1600; ++i) {
    ServerLoad* const chosen = policy.choose({}, fleet.now);
    const bool fails = chosen == &fleet[1];
    chosen->on_started();
    chosen->on_ended(fails ? Outcome::failed : Outcome::served, milliseconds(fails ? 1 : 10), fleet.now);
    if (fails) ++failing;
  }

  EXPECT_LT(failing, 100) << "one of 32 is random";
}

TEST(LeastTime, RelatesTheLatencyToTheWeight) {
  FleetOfLoads fleet(2);
  for (ServerLoad* const load : fleet.all) {
    load->on_started();
    load->on_ended(Outcome::served, milliseconds(10), fleet.now);
  }
  fleet[1].weight = 2;
  LeastTime policy(1);
  policy.set_servers(fleet.all);

  EXPECT_GT(fleet.counts(policy, 1000)[&fleet[1]], 900);
}

}  // namespace
}  // namespace trunkline::balance
