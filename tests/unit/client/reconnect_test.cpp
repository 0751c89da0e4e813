// SPDX-License-Identifier: MIT
// Attempts to connect, their failures, the backoff, and calls that wait in the meantime.
#include "unit/client/client_fixture.h"

#include "client/backoff.h"

namespace trunkline::client {

namespace {

using Reconnect = ClientFixture;

TEST_F(Reconnect, CallsWaitWhileAConnectionIsMade) {
  network.is_slow = true;

  const auto first = begin("one");
  const auto second = begin("two");
  EXPECT_EQ(channel().state(), ChannelState::connecting);
  EXPECT_FALSE(first->is_done());
  on_loop([&] { network.make_connections(); });

  EXPECT_EQ(first->text(), "re:one");
  EXPECT_EQ(second->text(), "re:two");
  EXPECT_EQ(network.attempts, 1);
}

TEST_F(Reconnect, AFailedAttemptFailsTheCallWithItsError) {
  network.refusals = 1;

  const auto outcome = begin("x");

  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_EQ(outcome->status().message(), "call Echo: connect inproc://fake: connection refused");
  EXPECT_EQ(outcome->status().origin(), StatusOrigin::transport);
  EXPECT_FALSE(outcome->status().may_have_run());
  EXPECT_EQ(channel().state(), ChannelState::failing);
}

TEST_F(Reconnect, DuringBackoffCallsFailAtOnceWithTheLastError) {
  network.refusals = 1;
  begin("x");

  const auto outcome = begin("y");

  EXPECT_THAT(std::string(outcome->status().message()), HasSubstr("connection refused"));
  EXPECT_EQ(network.attempts, 1);
}

TEST_F(Reconnect, WaitForReadyOutlastsFailures) {
  network.refusals = 3;

  const auto outcome = begin("x", {.wait_for_ready = true});
  EXPECT_FALSE(outcome->is_done());
  for (int i = 0; i < 10; ++i) advance(100ms);

  EXPECT_EQ(outcome->text(), "re:x");
  EXPECT_EQ(network.attempts, 4);
}

TEST_F(Reconnect, WaitsGrowToTheMaximum) {
  options.backoff.initial = 100ms;
  options.backoff.multiplier = 2;
  options.backoff.maximum = 300ms;
  network.refusals = 1000;
  begin("x", {.wait_for_ready = true});
  std::vector<int> attempts;

  for (int i = 0; i < 10; ++i) {
    advance(100ms);
    attempts.push_back(network.attempts);
  }

  // One at once, then after 100, 200, 300, 300 ms; a timer fires up to a tick late.
  EXPECT_EQ(attempts.front(), 2);
  EXPECT_GE(attempts.back(), 4);
  EXPECT_LE(attempts.back(), 5);
}

TEST_F(Reconnect, ASuccessResetsTheBackoff) {
  network.refusals = 4;
  const auto first = begin("x", {.wait_for_ready = true});
  for (int i = 0; i < 20; ++i) advance(100ms);
  ASSERT_EQ(first->text(), "re:x");
  on_loop([&] { network.server(0).cut(); });
  network.refusals = 1;

  begin("y");
  advance(110ms);
  const auto outcome = begin("z");

  EXPECT_EQ(outcome->text(), "re:z");
}

TEST_F(Reconnect, ALostConnectionIsMadeAgainWhenACallNeedsIt) {
  begin("x");
  on_loop([&] { network.server(0).cut(); });
  EXPECT_EQ(network.attempts, 1);
  EXPECT_EQ(channel().state(), ChannelState::idle);

  const auto outcome = begin("y");

  EXPECT_EQ(outcome->text(), "re:y");
  EXPECT_EQ(network.attempts, 2);
}

TEST_F(Reconnect, OpenCallsOfALostConnectionEndWithItsReason) {
  network.on_call = nullptr;
  const auto outcome = begin("x");

  on_loop([&] { network.server(0).cut(); });

  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_EQ(outcome->status().origin(), StatusOrigin::transport);
  EXPECT_TRUE(outcome->status().may_have_run());
  EXPECT_THAT(std::string(outcome->status().message()), HasSubstr("call Echo: "));
  EXPECT_THAT(std::string(outcome->status().message()), HasSubstr("inproc://fake"));
}

TEST_F(Reconnect, AServerWithoutAHelloIsGivenUpAfterTheHandshakeTimeout) {
  network.is_mute = true;
  options.limits.handshake_timeout = 3s;
  const auto outcome = begin("x");

  advance(2s);
  EXPECT_FALSE(outcome->is_done());
  advance(5s);
  advance(5s);

  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_THAT(std::string(outcome->status().message()), HasSubstr("handshake_timeout 3000 ms"));
}

TEST_F(Reconnect, ByDefaultACallToADeadPeerEnds) {
  network.on_call = nullptr;
  const auto outcome = begin("x");
  on_loop([&] { network.server(0).freeze(); });

  advance(30s);
  advance(19s);
  const bool is_early = outcome->is_done();
  advance(1s);
  advance(1s);

  EXPECT_FALSE(is_early);
  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_THAT(std::string(outcome->status().message()), HasSubstr("keepalive_timeout 20000 ms"));
}

TEST_F(Reconnect, ByDefaultALongCallToALivePeerGoesOn) {
  network.on_call = nullptr;
  const auto outcome = begin("x");

  for (int i = 0; i < 100; ++i) advance(10s);

  EXPECT_FALSE(outcome->is_done());
}

TEST_F(Reconnect, ByDefaultAnIdlePeerIsNotPinged) {
  begin("x");
  on_loop([&] { network.server(0).freeze(); });

  for (int i = 0; i < 100; ++i) advance(10s);

  EXPECT_EQ(channel().state(), ChannelState::ready);
}

TEST_F(Reconnect, AnIdlePeerIsPingedIfAskedTo) {
  options.limits.keepalive_while_idle = true;
  begin("x");
  on_loop([&] { network.server(0).freeze(); });

  for (int i = 0; i < 6; ++i) advance(10s);

  EXPECT_EQ(channel().state(), ChannelState::idle);
}

TEST_F(Reconnect, WaitForReadyReturnsWithTheHello) {
  std::optional<Status> ready;

  on_loop([&] { ready = channel().wait_for_ready(1s); });

  EXPECT_EQ(ready, Status());
  EXPECT_EQ(channel().state(), ChannelState::ready);
}

TEST_F(Reconnect, WaitForReadyShortensTheBackoff) {
  options.backoff.initial = options.backoff.maximum = 60s;
  network.refusals = 1;
  EXPECT_FALSE(begin("x")->result->is_ok());
  std::optional<Status> ready;
  const base::TimePoint start = clock.now();
  std::function<void()> tick = [&] {
    clock.advance(100ms);
    if (!ready) event_loop->post(tick);
  };

  on_loop([&] {
    tick();
    ready = channel().wait_for_ready(10s);
  });

  EXPECT_EQ(ready, Status());
  EXPECT_GE(clock.now() - start, 4s);
  EXPECT_LT(clock.now() - start, 7s);
}

TEST_F(Reconnect, IdleConnectionsAreClosedAfterTheTimeout) {
  options.idle_timeout = 10s;
  begin("x");
  advance(9s);
  begin("y");

  advance(8s);
  EXPECT_EQ(channel().state(), ChannelState::ready);
  advance(11s);
  advance(11s);

  EXPECT_EQ(channel().state(), ChannelState::idle);
  EXPECT_TRUE(network.server(0).closed);
  EXPECT_EQ(begin("z")->text(), "re:z");
}

TEST_F(Reconnect, AConnectionWithOpenCallsIsNotIdle) {
  options.idle_timeout = 10s;
  network.on_call = nullptr;
  const auto outcome = begin("x");

  advance(11s);
  advance(11s);
  advance(11s);

  EXPECT_FALSE(outcome->is_done());
  EXPECT_EQ(channel().state(), ChannelState::ready);
}

TEST(Backoff, StaysWithinItsJitter) {
  BackoffOptions options;
  options.initial = 100ms;
  options.multiplier = 2;
  options.maximum = 1000ms;
  options.jitter = 0.2;
  options.seed = 7;
  Backoff backoff(options);

  for (const double expected : {100.0, 200.0, 400.0, 800.0, 1000.0, 1000.0}) {
    const double waited = std::chrono::duration<double, std::milli>(backoff.next()).count();

    EXPECT_GE(waited, expected * 0.8 - 0.001);
    EXPECT_LE(waited, expected * 1.2 + 0.001);
  }
}

TEST(Backoff, TheSameSeedGivesTheSameWaits) {
  BackoffOptions options;
  options.seed = 42;
  Backoff first(options);
  Backoff second(options);
  options.seed = 43;
  Backoff other(options);
  int different = 0;

  for (int i = 0; i < 10; ++i) {
    const auto wait = first.next();
    EXPECT_EQ(wait, second.next());
    if (wait != other.next()) ++different;
  }

  EXPECT_GT(different, 5);
}

}  // namespace

}  // namespace trunkline::client
