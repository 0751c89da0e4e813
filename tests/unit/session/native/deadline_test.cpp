// SPDX-License-Identifier: MIT
// Deadlines, keepalive and pings, in virtual time.
#include "kit/lone_session.h"
#include "kit/session_pair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

using kit::LoneSession;
using namespace std::chrono_literals;

CallStart start_with(LoneSession& lone, base::Duration timeout) {
  return {.method = {1, "a/b"},
          .deadline = lone.clock().now() + timeout,
          .context = lone.context_of(1),
          .now = lone.clock().now()};
}

TEST(Deadline, IsSentAsTheRemainingTime) {
  LoneSession lone(Role::client);
  lone.greet();

  ASSERT_TRUE(lone.session().start(start_with(lone, 1500ms), kit::payload("x")).is_ok());

  const auto sent = lone.sent_frames();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].timeout_us, 1500000u);
}

TEST(Deadline, EndsTheCallAndCancelsItOnTheServer) {
  LoneSession lone(Role::client);
  lone.greet();
  ASSERT_TRUE(lone.session().start(start_with(lone, 100ms), kit::payload("x")).is_ok());
  static_cast<void>(lone.sent_frames());

  lone.advance(101ms);

  const auto events = lone.events();
  const auto sent = lone.sent_frames();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].type, EventType::finished);
  EXPECT_EQ(events[0].status, Status(StatusCode::deadline_exceeded, "deadline exceeded"));
  EXPECT_TRUE(events[0].status.may_have_run());
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(sent[0].is(wire::FrameType::cancel));
  EXPECT_EQ(sent[0].header.number, 4u);
}

TEST(Deadline, OfAnUnsentCallReportsThatItHasNotRun) {
  LoneSession lone(Role::client);
  lone.greet();
  CallStart blocker = start_with(lone, 1h);
  blocker.context = lone.context_of(7);
  for (int i = 0; i < 20; ++i)  // uses up the connection's credit
    ASSERT_TRUE(lone.session().start(blocker, kit::payload(std::string(65536, 'x'))).is_ok());
  while (!lone.sent_frames().empty()) {
  }
  ASSERT_TRUE(lone.session().start(start_with(lone, 100ms), kit::payload(std::string(65536, 'x'))).is_ok());

  lone.advance(101ms);

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_FALSE(events[0].status.may_have_run());
  EXPECT_TRUE(lone.sent_frames().empty());
}

TEST(Deadline, AmidAChunkedMessageCancelsTheCall) {
  SessionOptions options = kit::plain_options();
  options.limits.chunk_bytes = 1024;
  LoneSession lone(Role::client, options);
  lone.greet();
  ASSERT_TRUE(lone.session().start(start_with(lone, 100ms), kit::payload(std::string(500000, 'x'))).is_ok());
  const auto chunks = lone.sent_frames();

  lone.advance(101ms);

  const auto sent = lone.sent_frames();
  EXPECT_GT(chunks.size(), 10u);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(sent[0].is(wire::FrameType::cancel));
  EXPECT_FALSE(lone.events()[0].status.may_have_run());
}

TEST(Deadline, CancelsTheHandlerByTheServersClock) {
  LoneSession lone(Role::server);
  lone.greet();
  kit::FrameSpec call = kit::call(1, 1, "a/b", "x");
  call.timeout_us = 100000;
  lone.feed({call});
  const auto opened = lone.events();

  lone.advance(101ms);

  const auto events = lone.events();
  const auto sent = lone.sent_frames();
  EXPECT_EQ(opened[0].deadline, lone.clock().now() - 1ms);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].type, EventType::cancelled);
  EXPECT_EQ(events[0].context, lone.context_of(1));
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].header.number, 4u);
  EXPECT_FALSE(sent[0].header.has(wire::flag::unprocessed));
}

