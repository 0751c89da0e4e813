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

  EXPECT_EQ(status_at_peer(entry(), status, base::never, {}, "tcp://h:1").message(), "no such user");
  EXPECT_TRUE(status_at_peer(entry(), {}, base::never, {}, "tcp://h:1").is_ok());
}

TEST(CallStatus, NamesThePeerOfAnErrorOfThisSide) {
  Status lost(StatusCode::unavailable, "connection reset", StatusOrigin::transport);
  lost.set_may_have_run(true);

  const Status result = status_at_peer(entry(), lost, base::never, {}, "tcp://h:1");

  EXPECT_EQ(result.message(), "call Echo: connection reset (tcp://h:1)");
  EXPECT_EQ(result.origin(), StatusOrigin::transport);
  EXPECT_TRUE(result.may_have_run());
}

TEST(CallStatus, SaysThatADeadlinePassedWhileTheResponseWasAwaited) {
  const base::TimePoint started{};
  const Status expired(StatusCode::deadline_exceeded, "deadline exceeded");

  const Status result = status_at_peer(entry(), expired, started + 2s, started, "tcp://h:1");

  EXPECT_EQ(result.message(), "call Echo: deadline exceeded after 2000 ms waiting for the response of tcp://h:1");
}

TEST(CallStatus, NamesMethodAndTimeoutAlsoIfTheServersTimerIsFirst) {
  const base::TimePoint started{};
  const Status of_the_timer(StatusCode::deadline_exceeded, "deadline exceeded", StatusOrigin::peer);
  const Status of_the_handler(StatusCode::deadline_exceeded, "the database took too long", StatusOrigin::peer);

  const Status result = status_at_peer(entry(), of_the_timer, started + 2s, started, "tcp://h:1");

  EXPECT_EQ(result.message(), "call Echo: deadline exceeded after 2000 ms waiting for the response of tcp://h:1");
  EXPECT_EQ(result.origin(), StatusOrigin::peer);
  EXPECT_EQ(status_at_peer(entry(), of_the_handler, started + 2s, started, "tcp://h:1"), of_the_handler);
}

}  // namespace

}  // namespace trunkline::client
