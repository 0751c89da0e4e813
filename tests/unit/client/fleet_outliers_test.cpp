// SPDX-License-Identifier: MIT
// Servers of a fleet that fail or are slow get no calls for a time.
#include "unit/client/fleet_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trunkline::client {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FleetOutliers : public FleetFixture {
 protected:
  FleetOutliers() : FleetFixture(10) {}

  void make_calls(int count) {
    for (int i = 0; i < count; ++i) call();
  }
  void answer(std::uint16_t port, const Status& status) {
    on_each_connection(port, [status](FakeServer& server, const ServedCall& call) {
      if (status.is_ok()) return echo(server, call);
      server.refuse(call.id, status, false);
    });
  }
  /// Now and from now on.
  void on_each_connection(std::uint16_t port, const std::function<void(FakeServer&, const ServedCall&)>& on_call) {
    networks.at(port)->on_call = on_call;
    for (auto& server : networks.at(port)->servers) server->on_call = on_call;
  }
  std::size_t calls_of(std::uint16_t port) const { return calls()[port - 1]; }
  /// How many of the next calls the server gets.
  std::size_t calls_next(std::uint16_t port, int count) {
    const std::size_t before = calls_of(port);
    make_calls(count);
    return calls_of(port) - before;
  }
  void fail_until_ejected(std::uint16_t port) {
    answer(port, {StatusCode::internal, "broken"});
    int calls_left = 5000;
    do call();
    while (!state_of(port).is_ejected && --calls_left > 0);
  }
  ServerState state_of(std::uint16_t port) const { return servers()[port - 1u]; }
};

TEST_F(FleetOutliers, EjectsAServerThatFailsInARow) {
  answer(3, {StatusCode::internal, "broken"});

  make_calls(60);

  EXPECT_EQ(calls_of(3), 5u);
  EXPECT_TRUE(state_of(3).is_ejected);
  EXPECT_FALSE(state_of(3).is_ready);
  EXPECT_EQ(state_of(3).last_error.code(), StatusCode::unavailable);
  EXPECT_THAT(std::string(state_of(3).last_error.message()), testing::ContainsRegex("ejected until 20..-..-..T"));
}

TEST_F(FleetOutliers, ReturnsAServerAndEjectsItForLongerAgain) {
  answer(3, {StatusCode::unknown, "broken"});
  make_calls(60);

  advance(seconds(29));
  EXPECT_EQ(calls_next(3, 30), 0u);
  advance(seconds(2));
  EXPECT_EQ(calls_next(3, 60), 5u);
  advance(seconds(31));
  EXPECT_EQ(calls_next(3, 30), 0u) << "the second ejection lasts for 60 s";
  advance(seconds(30));
  answer(3, Status());
  EXPECT_EQ(calls_next(3, 30), 3u);
  EXPECT_FALSE(state_of(3).is_ejected);
}

TEST_F(FleetOutliers, StartsAServerThatReturnsSlowly) {
  options.balancing.slow_start = seconds(10);
  make_channel();
  call();
  advance(seconds(11));
  answer(3, {StatusCode::internal, "broken"});
  make_calls(200);
  ASSERT_TRUE(state_of(3).is_ejected);
  answer(3, Status());

  advance(seconds(31));

  EXPECT_LE(calls_next(3, 100), 3u);
  advance(seconds(11));
  // Its next turn was fixed while its share was a tenth.
  make_calls(100);
  EXPECT_EQ(calls_next(3, 100), 10u);
}

TEST_F(FleetOutliers, EjectsAServerThatAnswersNothing) {
  networks.at(3)->on_call = nullptr;

  for (int i = 0; i < 60; ++i) {
    call({.timeout = milliseconds(100)});
    advance(milliseconds(101));
  }

  EXPECT_EQ(calls_of(3), 5u);
  EXPECT_TRUE(state_of(3).is_ejected);
}

TEST_F(FleetOutliers, EjectsAServerThatDoesNotAnswerWithinTheTimeOfAnAttempt) {
  options.service_config = R"({"methodConfig": [{"name": [{}], "retryPolicy": {
      "maxAttempts": 2, "initialBackoff": "0.001s", "maxBackoff": "0.001s", "backoffMultiplier": 1,
      "retryableStatusCodes": ["UNAVAILABLE"], "perAttemptRecvTimeout": "0.1s"}}]})";
  make_channel();
  networks.at(3)->on_call = nullptr;

  for (int i = 0; i < 60; ++i) {
    const auto outcome = call();
    advance(milliseconds(101));
    advance(milliseconds(2));
    EXPECT_TRUE(outcome->status().is_ok());
  }

  EXPECT_EQ(calls_of(3), 5u);
  EXPECT_TRUE(state_of(3).is_ejected);
}