/// Its event has not been taken: what finishes the call must learn that it came too late.
TEST(Deadline, IsTheStatusOfACallThatIsFinishedTooLate) {
  LoneSession lone(Role::server);
  lone.greet();
  kit::FrameSpec call = kit::call(1, 1, "a/b", "x");
  call.timeout_us = 100000;
  lone.feed({call});
  static_cast<void>(lone.events());
  lone.pass(101ms);

  const Status sent = lone.session().finish(1, {}, kit::payload("x"), nullptr, false);

  EXPECT_EQ(sent.code(), StatusCode::deadline_exceeded);
  EXPECT_TRUE(lone.events().empty());
}

TEST(Deadline, ThatHasPassedOnArrivalIsRefusedAsNotRun) {
  LoneSession lone(Role::server);
  lone.greet();
  kit::FrameSpec call = kit::call(1, 1, "a/b", "x");
  call.timeout_us = 0;

  lone.feed({call});

  const auto sent = lone.sent_frames();
  EXPECT_TRUE(lone.events().empty());
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].header.number, 4u);
  EXPECT_TRUE(sent[0].header.has(wire::flag::unprocessed));
  EXPECT_EQ(sent[0].status_message, "call: the deadline had passed on arrival");
}

TEST(Deadline, OfAnUnfinishedRequestEndsItAsNotRun) {
  LoneSession lone(Role::server);
  lone.greet();
  kit::FrameSpec call = kit::call(1, 1, "a/b", "x");
  call.flags = wire::flag::message | wire::flag::more;
  call.message_bytes = 10;
  call.timeout_us = 100000;
  lone.feed({call});

  lone.advance(101ms);

  const auto sent = lone.sent_frames();
  EXPECT_TRUE(lone.events().empty());
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(sent[0].header.has(wire::flag::unprocessed));
}

TEST(Deadline, LargestTimeoutDoesNotOverflow) {
  LoneSession lone(Role::server);
  lone.greet();
  kit::FrameSpec call = kit::call(1, 1, "a/b", "x");
  call.timeout_us = UINT64_MAX;

  lone.feed({call});
  lone.advance(24h);

  EXPECT_EQ(lone.session().open_calls(), 1u);
}

TEST(Deadline, FinishBeforeTheEventSuppressesIt) {
  LoneSession lone(Role::server);
  lone.greet();
  kit::FrameSpec call = kit::call(1, 1, "a/b", "x");
  call.timeout_us = 100000;
  lone.feed({call});
  static_cast<void>(lone.events());

  lone.clock().advance(101ms);
  lone.timers().advance(lone.clock().now());
  static_cast<void>(lone.session().finish(1, {}, {}, nullptr, false));

  EXPECT_TRUE(lone.events().empty());
}

TEST(Deadline, CancelBeforeTheEventSuppressesIt) {
  LoneSession lone(Role::client);
  lone.greet();
  ASSERT_TRUE(lone.session().start(start_with(lone, 100ms), kit::payload("x")).is_ok());

  lone.clock().advance(101ms);
  lone.timers().advance(lone.clock().now());
  lone.session().cancel(1, StatusCode::cancelled);

  EXPECT_TRUE(lone.events().empty());
}

SessionOptions with_keepalive() {
  SessionOptions options = kit::plain_options();
  options.limits.keepalive_interval = 10s;
  options.limits.keepalive_timeout = 5s;
  options.limits.keepalive_while_idle = true;
  return options;
}

TEST(Keepalive, PingsAfterSilence) {
  LoneSession lone(Role::client, with_keepalive());
  lone.greet();

  lone.advance(9s);
  const bool early = lone.session().has_output();
  lone.advance(1001ms);

  const auto sent = lone.sent_frames();
  EXPECT_FALSE(early);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(sent[0].is(wire::FrameType::ping));
}

TEST(Keepalive, EndsAfterSilenceOnAPing) {
  LoneSession lone(Role::server, with_keepalive());
  lone.greet();
  lone.feed({kit::call(1, 1, "a/b")});
  static_cast<void>(lone.events());

  lone.advance(10001ms);
  lone.advance(5001ms);

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].type, EventType::cancelled);
  EXPECT_EQ(events[1].status.message(), "keepalive: no response within keepalive_timeout 5000 ms");
}

