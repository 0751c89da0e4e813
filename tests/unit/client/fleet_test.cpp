// SPDX-License-Identifier: MIT
// A channel to several servers: what the resolver reports, which servers get calls, and what happens when they go.
#include "unit/client/fleet_fixture.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <thread>
#include <vector>

namespace trunkline::client {
namespace {

class FleetOfThree : public FleetFixture {};

TEST_F(FleetOfThree, StartsItsResolverWithTheFirstCall) {
  EXPECT_EQ(updates, nullptr);
  EXPECT_EQ(fleet->state(), ChannelState::idle);
  EXPECT_EQ(call()->status(), Status());
  EXPECT_NE(updates, nullptr);
  EXPECT_EQ(fleet->state(), ChannelState::ready);
}

TEST_F(FleetOfThree, SpreadsCalls) {
  call();
  for (int i = 0; i < 30; ++i) EXPECT_TRUE(call()->status().is_ok());
  for (const std::size_t count : calls()) EXPECT_GE(count, 10u);
}

TEST_F(FleetOfThree, SpreadsCallsByWeight) {
  at_start[0].weight = 8;
  call();
  for (int i = 0; i < 100; ++i) call();
  EXPECT_NEAR(static_cast<double>(calls()[0]), 80, 2);
}

TEST_F(FleetOfThree, PassesOverAServerThatRefusesConnections) {
  networks.at(2)->refusals = 100;
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(call()->status().is_ok());
  EXPECT_EQ(calls()[1], 0u);
  EXPECT_GE(refreshes, 1);
}

TEST_F(FleetOfThree, UsesAServerThatComesBack) {
  networks.at(2)->refusals = 1;
  call();
  advance(std::chrono::seconds(1));
  for (int i = 0; i < 30; ++i) EXPECT_TRUE(call()->status().is_ok());
  EXPECT_GE(calls()[1], 8u);
}

TEST_F(FleetOfThree, UsesAServerThatComesBackAfterASilence) {
  options.balancing.policy = BalancingPolicy::two_choices;
  options.balancing.outliers.enabled = false;
  make_channel();
  for (int i = 0; i < 30; ++i) call();
  networks.at(2)->server(0).freeze();
  for (int i = 0; i < 10; ++i) call();
  advance(std::chrono::seconds(2));
  const std::size_t before = calls()[1];

  on_loop([&] { networks.at(2)->server(0).cut(); });
  advance(std::chrono::seconds(1));
  for (int i = 0; i < 60; ++i) EXPECT_TRUE(call()->status().is_ok());

  EXPECT_GE(calls()[1] - before, 5u);
}

TEST_F(FleetOfThree, FailsCallsOnceEveryServerHasFailed) {
  for (auto& [port, network] : networks) network->refusals = 100;
  const auto outcome = call();
  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_FALSE(outcome->status().may_have_run());
  EXPECT_EQ(fleet->state(), ChannelState::failing);
}

TEST_F(FleetOfThree, FailsCallsOnceNoServerIsListedThatMightServeThem) {
  networks.at(1)->refusals = 100;
  networks.at(2)->is_slow = networks.at(3)->is_slow = true;
  const auto outcome = call();
  EXPECT_FALSE(outcome->is_done());

  report({server_at(1)});

  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_THAT(std::string(outcome->status().message()), HasSubstr("connection refused"));
  EXPECT_FALSE(outcome->status().may_have_run());
}

TEST_F(FleetOfThree, FailsCallsWithTheErrorOfItsResolver) {
  at_start.clear();
  const auto outcome = call();
  EXPECT_EQ(outcome->count, 0);
  on_loop([&] { updates->fail({StatusCode::unavailable, "no such name"}); });
  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_NE(outcome->status().message().find("no such name"), std::string::npos);
  EXPECT_FALSE(outcome->status().may_have_run());
}

TEST_F(FleetOfThree, TakesWhatItsResolverThrowsForAFailure) {
  start_throws = true;

  const auto outcome = call();

  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_THAT(std::string(outcome->status().message()), HasSubstr("resolve test://fleet: no table"));
  report(at_start);
  EXPECT_TRUE(call()->status().is_ok());
  refresh_throws = true;
  networks.at(1)->refusals = 100;
  on_loop([&] { networks.at(1)->server(0).cut(); });
  advance(std::chrono::seconds(2));
  EXPECT_GT(refreshes, 0);
  EXPECT_TRUE(call()->status().is_ok());
}

TEST_F(FleetOfThree, RefusesWeightsThatAreOutOfRange) {
  for (const double weight : {0.0, -1.0, 1e7, std::numeric_limits<double>::quiet_NaN()}) {
    at_start[1].weight = weight;
    make_channel();

    const auto outcome = call();

    EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
    EXPECT_THAT(std::string(outcome->status().message()), HasSubstr("tcp://10.0.0.1:2 has the weight"));
  }
}

TEST_F(FleetOfThree, RefusesHostNamesThatNoRequestMayHave) {
  for (const std::string name : {"a b", "a\r\nx: y", "a/b", "me@a"}) {
    at_start[1].host_name = name;
    make_channel();

    const auto outcome = call();

    EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
    EXPECT_THAT(std::string(outcome->status().message()), HasSubstr("tcp://10.0.0.1:2 has a host_name"));
  }
}

TEST_F(FleetOfThree, KeepsItsServersWhenItsResolverFails) {
  call();
  on_loop([&] { updates->fail({StatusCode::unavailable, "no such name"}); });
  EXPECT_TRUE(call()->status().is_ok());
}

TEST_F(FleetOfThree, WaitsForAServerIfTheCallWaits) {
  at_start.clear();
  const auto outcome = call({.wait_for_ready = true});
  on_loop([&] { updates->fail({StatusCode::unavailable, "no such name"}); });
  EXPECT_EQ(outcome->count, 0);
  report({server_at(3)});
  EXPECT_TRUE(outcome->status().is_ok());
}

TEST_F(FleetOfThree, FailsCallsWithoutServers) {
  call();
  report({});
  const auto outcome = call();
  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_NE(outcome->status().message().find("there are no servers"), std::string::npos);
}

TEST_F(FleetOfThree, SendsNoFurtherCallsToAServerThatIsNoLongerListed) {
  on_loop([&] { core->invoker().source().connect(); });
  for (auto& [port, network] : networks) network->servers.at(0)->on_call = nullptr;
  std::vector<std::shared_ptr<Outcome>> outcomes;
  for (int i = 0; i < 3; ++i) outcomes.push_back(call());
  EXPECT_EQ(calls(), (std::vector<std::size_t>{1, 1, 1}));
  report({server_at(2), server_at(3)});
  FakeServer& left = networks.at(1)->server(0);
  on_loop([&] { left.respond(left.calls.front().id, "late"); });
  EXPECT_EQ(std::count_if(outcomes.begin(), outcomes.end(), [](const auto& o) { return o->count == 1; }), 1)
      << "its open call finishes";
  EXPECT_TRUE(left.closed);
  for (int i = 0; i < 10; ++i) call();
  EXPECT_EQ(calls()[0], 1u);
  EXPECT_EQ(servers().size(), 2u);
}

TEST_F(FleetOfThree, KeepsConnectionsOfServersThatAreListedAgain) {
  call();
  report({server_at(3), server_at(2), server_at(1), server_at(1)});
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(call()->status().is_ok());
  for (auto& [port, network] : networks) EXPECT_EQ(network->attempts, 1) << port;
}

TEST_F(FleetOfThree, SendsCallsElsewhereWhenAServerDrains) {
  call();
  networks.at(1)->refusals = 100;
  on_loop([&] { networks.at(1)->server(0).drain(); });
  const std::size_t before = calls()[0];
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(call()->status().is_ok());
  EXPECT_EQ(calls()[0], before);
}

class FleetWithIdleTimeout : public FleetFixture {
 protected:
  FleetWithIdleTimeout() {
    options.idle_timeout = std::chrono::seconds(10);
    make_channel();
  }
  void call_for(std::chrono::seconds time) {
    for (int i = 0; i < time.count(); ++i) {
      EXPECT_TRUE(call()->status().is_ok());
      advance(std::chrono::seconds(1));
    }
  }
  void cut(std::uint16_t port) {
    on_loop([&] { networks.at(port)->servers.back()->cut(); });
  }
  int attempts() const {
    int count = 0;
    for (const auto& [port, network] : networks) count += network->attempts;
    return count;
  }
};

TEST_F(FleetWithIdleTimeout, ConnectsALostServerAgainWhileOthersServeCalls) {
  call_for(std::chrono::seconds(6));
  const std::size_t before = calls()[1];

  networks.at(2)->refusals = 2;
  cut(2);
  call_for(std::chrono::seconds(15));

  EXPECT_GE(calls()[1] - before, 2u);
}

TEST_F(FleetWithIdleTimeout, TriesAServerAgainThatRefusedTheFirstConnection) {
  networks.at(2)->refusals = 1;

  call_for(std::chrono::seconds(15));

  EXPECT_GE(calls()[1], 3u);
}

TEST_F(FleetWithIdleTimeout, ConnectsALostServerAgainWhileACallIsOpen) {
  networks.at(1)->on_call = networks.at(2)->on_call = networks.at(3)->on_call = nullptr;
  call();
  const std::uint16_t rests = calls()[0] == 0 ? 1 : 2;
  advance(std::chrono::seconds(5));

  cut(rests);
  advance(std::chrono::seconds(1));

  EXPECT_EQ(networks.at(rests)->attempts, 2);
}

TEST_F(FleetWithIdleTimeout, LetsConnectionsCloseThatGetNoCalls) {
  options.balancing.policy = BalancingPolicy::pick_first;
  make_channel();

  call_for(std::chrono::seconds(40));

  EXPECT_EQ(attempts(), 3);
}

TEST_F(FleetWithIdleTimeout, ConnectsNoServerAgainOnceItIsIdle) {
  call_for(std::chrono::seconds(3));
  const auto end_connections = [&](int times) {
    for (int i = 0; i < times; ++i) {
      for (auto& [port, network] : networks) cut(port);
      advance(std::chrono::seconds(4));
    }
  };

  end_connections(10);
  const int before = attempts();
  end_connections(10);

  EXPECT_EQ(attempts(), before);
  EXPECT_LE(before, 3 * 7);
}

TEST_F(FleetOfThree, HearsItsResolverOnAnyThread) {
  at_start.clear();
  const auto outcome = call();
  std::thread([&] { updates->update({.servers = {server_at(1)}}); }).join();
  settle();
  EXPECT_TRUE(outcome->status().is_ok());
}

TEST_F(FleetOfThree, TakesTheLastReportOfSeveralThreads) {
  call();

  on_loop([&] {
    std::thread([&] { updates->update({.servers = {server_at(1)}}); }).join();
    updates->update({.servers = {server_at(2)}});
    updates->update({.servers = {server_at(3)}});
  });

  ASSERT_EQ(servers().size(), 1u);
  EXPECT_EQ(servers()[0].endpoint, server_at(3).endpoint);
}

// --- the service config of the resolver ---

const std::string limited = R"({"methodConfig": [{"name": [{}], "timeout": "1s"}]})";

TEST_F(FleetOfThree, AppliesTheServiceConfigOfItsResolverToCallsThatWait) {
  at_start.clear();
  for (auto& [port, network] : networks) network->on_call = nullptr;
  const auto outcome = call();
  EXPECT_EQ(outcome->count, 0);

  on_loop([&] { updates->update({.servers = {server_at(1)}, .service_config = limited}); });
  advance(std::chrono::milliseconds(1001));

  EXPECT_EQ(outcome->status().code(), StatusCode::deadline_exceeded);
}

TEST_F(FleetOfThree, KeepsItsServiceConfigWhenTheNextOneIsWrong) {
  for (auto& [port, network] : networks) network->on_call = nullptr;
  on_loop([&] { core->invoker().source().connect(); });
  on_loop([&] { updates->update({.servers = at_start, .service_config = limited}); });

  on_loop([&] { updates->update({.servers = at_start, .service_config = "{"}); });
  const auto outcome = call();
  advance(std::chrono::milliseconds(1001));

  EXPECT_EQ(outcome->status().code(), StatusCode::deadline_exceeded);
}

TEST_F(FleetOfThree, FollowsThePolicyOfTheServiceConfig) {
  on_loop([&] { core->invoker().source().connect(); });
  const std::string first = R"({"loadBalancingConfig": [{"pick_first": {}}]})";
  on_loop([&] { updates->update({.servers = at_start, .service_config = first}); });

  for (int i = 0; i < 9; ++i) EXPECT_TRUE(call()->status().is_ok());
  const std::vector<std::size_t> of_first = calls();
  EXPECT_EQ(*std::max_element(of_first.begin(), of_first.end()), 9u);

  on_loop([&] { updates->update({.servers = at_start}); });
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(call()->status().is_ok());
  const std::vector<std::size_t> of_both = calls();
  EXPECT_EQ(*std::max_element(of_both.begin(), of_both.end()), 12u);
}

TEST_F(FleetOfThree, DestroysItsResolverAndIgnoresItAfterwards) {
  call();
  core.reset();
  fleet.reset();
  EXPECT_EQ(reporter, nullptr);
  updates->update({.servers = {server_at(1)}});
  updates->fail({StatusCode::unavailable, "late"});
}

TEST_F(FleetOfThree, ShowsItsServers) {
  EXPECT_TRUE(servers().empty());
  networks.at(2)->refusals = 100;
  call();
  const std::vector<ServerState> states = servers();
  ASSERT_EQ(states.size(), 3u);
  EXPECT_TRUE(states[0].is_ready);
  EXPECT_FALSE(states[1].is_ready);
  EXPECT_FALSE(states[1].last_error.is_ok());
  EXPECT_EQ(states[0].started_calls + states[2].started_calls, 1u);
  EXPECT_EQ(states[0].open_calls, 0u);
}

TEST_F(FleetOfThree, UsesNoMoreServersThanItMay) {
  options.balancing.max_servers = 2;
  make_channel();
  for (int i = 0; i < 30; ++i) EXPECT_TRUE(call()->status().is_ok());
  const std::vector<std::size_t> counts = calls();
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 0u), 1);
  EXPECT_EQ(servers().size(), 2u);
  const std::vector<ServerState> before = servers();
  report({server_at(3), server_at(1), server_at(2)});
  std::vector<std::string> endpoints[2];
  for (const ServerState& state : before) endpoints[0].push_back(state.endpoint.to_string());
  for (const ServerState& state : servers()) endpoints[1].push_back(state.endpoint.to_string());
  EXPECT_EQ(endpoints[0], endpoints[1]) << "the same subset";
}

