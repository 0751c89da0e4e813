// SPDX-License-Identifier: MIT
// Servers of a fleet get calls while they say that they are serving.
#include "base/protobuf_fields.h"
#include "unit/client/fleet_fixture.h"

#include <trunkline/health.h>
#include <trunkline/interceptor.h>

#include <gtest/gtest.h>

namespace trunkline::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FleetHealth : public FleetFixture {
 protected:
  FleetHealth() {
    for (auto& [port, network] : networks) {
      watches[port];
      network->on_watch = [this, port = port](FakeServer& server, const ServedCall& call) {
        watches[port].push_back({&server, call});
        if (first_answer) answer(port, *first_answer);
      };
    }
  }

  void SetUp() override {
    if (options.codecs.find("protobuf") == nullptr) GTEST_SKIP() << "this build has no protobuf";
  }

  struct Watch {
    FakeServer* server;
    ServedCall call;
  };

  /// What the last watch of the server gets.
  void say(std::uint16_t port, ServingStatus status) {
    on_loop([&] { answer(port, status); });
  }
  void answer(std::uint16_t port, ServingStatus status) {
    std::string text;
    base::append_protobuf_varint(1, static_cast<std::uint64_t>(status), text);
    const Watch& watch = watches[port].back();
    watch.server->send(watch.call.id, text);
  }
  void end_watch(std::uint16_t port, const Status& status) {
    const Watch& watch = watches[port].back();
    on_loop([&] { watch.server->refuse(watch.call.id, status, false); });
  }
  void make_calls(int count) {
    for (int i = 0; i < count; ++i) call();
  }
  std::size_t calls_next(std::uint16_t port, int count) {
    const std::size_t before = calls()[port - 1];
    make_calls(count);
    return calls()[port - 1] - before;
  }
  ServerState state_of(std::uint16_t port) const { return servers()[port - 1u]; }

  std::map<std::uint16_t, std::vector<Watch>> watches;
  /// Empty: none is given at once.
  std::optional<ServingStatus> first_answer = ServingStatus::serving;
};

TEST_F(FleetHealth, UsesAServerOnceItSaysThatItIsServing) {
  first_answer.reset();
  const auto outcome = call();
  EXPECT_EQ(outcome->count, 0);
  EXPECT_EQ(fleet->state(), ChannelState::connecting);
  EXPECT_FALSE(state_of(1).is_ready);

  say(2, ServingStatus::serving);

  EXPECT_TRUE(outcome->status().is_ok());
  EXPECT_EQ(fleet->state(), ChannelState::ready);
  EXPECT_EQ(calls(), (std::vector<std::size_t>{0, 1, 0}));
}

TEST_F(FleetHealth, TakesAServerOutAndBackIn) {
  make_calls(3);

  say(2, ServingStatus::not_serving);
  EXPECT_EQ(calls_next(2, 30), 0u);
  EXPECT_FALSE(state_of(2).is_ready);
  EXPECT_THAT(std::string(state_of(2).last_error.message()), HasSubstr("not serving"));

  say(2, ServingStatus::serving);
  EXPECT_EQ(calls_next(2, 30), 10u);
  EXPECT_TRUE(state_of(2).last_error.is_ok());
}

TEST_F(FleetHealth, TakesUnknownServicesForNotServing) {
  first_answer = ServingStatus::service_unknown;
  EXPECT_EQ(call()->status().code(), StatusCode::unavailable);
  first_answer = ServingStatus::unknown;
  make_channel();
  EXPECT_EQ(call()->status().code(), StatusCode::unavailable);
}

TEST_F(FleetHealth, LetsOpenCallsGoOn) {
  for (auto& [port, network] : networks) network->on_call = nullptr;
  std::vector<std::shared_ptr<Outcome>> open;
  for (int i = 0; i < 3; ++i) open.push_back(call());

  say(2, ServingStatus::not_serving);
  FakeServer& server = networks.at(2)->server(0);
  on_loop([&] { server.respond(server.calls.front().id, "late"); });

  EXPECT_EQ(std::count_if(open.begin(), open.end(), [](const auto& o) { return o->status().is_ok(); }), 1);
}