TEST(Keepalive, AcceptsAnyInputAsAPong) {
  LoneSession lone(Role::server, with_keepalive());
  lone.greet();

  for (int i = 0; i < 10; ++i) {
    lone.advance(10001ms);
    lone.advance(4s);
    lone.feed({kit::credit(0, 1)});
    lone.advance(2s);
  }

  EXPECT_FALSE(lone.session().is_closed());
}

TEST(Keepalive, IsSuspendedWhileAHandlerRuns) {
  LoneSession lone(Role::server, with_keepalive());
  lone.greet();
  lone.advance(10001ms);
  ASSERT_EQ(lone.sent_frames().size(), 1u);

  lone.end().is_at_work = true;
  lone.advance(60s);
  const bool has_pinged_meanwhile = lone.session().has_output();
  lone.end().is_at_work = false;
  lone.advance(10s);
  const auto sent = lone.sent_frames();
  lone.advance(4s);
  const bool is_closed_early = lone.session().is_closed();
  lone.advance(1001ms);

  EXPECT_FALSE(has_pinged_meanwhile);
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(sent[0].is(wire::FrameType::ping));
  EXPECT_FALSE(is_closed_early);
  EXPECT_TRUE(lone.session().is_closed());
}

TEST(Keepalive, TwoPeersKeepTheirConnection) {
  kit::SessionPair pair({.client = with_keepalive(), .server = with_keepalive(), .latency = 100ms});

  pair.run(1h);

  EXPECT_FALSE(pair.client().session().is_closed());
  EXPECT_FALSE(pair.server().session().is_closed());
}

TEST(Ping, IsEchoed) {
  LoneSession lone(Role::client);
  lone.greet();

  lone.feed({kit::ping(std::string("\0\xFF-8bytes", 8))});

  const auto sent = lone.sent_frames();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(sent[0].is(wire::FrameType::pong));
  EXPECT_EQ(sent[0].body, std::string("\0\xFF-8bytes", 8));
}

TEST(PingFlood, InOneWriteIsAnsweredInFull) {
  LoneSession lone(Role::server);
  lone.greet();

  for (int round = 0; round < 3; ++round) {
    std::string pings;
    for (int i = 0; i < 5000; ++i) pings += kit::ping().bytes();
    lone.feed(pings);

    ASSERT_FALSE(lone.session().is_closed()) << lone.session().close_reason().to_string();
    EXPECT_EQ(lone.sent_frames().size(), 5000u);
  }
}

TEST(PingFlood, OfAPeerThatDoesNotReadEndsTheConnection) {
  SessionOptions options = kit::plain_options();
  options.limits.read_buffer_bytes = 0;
  LoneSession lone(Role::server, options);
  lone.greet();

  for (int i = 0; i < 64; ++i) lone.feed({kit::ping()});
  const bool early = lone.session().is_closed();
  lone.feed({kit::ping()});

  EXPECT_FALSE(early);
  EXPECT_EQ(lone.session().close_reason().message(),
            "receive ping: more than 64 pongs are unsent, the peer does not read");
  EXPECT_EQ(lone.sent_frames().back().header.number, 8u);
}

TEST(PingFlood, OfAPeerThatReadsSlowlyIsAccepted) {
  LoneSession lone(Role::server);
  lone.greet();
  lone.feed({kit::call(1, 1, "a/b")});
  ASSERT_TRUE(lone.session().send(1, kit::payload(std::string(60000, 'x')), nullptr, false).is_ok());

  for (int i = 0; i < 1000; ++i) {  // the output is never empty
    lone.feed({kit::ping()});
    static_cast<void>(lone.end().take_output(3000));
    if (i % 50 == 0) lone.feed({kit::credit(1, 60000)});
    if (i % 50 == 0) static_cast<void>(lone.session().send(1, kit::payload(std::string(60000, 'x')), nullptr, false));
  }

  EXPECT_FALSE(lone.session().is_closed());
}

}  // namespace
}  // namespace trunkline::session::native
