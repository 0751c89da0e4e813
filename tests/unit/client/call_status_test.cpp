// SPDX-License-Identifier: MIT
// The texts of failed calls.
#include "client/call_status.h"

#include <gtest/gtest.h>

#include <chrono>

namespace trunkline::client {

namespace {

using namespace std::chrono_literals;

MethodEntry entry() {
  MethodEntry result;
  result.name = "Echo";
  return result;
}

/// Of a call with a timeout of 2 s that has ended after `time`.
CallTimes after(base::Duration time) {
  const base::TimePoint started{1h};
  return {.started = started, .deadline = started + 2s, .ended = started + time};
}

TEST(CallStatus, NamesTheCallAndKeepsWhatIsKnownOfIt) {
  Status status(StatusCode::unavailable, "refused", StatusOrigin::transport);
  status.set_may_have_run(false);
  status.add_detail("type", "value");

  const Status result = about_call(entry(), status);

  EXPECT_EQ(result.code(), StatusCode::unavailable);
  EXPECT_EQ(result.message(), "call Echo: refused");
  EXPECT_EQ(result.origin(), StatusOrigin::transport);
  EXPECT_FALSE(result.may_have_run());
  ASSERT_EQ(result.details().size(), 1u);
  EXPECT_EQ(result.details()[0].type_url, "type");
}

TEST(CallStatus, SaysHowLongACallWaitedAndForWhat) {
  EXPECT_EQ(deadline_status(entry(), 1500ms, "a connection to tcp://h:1").message(),
            "call Echo: deadline exceeded after 1500 ms waiting for a connection to tcp://h:1");
  EXPECT_EQ(deadline_status(entry(), 0ms, {}).message(), "call Echo: deadline exceeded after 0 ms");
}

TEST(CallStatus, LeavesWhatThePeerSaysAsItIs) {
  const Status status(StatusCode::not_found, "no such user", StatusOrigin::peer);

  EXPECT_EQ(status_at_peer(entry(), status, {}, "tcp://h:1").message(), "no such user");
  EXPECT_TRUE(status_at_peer(entry(), {}, {}, "tcp://h:1").is_ok());
}

TEST(CallStatus, NamesThePeerOfAnErrorOfThisSide) {
  Status lost(StatusCode::unavailable, "connection reset", StatusOrigin::transport);
  lost.set_may_have_run(true);

  const Status result = status_at_peer(entry(), lost, {}, "tcp://h:1");

  EXPECT_EQ(result.message(), "call Echo: connection reset (tcp://h:1)");
  EXPECT_EQ(result.origin(), StatusOrigin::transport);
  EXPECT_TRUE(result.may_have_run());
}

TEST(CallStatus, SaysThatADeadlinePassedWhileTheResponseWasAwaited) {
  const Status expired(StatusCode::deadline_exceeded, "deadline exceeded");

  const Status result = status_at_peer(entry(), expired, after(2s), "tcp://h:1");

  EXPECT_EQ(result.message(), "call Echo: deadline exceeded after 2000 ms waiting for the response of tcp://h:1");
}

TEST(CallStatus, NamesMethodAndTimeoutAlsoIfTheServersTimerIsFirst) {
  const Status of_the_timer(StatusCode::deadline_exceeded, "deadline exceeded", StatusOrigin::peer);
  const Status of_the_handler(StatusCode::deadline_exceeded, "the database took too long", StatusOrigin::peer);

  const Status result = status_at_peer(entry(), of_the_timer, after(1999ms), "tcp://h:1");

  EXPECT_EQ(result.message(), "call Echo: deadline exceeded after 1999 ms waiting for the response of tcp://h:1");
  EXPECT_EQ(result.origin(), StatusOrigin::peer);
  EXPECT_EQ(status_at_peer(entry(), of_the_handler, after(2s), "tcp://h:1"), of_the_handler);
}

TEST(CallStatus, TakesNoStatusOfAHandlerForThatOfTheServersTimer) {
  Status of_the_handler(StatusCode::deadline_exceeded, "", StatusOrigin::peer);
  of_the_handler.add_detail("type", "value");

  EXPECT_EQ(status_at_peer(entry(), of_the_handler, after(5ms), "tcp://h:1"), of_the_handler);
  const Status late = status_at_peer(entry(), of_the_handler, after(3s), "tcp://h:1");
  EXPECT_EQ(late.message(), "call Echo: deadline exceeded after 2000 ms waiting for the response of tcp://h:1");
  ASSERT_EQ(late.details().size(), 1u);
  EXPECT_EQ(late.details()[0].value, "value");
}

TEST(CallStatus, NamesMethodAndTimeoutOfACallThatTheServerWasLateToBegin) {
  Status unprocessed(StatusCode::deadline_exceeded, "deadline exceeded", StatusOrigin::peer);
  unprocessed.set_may_have_run(false);

  const Status result = status_at_peer(entry(), unprocessed, after(1500ms), "tcp://h:1");

  EXPECT_EQ(result.message(), "call Echo: deadline exceeded after 1500 ms waiting for the response of tcp://h:1");
  EXPECT_FALSE(result.may_have_run());
}

}  // namespace

}  // namespace trunkline::client