TEST_F(FleetHealth, FailsCallsIfNoServerIsServing) {
  first_answer = ServingStatus::not_serving;

  const auto outcome = call();

  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_THAT(std::string(outcome->status().message()), HasSubstr("not serving"));
  EXPECT_FALSE(outcome->status().may_have_run());
  EXPECT_EQ(fleet->state(), ChannelState::failing);
  const auto waiting = call({.wait_for_ready = true});
  EXPECT_EQ(waiting->count, 0);
  say(3, ServingStatus::serving);
  EXPECT_TRUE(waiting->status().is_ok());
}

TEST_F(FleetHealth, UsesServersThatDoNotServeOrRefuseIt) {
  for (const StatusCode code :
       {StatusCode::unimplemented, StatusCode::unauthenticated, StatusCode::permission_denied}) {
    first_answer.reset();
    make_channel();
    const auto outcome = call();
    for (std::uint16_t port = 1; port <= 3; ++port) end_watch(port, {code, "no"});
    EXPECT_TRUE(outcome->status().is_ok());
    const std::size_t before = watches[1].size();
    advance(std::chrono::minutes(10));
    EXPECT_EQ(watches[1].size(), before) << "it is not asked again";
  }
}

TEST_F(FleetHealth, WatchesAgainWhenTheWatchBreaks) {
  make_calls(3);
  say(2, ServingStatus::not_serving);

  end_watch(2, {StatusCode::internal, "broken"});
  EXPECT_EQ(watches[2].size(), 1u);
  first_answer.reset();
  advance(milliseconds(101));
  EXPECT_EQ(watches[2].size(), 2u);
  EXPECT_EQ(calls_next(2, 30), 0u) << "the last answer is in force";

  end_watch(2, Status());
  advance(milliseconds(101));
  EXPECT_EQ(watches[2].size(), 2u) << "the pause grows";
  advance(milliseconds(60));
  EXPECT_EQ(watches[2].size(), 3u);
  say(2, ServingStatus::serving);
  EXPECT_EQ(calls_next(2, 30), 10u);
}

TEST_F(FleetHealth, UsesAServerThatBreaksOrHoldsBackItsFirstAnswer) {
  first_answer.reset();
  const auto outcome = call();

  end_watch(2, {StatusCode::internal, "broken"});
  EXPECT_TRUE(outcome->status().is_ok());
  EXPECT_EQ(calls_next(1, 10), 0u);
  advance(seconds(5));
  EXPECT_GE(calls_next(1, 30), 10u);
}

TEST_F(FleetHealth, DoesNotUnderstandAnotherAnswer) {
  first_answer.reset();
  const auto outcome = call();

  const Watch& watch = watches[1].back();
  on_loop([&] { watch.server->send(watch.call.id, "\xFF"); });

  EXPECT_TRUE(outcome->status().is_ok());
}

TEST_F(FleetHealth, AsksAgainWhenAServerIsConnectedAgain) {
  make_calls(3);
  first_answer.reset();

  on_loop([&] { networks.at(2)->server(0).cut(); });
  advance(seconds(1));
  EXPECT_EQ(watches[2].size(), 2u);
  EXPECT_EQ(calls_next(2, 30), 0u);
  say(2, ServingStatus::serving);

  EXPECT_EQ(calls_next(2, 30), 10u);
}

TEST_F(FleetHealth, FollowsAnotherConnectionOfTheServer) {
  options.max_connections = 2;
  at_start = {server_at(1)};
  networks.at(1)->on_call = nullptr;
  make_channel();
  const auto first = call(), second = call();
  ASSERT_EQ(networks.at(1)->servers.size(), 2u);
  ASSERT_EQ(watches[1].size(), 1u);

  on_loop([&] { networks.at(1)->server(0).drain(); });

  EXPECT_EQ(watches[1].size(), 2u);
  EXPECT_EQ(watches[1].back().server, networks.at(1)->servers[1].get());
}

TEST_F(FleetHealth, NamesTheServiceThatIsWatched) {
  call();
  EXPECT_EQ(watches[1].back().call.payload, "");
  options.balancing.health_service = "example.Echo";
  make_channel();

  call();

  EXPECT_EQ(watches[1].back().call.payload, std::string("\n\x0C") + "example.Echo");
}

