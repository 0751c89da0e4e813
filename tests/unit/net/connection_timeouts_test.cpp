// SPDX-License-Identifier: MIT
// ConnectionTimeouts: the handshake and idle times of a connection, by themselves and in a connection.
#include "net/connection_timeouts.h"

#include "connection_fixture.h"

#include <gmock/gmock.h>

namespace trunkline::net {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Expired = ConnectionTimeouts::Expired;

class NoOwner final : public session::SessionOwner {
 public:
  void on_session_wake() noexcept override {}
};

class ConnectionTimeoutsTest : public testing::Test {
 protected:
  static void on_timer(base::Timer&, void* self, base::TimePoint now) {
    auto& test = *static_cast<ConnectionTimeoutsTest*>(self);
    test.last_ = test.timeouts_.check(test.timers_, test.session_, now);
    ++test.checks_;
  }
  void advance(base::Duration time) {
    now_ += time;
    timers_.advance(now_);
  }

  base::TimePoint now_{1h};
  base::TimerWheel timers_{now_};
  NoOwner owner_;
  FakeSession session_{owner_};
  ConnectionTimeouts timeouts_{{.handshake = 5s, .idle = 10s}, &on_timer, this};
  Expired last_ = Expired::nothing;
  int checks_ = 0;
};

TEST_F(ConnectionTimeoutsTest, TheHandshakeExpires) {
  session_.set_open(false);
  timeouts_.begin_handshake(timers_, now_ - 2s);
  EXPECT_TRUE(timeouts_.is_in_handshake());
  advance(2s);
  EXPECT_EQ(checks_, 0);

  advance(1s);

  EXPECT_EQ(last_, Expired::handshake);
  EXPECT_EQ(timers_.size(), 0U);
}

TEST_F(ConnectionTimeoutsTest, AnOpenSessionEndsTheHandshakeByItself) {
  timeouts_.begin_handshake(timers_, now_);
  advance(5s);
  EXPECT_EQ(last_, Expired::nothing);
  EXPECT_FALSE(timeouts_.is_in_handshake());

  advance(10s);

  EXPECT_EQ(last_, Expired::idle) << "the idle time counts from the check";
}

TEST_F(ConnectionTimeoutsTest, TheIdleTimeExpiresAgainAndAgain) {
  timeouts_.begin_handshake(timers_, now_);
  timeouts_.end_handshake(timers_, now_);
  advance(9s);
  EXPECT_EQ(checks_, 0);

  advance(1s);
  EXPECT_EQ(last_, Expired::idle);

  last_ = Expired::nothing;
  advance(10s);
  EXPECT_EQ(last_, Expired::idle);
}

TEST_F(ConnectionTimeoutsTest, TheIdleTimeCountsFromTheLastActivity) {
  timeouts_.end_handshake(timers_, now_);
  advance(6s);
  timeouts_.note_activity(now_);
  advance(4s);
  EXPECT_EQ(checks_, 1);
  EXPECT_EQ(last_, Expired::nothing);

  advance(6s);

  EXPECT_EQ(last_, Expired::idle);
}

TEST_F(ConnectionTimeoutsTest, OpenCallsAreActivity) {
  timeouts_.end_handshake(timers_, now_);
  session_.set_open_calls(1);
  advance(10s);
  EXPECT_EQ(last_, Expired::nothing);
  session_.set_open_calls(0);

  advance(10s);

  EXPECT_EQ(last_, Expired::idle);
}

TEST_F(ConnectionTimeoutsTest, AClosedSessionDoesNotExpire) {
  for (const bool is_open : {false, true}) {
    session_.set_open(is_open);
    timeouts_.begin_handshake(timers_, now_);
    if (is_open) timeouts_.end_handshake(timers_, now_);
    session_.close({});

    advance(10s);

    EXPECT_EQ(last_, Expired::nothing);
  }
}

TEST_F(ConnectionTimeoutsTest, WithoutLimitsNothingIsScheduled) {
  ConnectionTimeouts unlimited({}, &on_timer, this);
  unlimited.begin_handshake(timers_, now_);
  EXPECT_EQ(timers_.size(), 0U);
  unlimited.end_handshake(timers_, now_);
  EXPECT_EQ(timers_.size(), 0U);
  EXPECT_FALSE(unlimited.has_idle_limit());
  EXPECT_TRUE(timeouts_.has_idle_limit());
}

TEST_F(ConnectionTimeoutsTest, CancelStopsTheTimer) {
  timeouts_.begin_handshake(timers_, now_);
  timeouts_.cancel();

  EXPECT_EQ(timers_.size(), 0U);
  EXPECT_EQ(timeouts_.check(timers_, session_, now_ + 1h), Expired::nothing);
}

TEST_F(ConnectionTest, ClosesASessionWhoseHandshakeTakesTooLong) {
  options_.handshake_timeout = 5s;
  starts_open_ = false;
  start();
  advance(4s);
  EXPECT_EQ(handler_.closed_events, 0);

  advance(1s);

  EXPECT_EQ(handler_.closed_events, 1);
  EXPECT_EQ(handler_.reason.code(), StatusCode::unavailable);
  EXPECT_EQ(handler_.reason.origin(), StatusOrigin::transport);
  EXPECT_THAT(std::string(handler_.reason.message()), HasSubstr("handshake_timeout 5000 ms"));
  peer_->destroy();
  settle(loop_);
  EXPECT_EQ(handler_.closed, 1);
}

TEST_F(ConnectionTest, ReportsThatItIsIdle) {
  options_.handshake_timeout = 5s;
  options_.idle_timeout = 10s;
  start();
  advance(6s);
  connection_->note_activity();
  advance(9s);
  EXPECT_EQ(handler_.idles, 0);

  advance(1s);
  EXPECT_EQ(handler_.idles, 1);
  EXPECT_EQ(handler_.closed_events, 0) << "what follows is the handler's choice";

  handler_.when_idle = [](Connection& connection) { connection.close(Status()); };
  advance(10s);
  EXPECT_EQ(handler_.idles, 2);
  EXPECT_EQ(handler_.closed_events, 1);
}

TEST_F(ConnectionTest, IsNotIdleOnceItIsClosed) {
  options_.idle_timeout = 10s;
  options_.linger_timeout = 1h;
  start();
  connection_->close(Status());
  settle(loop_);

  advance(20s);

  EXPECT_EQ(handler_.idles, 0);
}

}  // namespace
}  // namespace trunkline::net
