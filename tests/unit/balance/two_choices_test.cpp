// SPDX-License-Identifier: MIT
// Which of two servers is chosen.
#include "balance/two_choices.h"

#include "fleet_of_loads.h"

namespace trunkline::balance {
namespace {

using std::chrono::milliseconds;

void measure(ServerLoad& load, milliseconds latency, base::TimePoint now) {
  load.on_started();
  load.on_ended(Outcome::served, latency, now);
}

TEST(TwoChoices, SpreadsCallsOverEqualServers) {
  FleetOfLoads fleet(10);
  TwoChoices policy(1);
  policy.set_servers(fleet.all);

  const auto counts = fleet.counts(policy, 10000);

  EXPECT_EQ(counts.size(), 10u);
  for (const auto& [server, count] : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(TwoChoices, TakesTheFasterOneAndTheOneWithFewerCalls) {
  FleetOfLoads fleet(2);
  measure(fleet[0], milliseconds(10), fleet.now);
  measure(fleet[1], milliseconds(30), fleet.now);
  TwoChoices policy(1);
  policy.set_servers(fleet.all);

  EXPECT_EQ(policy.choose({}, fleet.now), &fleet[0]);
  for (int i = 0; i < 3; ++i) fleet[0].on_started();
  EXPECT_EQ(policy.choose({}, fleet.now), &fleet[1]);
}

TEST(TwoChoices, WeighsTheServers) {
  FleetOfLoads fleet(2);
  for (ServerLoad* const load : fleet.all) measure(*load, milliseconds(10), fleet.now);
  fleet[1].weight = 3;
  TwoChoices policy(1);
  policy.set_servers(fleet.all);

  for (int i = 0; i < 400; ++i) policy.choose({}, fleet.now)->on_started();

  EXPECT_NEAR(fleet[1].outstanding(), 300, 2);
}

TEST(TwoChoices, GivesAnUnmeasuredServerOneCallBeforeItsFirstLatency) {
  FleetOfLoads fleet(2);
  measure(fleet[0], milliseconds(10), fleet.now);
  TwoChoices policy(1);
  policy.set_servers(fleet.all);

  for (int i = 0; i < 100; ++i) policy.choose({}, fleet.now)->on_started();

  EXPECT_NEAR(fleet[1].outstanding(), 50, 2);
}

TEST(TwoChoices, GivesAServerThatOnlyFailsNoMoreThanItsShare) {
  FleetOfLoads fleet(3);
  measure(fleet[0], milliseconds(10), fleet.now);
  measure(fleet[1], milliseconds(10), fleet.now);
  TwoChoices policy(1);
  policy.set_servers(fleet.all);

  int failing = 0;
  for (int i = 0; i < 900; ++i) {
    ServerLoad* const chosen = policy.choose({}, fleet.now);
    if (chosen == &fleet[2]) ++failing;
    chosen->on_started();
    chosen->on_ended(chosen == &fleet[2] ? Outcome::failed : Outcome::served, milliseconds(1), fleet.now);
  }

  EXPECT_LT(failing, 360);
}

TEST(TwoChoices, GivesAServerThatStartsFewerCalls) {
  FleetOfLoads fleet(2);
  for (ServerLoad* const load : fleet.all) measure(*load, milliseconds(10), fleet.now);
  fleet[1].slow_start = std::chrono::seconds(10);
  fleet[1].ready_since = fleet.now - std::chrono::seconds(1);
  TwoChoices policy(1);
  policy.set_servers(fleet.all);

  for (int i = 0; i < 110; ++i) policy.choose({}, fleet.now)->on_started();

  EXPECT_NEAR(fleet[1].outstanding(), 10, 1);
}

/// Servers of which every third has not answered within a second.
struct FleetWithSilentThird : FleetOfLoads {
  explicit FleetWithSilentThird(std::size_t count) : FleetOfLoads(count) {
    for (std::size_t i = 0; i < count; ++i) measure(*loads[i], milliseconds(is_silent(*loads[i]) ? 1000 : 10), now);
  }
  static bool is_silent(const ServerLoad& load) { return load.identity % 3 == 0; }
  int silent_choices(Policy& policy, int choices) const {
    int count = 0;
    for (const auto& [server, chosen] : counts(policy, choices)) count += is_silent(*server) ? chosen : 0;
    return count;
  }
};

TEST(TwoChoices, DrawsAgainWhileBothAreFarWorseThanUsual) {
  FleetWithSilentThird fleet(21);
  TwoChoices policy(1);
  policy.set_servers(fleet.all);

  policy.choose({}, fleet.now);

  EXPECT_LT(fleet.silent_choices(policy, 10000), 10) << "one pair in ten is silent";
}

TEST(TwoChoices, GetsUsedToServersThatAllBecomeSlow) {
  FleetOfLoads fleet(10);
  for (ServerLoad* const load : fleet.all) measure(*load, milliseconds(10), fleet.now);
  TwoChoices policy(1);
  policy.set_servers(fleet.all);
  fleet.counts(policy, 100);

  for (ServerLoad* const load : fleet.all) measure(*load, milliseconds(1000), fleet.now);
  const auto counts = fleet.counts(policy, 10000);

  EXPECT_EQ(counts.size(), 10u);
  for (const auto& [server, count] : counts) EXPECT_NEAR(count, 1000, 150);
}

TEST(TwoChoices, ChoosesAlthoughAllButTheAvoidedAreFarWorse) {
  FleetOfLoads fleet(2);
  measure(fleet[0], milliseconds(10), fleet.now);
  measure(fleet[1], milliseconds(1000), fleet.now);
  TwoChoices policy(1);
  policy.set_servers(fleet.all);
  fleet.counts(policy, 100);

  EXPECT_EQ(policy.choose({.avoided = &fleet[0]}, fleet.now), &fleet[1]);
}

}  // namespace
}  // namespace trunkline::balance
