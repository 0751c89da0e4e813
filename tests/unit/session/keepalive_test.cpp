// SPDX-License-Identifier: MIT
// Pings after silence, and the end of a connection whose peer stays silent.
#include "session/keepalive.h"

#include "kit/lone_session.h"

#include <gtest/gtest.h>

#include <vector>

namespace trunkline::session {
namespace {

using namespace std::chrono_literals;
using Action = Keepalive::Action;

class KeepaliveTest : public testing::Test {
 protected:
  static ConnectionLimits short_limits() {
    ConnectionLimits limits;
    limits.keepalive_interval = 10s;
    limits.keepalive_timeout = 3s;
    return limits;
  }
  void advance(base::Duration by) {
    now += by;
    timers.advance(now);
  }
  static void on_timer(base::Timer&, void* owner, base::TimePoint at) {
    auto& self = *static_cast<KeepaliveTest*>(owner);
    self.actions.push_back(self.keepalive.on_timer(at, self.seen));
  }

  ConnectionLimits limits = short_limits();
  base::TimePoint now{1h};
  base::TimerWheel timers{now};
  Keepalive::Observation seen;
  std::vector<Action> actions;
  Keepalive keepalive{Role::client, limits, timers, &on_timer, this, now};
};

TEST_F(KeepaliveTest, DoesNothingWithoutAnInterval) {
  limits.keepalive_interval = 0ms;

  keepalive.start(now);

  EXPECT_EQ(timers.size(), 0u);
}

TEST_F(KeepaliveTest, WaitsLongerForClientsThanForServersUnlessToldHowLong) {
  const auto timeout_of = [this](Role role, const ConnectionLimits& given) {
    return Keepalive(role, given, timers, &on_timer, this, now).timeout();
  };
  ConnectionLimits set;
  set.keepalive_timeout = 7s;

  EXPECT_EQ(timeout_of(Role::client, {}), 20s);
  EXPECT_EQ(timeout_of(Role::server, {}), 5min);
  EXPECT_EQ(timeout_of(Role::client, set), 7s);
  EXPECT_EQ(timeout_of(Role::server, set), 7s);
}

TEST_F(KeepaliveTest, PingsAfterSilenceAndTimesOut) {
  keepalive.start(now);

  advance(10s);
  advance(2s);
  advance(1s);

  EXPECT_EQ(actions, (std::vector{Action::ping, Action::time_out}));
  EXPECT_EQ(timers.size(), 0u);
}

TEST_F(KeepaliveTest, CountsTheIntervalFromTheLastInput) {
  keepalive.start(now);
  advance(6s);
  keepalive.received(now);

  advance(4s);
  advance(5s);
  const auto before = actions;
  advance(1s);

  EXPECT_EQ(before, std::vector{Action::none});
  EXPECT_EQ(actions, (std::vector{Action::none, Action::ping}));
}

TEST_F(KeepaliveTest, TakesAnyInputForAPong) {
  keepalive.start(now);
  advance(10s);
  advance(1s);
  keepalive.received(now);

  advance(2s);
  advance(8s);

  EXPECT_EQ(actions, (std::vector{Action::ping, Action::none, Action::ping}));
}

TEST_F(KeepaliveTest, IgnoresSilenceWhileNotListening) {
  keepalive.start(now);
  advance(10s);
  seen.is_listening = false;

  advance(3s);
  seen.is_listening = true;
  advance(10s);
  advance(3s);

  EXPECT_EQ(actions, (std::vector{Action::ping, Action::none, Action::ping, Action::time_out}));
}

TEST_F(KeepaliveTest, AcceptsOutputTakenWhileStalledAsASignOfLife) {
  keepalive.start(now);
  advance(10s);
  seen.is_stalled = true;
  keepalive.wrote();

  advance(3s);
  advance(3s);

  EXPECT_EQ(actions, (std::vector{Action::ping, Action::none, Action::time_out}));
}

TEST_F(KeepaliveTest, PingsAPeerWithoutCallsOnlyIfAskedTo) {
  seen.has_calls = false;
  keepalive.start(now);

  advance(10s);
  advance(10s);
  seen.has_calls = true;
  advance(10s);
  keepalive.received(now);
  seen.has_calls = false;
  limits.keepalive_while_idle = true;
  advance(3s);
  advance(10s);

  EXPECT_EQ(actions, (std::vector{Action::none, Action::none, Action::ping, Action::none, Action::ping}));
}

TEST_F(KeepaliveTest, AClientWhoseCallsHaveEndedMayBeSilent) {
  seen.may_rest = true;
  keepalive.start(now);
  advance(10s);

  seen.has_calls = false;
  advance(3s);
  advance(10s);
  // It is pinged again while it has calls, and is to answer then.
  seen.has_calls = true;
  advance(10s);
  advance(3s);

  EXPECT_EQ(actions, (std::vector{Action::ping, Action::none, Action::none, Action::ping, Action::time_out}));
}

TEST_F(KeepaliveTest, AServerWhoseCallsHaveEndedMayNot) {
  keepalive.start(now);
  advance(10s);

  seen.has_calls = false;
  advance(3s);

  EXPECT_EQ(actions, (std::vector{Action::ping, Action::time_out}));
}

TEST_F(KeepaliveTest, AClientThatIsPingedWhileIdleMayNotEither) {
  limits.keepalive_while_idle = true;
  seen.may_rest = true;
  seen.has_calls = false;
  keepalive.start(now);

  advance(10s);
  advance(3s);

  EXPECT_EQ(actions, (std::vector{Action::ping, Action::time_out}));
}

/// A server that does not read, because its peer has taken little of its output.
class StalledSession : public testing::Test {
 protected:
  static SessionOptions impatient() {
    SessionOptions options = kit::plain_options();
    options.limits.keepalive_interval = 10s;
    options.limits.keepalive_timeout = 3s;
    options.limits.max_unsent_bytes = 64 << 10;
    return options;
  }
  StalledSession() {
    wire::Hello hello;
    hello.connection_credit = hello.call_credit = 4 << 20;
    lone.greet(hello);
    kit::FrameSpec open = kit::call(1, 0, "a/b");
    open.flags = 0;
    open.codec = 0;
    lone.feed({open});
    EXPECT_TRUE(lone.session().send(1, kit::payload(std::string(1 << 20, 'x')), nullptr, false).is_ok());
    lone.end().turn();
  }

  kit::LoneSession lone{Role::server, impatient()};
};

TEST_F(StalledSession, DoesNotExpectAPongWhileItsOutputIsTaken) {
  lone.advance(10s);
  for (int round = 0; round < 4; ++round) {
    static_cast<void>(lone.end().take_output(5000));
    lone.advance(3s);
  }

  EXPECT_FALSE(lone.session().is_closed()) << lone.session().close_reason().to_string();
}

TEST_F(StalledSession, EndsWhenNothingIsTaken) {
  lone.advance(10s);
  lone.advance(3s);

  EXPECT_TRUE(lone.session().is_closed());
}

TEST_F(KeepaliveTest, StopCancelsTheTimer) {
  keepalive.start(now);

  keepalive.stop();
  advance(60s);

  EXPECT_TRUE(actions.empty());
}

}  // namespace
}  // namespace trunkline::session