TEST_F(FleetOutliers, EjectsAServerWhoseHostIsFrozen) {
  call();
  networks.at(3)->server(0).freeze();

  for (int i = 0; i < 60; ++i) {
    call({.timeout = milliseconds(100)});
    advance(milliseconds(101));
  }

  EXPECT_TRUE(state_of(3).is_ejected);
}

TEST_F(FleetOutliers, EjectsByTheShareOfFailures) {
  int count = 0;
  on_each_connection(3, [&count](FakeServer& server, const ServedCall& call) {
    if (++count % 2 == 0) return echo(server, call);
    server.refuse(call.id, {StatusCode::data_loss, "broken"}, false);
  });
  make_calls(220);
  EXPECT_FALSE(state_of(3).is_ejected);

  advance(seconds(10));

  EXPECT_TRUE(state_of(3).is_ejected);
}

TEST_F(FleetOutliers, EjectsASlowServer) {
  for (std::uint16_t port = 1; port <= 10; ++port) on_each_connection(port, nullptr);
  const auto respond = [&](std::uint16_t port) {
    FakeServer& server = networks.at(port)->server(0);
    on_loop([&] {
      for (; !server.calls.empty(); server.calls.pop_front()) server.respond(server.calls.front().id, "done");
    });
  };
  for (int i = 0; i < 25; ++i) {
    make_calls(10);
    advance(milliseconds(1));
    for (std::uint16_t port = 1; port <= 10; ++port) {
      if (port != 3) respond(port);
    }
    advance(milliseconds(59));
    respond(3);
  }
  EXPECT_FALSE(state_of(3).is_ejected);

  advance(seconds(10));

  EXPECT_TRUE(state_of(3).is_ejected);
}

TEST_F(FleetOutliers, IgnoresErrorsOfTheApplicationAndOfCallers) {
  for (const StatusCode code : {StatusCode::not_found, StatusCode::invalid_argument, StatusCode::permission_denied,
                                StatusCode::unimplemented, StatusCode::cancelled, StatusCode::resource_exhausted}) {
    answer(3, {code, "no"});
    make_calls(300);
    advance(seconds(10));
  }

  EXPECT_FALSE(state_of(3).is_ejected);
}

TEST_F(FleetOutliers, IgnoresCallsThatWereShed) {
  on_each_connection(3, [](FakeServer& server, const ServedCall& call) {
    server.refuse(call.id, {StatusCode::unavailable, "too many"}, true);
  });

  make_calls(300);
  advance(seconds(10));

  EXPECT_FALSE(state_of(3).is_ejected);
}

TEST_F(FleetOutliers, CountsALostConnectionOnce) {
  on_each_connection(3, nullptr);
  make_calls(100);
  ASSERT_EQ(calls_of(3), 10u);

  on_loop([&] { networks.at(3)->server(0).cut(); });
  advance(seconds(1));

  EXPECT_TRUE(state_of(3).is_ready);
  EXPECT_FALSE(state_of(3).is_ejected);
}

TEST_F(FleetOutliers, IgnoresLostConnectionsWithoutCalls) {
  call();
  for (int i = 0; i < 10; ++i) {
    on_loop([&] { networks.at(3)->servers.back()->cut(); });
    advance(seconds(2));
  }

  EXPECT_GE(networks.at(3)->servers.size(), 10u);
  EXPECT_FALSE(state_of(3).is_ejected);
}

TEST_F(FleetOutliers, EjectsAServerThatLosesItsConnectionsAgainAndAgain) {
  on_each_connection(3, [](FakeServer& server, const ServedCall&) { server.cut(); });

  for (int i = 0; i < 20; ++i) {
    make_calls(10);
    advance(seconds(2));
  }

  EXPECT_TRUE(state_of(3).is_ejected);
}

TEST_F(FleetOutliers, EjectsAtMostItsShare) {
  options.balancing.outliers.max_ejected = 0.1;
  make_channel();
  for (std::uint16_t port = 1; port <= 3; ++port) answer(port, {StatusCode::internal, "broken"});

  make_calls(200);

  const std::vector<ServerState> states = servers();
  EXPECT_EQ(std::ranges::count_if(states, &ServerState::is_ejected), 1);
}

TEST_F(FleetOutliers, EjectsNoneIfAllFailAlike) {
  for (std::uint16_t port = 1; port <= 10; ++port) answer(port, {StatusCode::internal, "broken"});

  make_calls(300);
  advance(seconds(10));

  const std::vector<ServerState> states = servers();
  EXPECT_EQ(std::ranges::count_if(states, &ServerState::is_ejected), 0);
}

