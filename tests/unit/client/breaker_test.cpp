// SPDX-License-Identifier: MIT
// Circuit breakers: which calls they refuse, and how they close, on a channel to one server and on a fleet.
#include "unit/client/fleet_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace trunkline::client {
namespace {

class Breaker : public ClientFixture {
 protected:
  Breaker() {
    options.max_retries = 0;
    options.circuit_breaker.enabled = true;
  }

  void answer(const Status& status) {
    network.on_call = [status](FakeServer& server, const ServedCall& call) {
      if (call.one_way) return;
      if (status.is_ok() || call.method == "Good") return echo(server, call);
      server.refuse(call.id, status, false);
    };
    for (auto& server : network.servers) server->on_call = network.on_call;
  }
  void fail(int times) {
    for (int i = 0; i < times; ++i) begin("x");
  }
  /// Calls that the server has seen.
  std::size_t seen() {
    std::size_t count = 0;
    for (const auto& server : network.servers) count += server->calls.size();
    return count;
  }
  ServerState state() { return core->invoker().source().servers()[0]; }
};

TEST_F(Breaker, RefusesTheMethodAtOnceAfterFailuresInARow) {
  answer({StatusCode::internal, "broken"});
  fail(5);

  const auto outcome = begin("x");

  EXPECT_EQ(seen(), 5u);
  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_FALSE(outcome->status().may_have_run());
  EXPECT_THAT(std::string(outcome->status().message()),
              testing::ContainsRegex("call Echo: the circuit breaker for inproc://fake is open until 20..-"));
  EXPECT_EQ(state().open_breakers, std::vector<std::string>{"Echo"});
  EXPECT_EQ(state().failed_calls, 5u);
}

TEST_F(Breaker, LetsOtherMethodsThrough) {
  answer({StatusCode::internal, "broken"});
  fail(5);

  EXPECT_EQ(begin("x", {}, "Good")->text(), "re:x");
  EXPECT_EQ(begin("x")->status().code(), StatusCode::unavailable);
}

TEST_F(Breaker, IsOffUnlessItIsSwitchedOn) {
  options.circuit_breaker.enabled = false;
  answer({StatusCode::internal, "broken"});
  fail(50);

  EXPECT_EQ(seen(), 50u);
}

TEST_F(Breaker, ClosesAfterAProbeThatIsServed) {
  answer({StatusCode::internal, "broken"});
  fail(5);
  answer(Status());

  advance(4999ms);
  EXPECT_FALSE(begin("x")->status().is_ok());
  advance(1ms);
  EXPECT_EQ(begin("x")->text(), "re:x");

  EXPECT_EQ(begin("x")->text(), "re:x");
  EXPECT_TRUE(state().open_breakers.empty());
}

TEST_F(Breaker, LetsOneProbeThroughAndOpensAgainWhenItFails) {
  answer({StatusCode::internal, "broken"});
  fail(5);
  advance(5s);
  network.server(0).on_call = nullptr;

  const auto probe = begin("x");
  EXPECT_EQ(begin("x")->status().code(), StatusCode::unavailable);
  EXPECT_EQ(seen(), 6u);
  on_loop([&] { network.server(0).refuse(network.server(0).calls.back().id, {StatusCode::unknown, "no"}, false); });

  EXPECT_EQ(probe->status().code(), StatusCode::unknown);
  advance(4s);
  EXPECT_EQ(begin("x")->status().code(), StatusCode::unavailable);
  EXPECT_EQ(seen(), 6u);
}

TEST_F(Breaker, TakesTimeoutsForFailures) {
  network.on_call = nullptr;
  for (int i = 0; i < 5; ++i) begin("x", {.timeout = 10ms});
  advance(20ms);

  EXPECT_EQ(begin("x", {.timeout = 10ms})->status().code(), StatusCode::unavailable);
}

TEST_F(Breaker, ReplacesAProbeThatTheCallerCancels) {
  answer({StatusCode::internal, "broken"});
  fail(5);
  advance(5s);
  network.server(0).on_call = nullptr;
  {
    auto stream = std::make_unique<ClientStream<std::string, std::string>>(
        channel().stream<std::string, std::string>("Echo", {}));
    settle();
    EXPECT_EQ(seen(), 6u);
    EXPECT_EQ(begin("x")->status().code(), StatusCode::unavailable);
    on_loop([&] { stream.reset(); });
  }
  answer(Status());

  EXPECT_EQ(begin("x")->text(), "re:x");
}

TEST_F(Breaker, ClosesOnceAStreamIsAnsweredThatIsTheProbe) {
  answer({StatusCode::internal, "broken"});
  fail(5);
  advance(5s);
  network.server(0).on_call = nullptr;
  auto stream = channel().stream<std::string, std::string>("Echo", {});
  settle();
  EXPECT_EQ(begin("x")->status().code(), StatusCode::unavailable);
  answer(Status());

  on_loop([&] { network.server(0).send(network.server(0).calls.back().id, "first"); });

  EXPECT_EQ(begin("x")->text(), "re:x");
  EXPECT_TRUE(state().open_breakers.empty());
}

TEST_F(Breaker, CountsAProbeOnceThatIsAnsweredAndThenCancelled) {
  options.circuit_breaker.probes = 2;
  answer({StatusCode::internal, "broken"});
  fail(5);
  advance(5s);
  network.server(0).on_call = nullptr;
  auto stream =
      std::make_unique<ClientStream<std::string, std::string>>(channel().stream<std::string, std::string>("Echo", {}));
  settle();
  on_loop([&] { network.server(0).send_leading(network.server(0).calls.back().id, {{"a", "b"}}); });
  EXPECT_EQ(state().open_breakers.size(), 1u) << "the other probe is still to come";

  on_loop([&] { stream.reset(); });
  EXPECT_EQ(state().open_breakers.size(), 1u);
  answer(Status());

  EXPECT_EQ(begin("x")->text(), "re:x");
  EXPECT_TRUE(state().open_breakers.empty());
}

TEST_F(Breaker, OpensAgainWhenAProbeFailsThatWasAnswered) {
  options.circuit_breaker.probes = 2;
  answer({StatusCode::internal, "broken"});
  fail(5);
  advance(5s);
  network.server(0).on_call = nullptr;
  auto stream = channel().stream<std::string, std::string>("Echo", {});
  settle();
  FakeServer& server = network.server(0);
  on_loop([&] { server.send(server.calls.back().id, "first"); });

  on_loop([&] { server.refuse(server.calls.back().id, {StatusCode::internal, "broken"}, false); });

  EXPECT_EQ(begin("x")->status().code(), StatusCode::unavailable);
  EXPECT_EQ(seen(), 6u);
}

TEST_F(Breaker, CountsStreamsThatFail) {
  answer({StatusCode::internal, "broken"});
  for (int i = 0; i < 5; ++i) {
    auto stream = channel().stream<std::string, std::string>("Echo", {});
    settle();
  }

  EXPECT_EQ(begin("x")->status().code(), StatusCode::unavailable);
  EXPECT_EQ(seen(), 5u);
}

TEST_F(Breaker, LetsCallsWaitThatWaitForReady) {
  answer({StatusCode::internal, "broken"});
  fail(5);
  answer(Status());

  const auto waiting = begin("x", {.wait_for_ready = true});
  const auto impatient = begin("x", {.timeout = 1s, .wait_for_ready = true});
  EXPECT_EQ(begin("x", {}, "Good")->text(), "re:x") << "they do not hold up calls of other methods";
  advance(1s);
  EXPECT_EQ(impatient->status().code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(waiting->count, 0);
  advance(4s);

  EXPECT_EQ(waiting->text(), "re:x");
}

TEST_F(Breaker, LimitsTheCallsThatWait) {
  options.max_pending_calls = 2;
  answer({StatusCode::internal, "broken"});
  fail(5);
  answer(Status());

  std::vector<std::shared_ptr<Outcome>> waiting;
  for (int i = 0; i < 3; ++i) waiting.push_back(begin("x", {.wait_for_ready = true}));

  EXPECT_EQ(waiting[2]->status().code(), StatusCode::resource_exhausted);
  EXPECT_THAT(std::string(waiting[2]->status().message()), HasSubstr("max_pending_calls is 2"));
  advance(5s);
  advance(1s);
  EXPECT_EQ(waiting[0]->text(), "re:x");
  EXPECT_EQ(waiting[1]->text(), "re:x");
}

TEST_F(Breaker, DoesNotLetAQueuedCallHoldUpOthers) {
  answer({StatusCode::internal, "broken"});
  fail(5);
  network.is_slow = true;
  on_loop([&] { network.server(0).cut(); });
  const auto broken = begin("x");
  const auto good = begin("x", {}, "Good");
  EXPECT_EQ(good->count, 0);

  on_loop([&] { network.make_connections(); });

  EXPECT_EQ(broken->status().code(), StatusCode::unavailable);
  EXPECT_EQ(good->text(), "re:x");
}

TEST_F(Breaker, IgnoresLostConnections) {
  answer(Status());
  begin("x");
  network.server(0).on_call = nullptr;
  fail(20);

  on_loop([&] { network.server(0).cut(); });

  EXPECT_EQ(begin("x")->text(), "re:x");
}

class FleetBreaker : public FleetFixture {
 protected:
  FleetBreaker() {
    options.circuit_breaker.enabled = true;
    options.balancing.outliers.enabled = false;
    make_channel();
  }
  void break_server(std::uint16_t port) {
    networks.at(port)->on_call = [](FakeServer& server, const ServedCall& call) {
      server.refuse(call.id, {StatusCode::internal, "broken"}, false);
    };
  }
};

TEST_F(FleetBreaker, PassesOverTheServer) {
  break_server(2);
  for (int i = 0; i < 20; ++i) call();
  ASSERT_EQ(calls()[1], 5u);

  for (int i = 0; i < 30; ++i) EXPECT_TRUE(call()->status().is_ok());

  EXPECT_EQ(calls()[1], 5u);
  EXPECT_NEAR(static_cast<double>(calls()[0]), static_cast<double>(calls()[2]), 8) << "the others share its calls";
  EXPECT_EQ(servers()[1].open_breakers, std::vector<std::string>{"Echo"});
  EXPECT_TRUE(servers()[1].is_ready) << "it gets calls of other methods";
}

TEST_F(FleetBreaker, FailsCallsAtOnceIfAllAreOpen) {
  for (std::uint16_t port = 1; port <= 3; ++port) break_server(port);
  for (int i = 0; i < 15; ++i) EXPECT_EQ(call()->status().code(), StatusCode::internal);

  const auto outcome = call();

  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_THAT(std::string(outcome->status().message()),
              testing::ContainsRegex("call Echo: the circuit breakers for all 3 servers are open .* until 20..-"));
  const std::vector<std::size_t> counts = calls();
  EXPECT_EQ(counts, (std::vector<std::size_t>{5, 5, 5}));
}

TEST_F(FleetBreaker, RefusesCallsOfTheOnlyServer) {
  at_start = {server_at(1)};
  make_channel();
  break_server(1);
  for (int i = 0; i < 5; ++i) call();

  const auto refused = call();

  EXPECT_EQ(calls()[0], 5u);
  EXPECT_EQ(refused->status().code(), StatusCode::unavailable);
  EXPECT_FALSE(refused->status().may_have_run());
}

TEST_F(FleetBreaker, TriesTheServerAgain) {
  break_server(2);
  for (int i = 0; i < 20; ++i) call();
  networks.at(2)->server(0).on_call = echo;

  advance(5s);
  for (int i = 0; i < 30; ++i) EXPECT_TRUE(call()->status().is_ok());

  EXPECT_GE(calls()[1], 14u);
}

}  // namespace
}  // namespace trunkline::client