TEST_F(FleetHealth, NamesTheServiceOfTheServiceConfig) {
  options.balancing.health_service = "example.Other";
  options.service_config = R"({"healthCheckConfig": {"serviceName": "example.Echo"}})";
  make_channel();

  call();

  EXPECT_EQ(watches[1].back().call.payload, std::string("\n\x0C") + "example.Echo");
}

TEST_F(FleetHealth, AsksForTheServiceOfAServiceConfigThatComesLater) {
  call();
  ASSERT_EQ(watches[1].size(), 1u);
  first_answer.reset();
  const std::string config = R"({"healthCheckConfig": {"serviceName": "example.Echo"}})";

  on_loop([&] { updates->update({.servers = at_start, .service_config = config}); });
  settle();

  ASSERT_EQ(watches[1].size(), 2u);
  EXPECT_THAT(watches[1][1].call.payload, HasSubstr("example.Echo"));
  EXPECT_TRUE(state_of(1).is_ready) << "what was said before holds until the answer";
  say(1, ServingStatus::not_serving);
  EXPECT_FALSE(state_of(1).is_ready);
  on_loop([&] { updates->update({.servers = at_start, .service_config = config}); });
  EXPECT_EQ(watches[1].size(), 2u) << "nothing has changed";
}

TEST_F(FleetHealth, WatchesNothingIfItIsSwitchedOff) {
  options.balancing.health_check = false;
  make_channel();

  EXPECT_TRUE(call()->status().is_ok());
  EXPECT_TRUE(watches[1].empty());
}

TEST_F(FleetHealth, IsNoCallOfTheUsers) {
  class Counter final : public Interceptor {
   public:
    Status on_start(CallInfo&) override {
      ++count;
      return {};
    }
    int count = 0;
  };
  const auto counter = std::make_shared<Counter>();
  options.interceptors = {counter};
  make_channel();
  call();

  EXPECT_EQ(counter->count, 1);
  EXPECT_EQ(core->invoker().source().open_calls(), 0u);
  EXPECT_FALSE(core->invoker().has_work_left());
  std::uint64_t started = 0;
  for (const ServerState& state : servers()) started += state.started_calls + state.open_calls;
  EXPECT_EQ(started, 1u);
}

TEST_F(FleetHealth, DoesNotKeepAConnectionFromDraining) {
  call();

  on_loop([&] { networks.at(2)->server(0).drain(); });
  EXPECT_TRUE(networks.at(2)->server(0).closed) << "of the server";
  report({server_at(1)});
  EXPECT_TRUE(networks.at(3)->server(0).closed) << "of this side";
}

TEST_F(FleetHealth, DoesNotKeepAConnectionFromBeingIdle) {
  options.idle_timeout = seconds(10);
  make_channel();
  call();

  advance(seconds(9));
  say(1, ServingStatus::serving);
  advance(seconds(2));

  EXPECT_TRUE(networks.at(1)->server(0).closed);
  EXPECT_TRUE(networks.at(2)->server(0).closed);
  EXPECT_EQ(fleet->state(), ChannelState::idle);
}

TEST_F(FleetHealth, DoesNotTakeThePlaceOfTheOnlyCall) {
  for (auto& [port, network] : networks) network->max_concurrent_calls = 1;

  EXPECT_TRUE(call()->status().is_ok());
  EXPECT_TRUE(state_of(1).is_ready);
}

TEST_F(FleetHealth, EndsWithTheChannel) {
  call();

  fleet.reset();
  core.reset();
  settle();

  for (auto& [port, network] : networks) EXPECT_TRUE(network->server(0).closed) << port;
}

TEST_F(FleetHealth, DoesNotFeedTheBackoffOfConnections) {
  for (auto& [port, network] : networks) {
    network->on_watch = [](FakeServer& server, const ServedCall& call) {
      server.refuse(call.id, {StatusCode::unimplemented, "no"}, false);
      server.drain();
    };
  }

  call({.timeout = seconds(1), .wait_for_ready = true});
  advance(seconds(2));

  EXPECT_LE(networks.at(1)->attempts, 6) << "a connection that served a watch only was of no use";
}

}  // namespace
}  // namespace trunkline::client