TEST_F(FleetOutliers, UsesEjectedServersInAPanic) {
  options.balancing.outliers.max_ejected = 1;
  make_channel();
  for (std::uint16_t port = 1; port <= 6; ++port) fail_until_ejected(port);

  const std::vector<ServerState> states = servers();
  EXPECT_GE(std::ranges::count_if(states, &ServerState::is_ejected), 6);
  EXPECT_EQ(std::ranges::count_if(states, &ServerState::is_ready), 10);
}

TEST_F(FleetOutliers, FailsCallsAtOnceIfAllServersAreOut) {
  options.balancing.outliers.max_ejected = 1;
  options.balancing.outliers.panic_threshold = 0;
  at_start.resize(2);
  make_channel();
  make_calls(40);
  for (std::uint16_t port = 1; port <= 2; ++port) fail_until_ejected(port);

  const auto outcome = call();

  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_THAT(std::string(outcome->status().message()), HasSubstr("ejected until"));
  EXPECT_FALSE(outcome->status().may_have_run());
  const auto waiting = call({.wait_for_ready = true});
  EXPECT_EQ(waiting->count, 0);
  for (std::uint16_t port = 1; port <= 2; ++port) answer(port, Status());
  advance(seconds(31));
  EXPECT_TRUE(waiting->status().is_ok());
}

TEST_F(FleetOutliers, LetsOpenCallsOfAnEjectedServerGoOn) {
  on_each_connection(3, nullptr);
  std::vector<std::shared_ptr<Outcome>> open;
  for (int i = 0; i < 10; ++i) open.push_back(call());
  answer(3, {StatusCode::internal, "broken"});
  make_calls(60);
  ASSERT_TRUE(state_of(3).is_ejected);

  FakeServer& server = networks.at(3)->server(0);
  on_loop([&] { server.respond(server.calls.front().id, "late"); });

  EXPECT_TRUE(std::ranges::all_of(open, [](const auto& outcome) { return outcome->status().is_ok(); }));
}

TEST_F(FleetOutliers, EjectsNoneIfItIsSwitchedOff) {
  options.balancing.outliers.enabled = false;
  make_channel();
  answer(3, {StatusCode::internal, "broken"});

  make_calls(300);
  advance(seconds(10));

  EXPECT_EQ(calls_of(3), 30u);
}

TEST_F(FleetOutliers, JudgesTheOnlyServerOnceThereAreOthers) {
  at_start = {server_at(1)};
  make_channel();
  answer(1, {StatusCode::internal, "broken"});
  make_calls(100);
  EXPECT_FALSE(state_of(1).is_ejected) << "there is no other";

  report({server_at(1), server_at(2), server_at(3)});
  EXPECT_FALSE(state_of(1).is_ejected) << "its failures before there were others do not count";
  make_calls(30);

  EXPECT_TRUE(state_of(1).is_ejected);
  EXPECT_EQ(calls_of(1), 105u);
}

TEST_F(FleetOutliers, UsesAnEjectedServerThatIsTheOnlyOneLeft) {
  call();
  fail_until_ejected(3);
  answer(3, Status());

  report({server_at(3)});

  EXPECT_EQ(calls_next(3, 10), 10u);
  EXPECT_FALSE(servers()[0].is_ejected);
}

TEST_F(FleetOutliers, DoesNotWakeALoopWithoutCalls) {
  on_loop([&] { core->invoker().source().connect(); });
  const std::size_t of_connections = loop().timers().size();
  make_calls(20);
  EXPECT_GT(loop().timers().size(), of_connections);

  advance(seconds(10));
  advance(seconds(10));

  EXPECT_EQ(loop().timers().size(), of_connections);
}

TEST_F(FleetOutliers, SendsCallsOfALostZoneElsewhere) {
  options.balancing.zone = "here";
  for (int i = 0; i < 3; ++i) at_start[static_cast<std::size_t>(i)].zone = "here";
  make_channel();
  make_calls(30);
  ASSERT_EQ(calls_of(7), 0u);
  for (std::uint16_t port = 1; port <= 3; ++port) answer(port, {StatusCode::unavailable, "broken"});

  make_calls(100);

  EXPECT_EQ(calls_next(1, 70) + calls_next(2, 70) + calls_next(3, 70), 0u);
  EXPECT_EQ(calls_next(7, 70), 10u);
}

}  // namespace
}  // namespace trunkline::client