TEST_F(FleetOfThree, CountsServersThatAreListedSeveralTimesOnce) {
  options.balancing.max_servers = 2;
  at_start = {server_at(1), server_at(1), server_at(2), server_at(2), server_at(3), server_at(3)};
  make_channel();

  call();

  EXPECT_EQ(servers().size(), 2u);
}

TEST_F(FleetOfThree, PrefersServersThatComeIntoItsZone) {
  options.balancing.zone = "here";
  make_channel();
  call();
  ResolvedServer near = server_at(2);
  near.zone = "here";
  report({server_at(1), near, server_at(3)});
  const std::vector<std::size_t> before = calls();
  for (int i = 0; i < 30; ++i) call();
  const std::vector<std::size_t> after = calls();
  EXPECT_GT(after[1] - before[1], after[0] - before[0]);
  EXPECT_GT(after[1] - before[1], after[2] - before[2]);
}

TEST_F(FleetOfThree, CountsOpenAndFailedCalls) {
  for (auto& [port, network] : networks) network->on_call = nullptr;
  at_start = {server_at(1)};
  const auto outcome = call();
  EXPECT_EQ(servers()[0].open_calls, 1u);
  FakeServer& server = networks.at(1)->server(0);
  on_loop([&] { server.refuse(server.calls.front().id, {StatusCode::internal, "broken"}, false); });
  EXPECT_EQ(outcome->status().code(), StatusCode::internal);
  EXPECT_EQ(servers()[0].open_calls, 0u);
  EXPECT_EQ(servers()[0].failed_calls, 1u);
}

}  // namespace
}  // namespace trunkline::client
