// SPDX-License-Identifier: MIT
// The end of a connection: goaway and drain from either side, close, and the end of the transport.
#include "kit/lone_session.h"
#include "kit/session_pair.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

using kit::LoneSession;
using namespace std::chrono_literals;

CallId start(LoneSession& lone) {
  static CallId next = 0;
  static_cast<void>(next);
  const CallId id = static_cast<CallId>(lone.session().open_calls() + 1);
  const auto started = lone.session().start({.method = {1, "a/b"}, .context = lone.context_of(id)}, kit::payload("x"));
  EXPECT_TRUE(started.is_ok());
  return *started;
}

TEST(ServerDrain, NamesTheLastIdAndFinishesOpenCalls) {
  LoneSession lone(Role::server);
  lone.greet();
  lone.feed({kit::call(3, 1, "a/b"), kit::call(9, 1)});

  lone.session().drain();
  const auto frames = lone.sent_frames();
  const bool early = lone.session().is_drained();
  lone.feed({kit::call(10, 1)});
  static_cast<void>(lone.session().finish(3, {}, {}, nullptr, false));
  static_cast<void>(lone.session().finish(9, {}, {}, nullptr, false));

  ASSERT_EQ(frames.size(), 1u);
  EXPECT_TRUE(frames[0].is(wire::FrameType::goaway));
  EXPECT_EQ(frames[0].header.call, 9u);
  EXPECT_EQ(frames[0].header.number, 0u);
  EXPECT_FALSE(early);
  EXPECT_EQ(lone.sent_frames().size(), 2u);
  static_cast<void>(lone.events());
  EXPECT_TRUE(lone.session().is_drained());
}

TEST(ServerDrain, NeverNamesALaterIdAfterwards) {
  LoneSession lone(Role::server);
  lone.greet();
  lone.session().drain();
  static_cast<void>(lone.sent_frames());

  lone.feed({kit::call(4, 1, "a/b"), kit::finish(1)});

  const auto frames = lone.sent_frames();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_TRUE(frames[0].is(wire::FrameType::goaway));
  EXPECT_EQ(frames[0].header.call, 0u);
}

TEST(ServerDrain, IsDoneWhenTheLastResponseIsWritten) {
  LoneSession lone(Role::server);
  lone.greet();
  lone.feed({kit::call(1, 1, "a/b")});
  lone.session().drain();
  static_cast<void>(lone.events());
  static_cast<void>(lone.session().finish(1, {}, kit::payload("response"), nullptr, false));

  const bool early = lone.session().is_drained();
  static_cast<void>(lone.end().take_wake());
  static_cast<void>(lone.end().take_output());

  EXPECT_FALSE(early);
  EXPECT_TRUE(lone.end().take_wake());
  EXPECT_TRUE(lone.session().is_drained());
}

TEST(ServerDrain, TwiceSendsOneGoaway) {
  LoneSession lone(Role::server);
  lone.greet();

  lone.session().drain();
  lone.session().drain();

  EXPECT_EQ(lone.sent_frames().size(), 1u);
}

TEST(ServerDrain, BeforeHelloTakesEffectWithTheHello) {
  LoneSession lone(Role::server);
  lone.feed(kit::preface());
  lone.session().drain();
  static_cast<void>(lone.sent_frames());

  const bool early = lone.session().is_drained();
  lone.feed(kit::hello({.codecs = {"bytes"}}) + kit::call(1, 1, "a/b").bytes());

  const auto frames = lone.sent_frames();
  EXPECT_FALSE(early);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].header.call, 0u);
  EXPECT_TRUE(lone.session().is_drained());
}

TEST(ServerDrain, AfterTheClientsGoaway) {
  LoneSession lone(Role::server);
  lone.greet();
  lone.feed({kit::call(1, 1, "a/b"), kit::goaway(0)});

  lone.session().drain();

  const auto frames = lone.sent_frames();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].header.call, 1u);
  EXPECT_FALSE(lone.session().is_drained());
}

TEST(ServerDrain, DiscardsChunksOfUnseenCalls) {
  LoneSession lone(Role::server);
  lone.greet();
  lone.session().drain();
  kit::FrameSpec first = kit::call(1, 1, "a/b", "ab");
  first.flags = wire::flag::message | wire::flag::more;
  first.message_bytes = 4;
  kit::FrameSpec rest = kit::message(1, "cd", wire::flag::end);
  rest.codec = 0;

  lone.feed({first, rest});
  static_cast<void>(lone.sent_frames());

  EXPECT_FALSE(lone.session().is_closed());
  EXPECT_TRUE(lone.session().is_drained());
}

TEST(ClientOfALeavingServer, FinishesUnseenCallsAsNotRun) {
  LoneSession lone(Role::client);
  lone.greet();
  start(lone), start(lone), start(lone);

  lone.feed({kit::goaway(1)});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].type, EventType::going_away);
  EXPECT_TRUE(events[0].status.is_ok());
  EXPECT_EQ(events[1].id, 2u);
  EXPECT_EQ(events[1].status, Status(StatusCode::unavailable, "the peer is going away"));
  EXPECT_FALSE(events[1].status.may_have_run());
  EXPECT_EQ(events[2].id, 3u);
  EXPECT_FALSE(lone.session().can_start());
  EXPECT_EQ(lone.session().open_calls(), 1u);
}

TEST(ClientOfALeavingServer, StillGetsTheResponsesOfOtherCalls) {
  LoneSession lone(Role::client);
  lone.greet();
  start(lone), start(lone);

  lone.feed({kit::goaway(1), kit::finish(1, "done")});
  static_cast<void>(lone.sent_frames());

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[2].payload, "done");
  EXPECT_TRUE(lone.session().is_drained());
}

TEST(ClientOfALeavingServer, AcceptsAnEarlierIdLater) {
  LoneSession lone(Role::client);
  lone.greet();
  start(lone), start(lone);

  lone.feed({kit::goaway(2), kit::goaway(1)});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[2].id, 2u);
  EXPECT_FALSE(events[2].status.may_have_run());
}

TEST(ClientOfALeavingServer, GetsTheReason) {
  LoneSession lone(Role::client);
  lone.greet();
  start(lone);

  lone.feed({kit::goaway(0, 8, "too many")});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].status, Status(StatusCode::resource_exhausted, "the peer ended the connection: too many"));
}

TEST(ClientOfALeavingServer, CancelInTheSameTurnSuppressesTheEvent) {
  LoneSession lone(Role::client);
  lone.greet();
  start(lone);
  int finished = 0;
  lone.end().on_event = [&](Event& event) {
    if (event.type == EventType::going_away) lone.session().cancel(1, StatusCode::cancelled);
    if (event.type == EventType::finished) ++finished;
  };

  lone.feed({kit::goaway(0)});

  EXPECT_EQ(finished, 0);
}

TEST(ClientDrain, EndsWithItsLastCall) {
  LoneSession lone(Role::client);
  lone.greet();
  start(lone);

  lone.session().drain();
  const bool early = lone.session().is_drained();
  lone.feed({kit::finish(1)});
  static_cast<void>(lone.events());
  static_cast<void>(lone.sent_frames());

  EXPECT_FALSE(early);
  EXPECT_FALSE(lone.session().can_start());
  EXPECT_TRUE(lone.session().is_drained());
}

TEST(ClientDrain, BeforeHelloNeedsNoServer) {
  LoneSession lone(Role::client);

  lone.session().drain();
  static_cast<void>(lone.end().take_output());

  EXPECT_TRUE(lone.session().is_drained());
  EXPECT_FALSE(lone.session().can_start());
}

TEST(ServerOfALeavingClient, RefusesCallsAfterTheGoaway) {
  LoneSession lone(Role::server);
  lone.greet();
  kit::FrameSpec one_way = kit::call(3, 1, {}, "x");
  one_way.flags |= wire::flag::one_way;

  lone.feed({kit::call(1, 1, "a/b", "x"), kit::goaway(0), kit::call(2, 1, {}, "x"), one_way, kit::goaway(0)});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].id, 1u);
  EXPECT_EQ(events[1].type, EventType::going_away);
  EXPECT_EQ(events[2].type, EventType::going_away);
  const auto sent = lone.sent_frames();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(sent[0].header.call, 2u);
  EXPECT_EQ(sent[0].header.number, static_cast<std::uint32_t>(StatusCode::unavailable));
  EXPECT_TRUE(sent[0].header.has(wire::flag::unprocessed));
}

TEST(ServerOfALeavingClient, ServesCallsThatWereDeferredBeforeTheGoaway) {
  SessionOptions options = kit::plain_options();
  options.limits.max_unsent_bytes = 4096;
  LoneSession lone(Role::server, options);
  lone.greet();
  lone.feed({kit::call(1, 1, "a/b", "x")});
  // Queued, because the client has not granted that much: further calls wait.
  static_cast<void>(lone.session().finish(1, {}, kit::payload(std::string(200000, 'x')), nullptr, false));
  static_cast<void>(lone.events());
  lone.feed({kit::call(2, 1, {}, "y"), kit::goaway(0), kit::call(3, 1, {}, "z")});
  const auto early = lone.events();

  static_cast<void>(lone.sent_frames());
  lone.feed({kit::credit(1, 200000)});
  static_cast<void>(lone.sent_frames());

  ASSERT_EQ(early.size(), 1u);
  EXPECT_EQ(early[0].type, EventType::going_away);
  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].type, EventType::call);
  EXPECT_EQ(events[0].id, 2u);
}

TEST(Close, EndsEveryCallThenTheSession) {
  LoneSession lone(Role::server);
  lone.greet();
  lone.feed({kit::call(1, 1, "a/b"), kit::call(2, 1)});
  static_cast<void>(lone.events());

  lone.session().close(Status(StatusCode::unavailable, "stopped"));

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 3u);
  EXPECT_EQ(events[0].type, EventType::cancelled);
  EXPECT_EQ(events[1].type, EventType::cancelled);
  EXPECT_EQ(events[2].type, EventType::closed);
  EXPECT_EQ(events[2].status.message(), "stopped");
  const auto frames = lone.sent_frames();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].body, "stopped");
}

TEST(Close, SendsNothingAfterGoaway) {
  LoneSession lone(Role::server);
  lone.greet();
  lone.feed({kit::call(1, 1, "a/b"), kit::call(2, 1)});
  lone.session().close({});
  static_cast<void>(lone.sent_frames());

  static_cast<void>(lone.session().finish(1, {}, kit::payload("late"), nullptr, false));
  const Status sent = lone.session().send(2, kit::payload("late"), nullptr, false);
  lone.session().release(2, {100, 100});

  EXPECT_EQ(sent.code(), StatusCode::cancelled);
  EXPECT_FALSE(lone.session().has_output());
  const auto events = lone.events();
  ASSERT_EQ(events.size(), 4u);  // both calls, one cancelled, closed
  EXPECT_EQ(events[2].id, 2u);
  EXPECT_EQ(events.back().type, EventType::closed);
}

TEST(Close, WithinACallEventStillCancelsTheCall) {
  LoneSession lone(Role::server);
  lone.greet();
  std::vector<EventType> types;
  lone.end().on_event = [&](Event& event) {
    types.push_back(event.type);
    if (event.type != EventType::call) return;
    lone.session().close({});
    lone.session().attach(event.id, lone.context_of(event.id));
  };

  lone.feed({kit::call(1, 1, "a/b")});

  EXPECT_EQ(types, (std::vector{EventType::call, EventType::cancelled, EventType::closed}));
}

TEST(TransportClosed, OrderlyWithoutCallsIsOk) {
  LoneSession lone(Role::server);
  lone.greet();

  lone.session().transport_closed({});

  EXPECT_TRUE(lone.session().close_reason().is_ok());
}

TEST(TransportClosed, WithOpenCallsIsUnavailable) {
  LoneSession lone(Role::client);
  lone.greet();
  start(lone);

  lone.session().transport_closed({});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].status.code(), StatusCode::unavailable);
  EXPECT_EQ(events[0].status.origin(), StatusOrigin::transport);
  EXPECT_TRUE(events[0].status.may_have_run());
  EXPECT_EQ(events[1].status.message(), "connection closed by the peer");
}

TEST(TransportClosed, AmidAFrameIsNotOrderly) {
  LoneSession lone(Role::server);
  lone.greet();
  lone.feed(kit::call(1, 1, "a/b").bytes().substr(0, 20));

  lone.session().transport_closed({});

  EXPECT_EQ(lone.session().close_reason().message(), "connection closed by the peer amid a frame");
}

TEST(TransportClosed, EndsAnAttachedOneWayCallInOrder) {
  LoneSession lone(Role::server);
  lone.greet();
  kit::FrameSpec call = kit::call(1, 1, "a/b", "x");
  call.flags |= wire::flag::one_way;
  lone.feed({call});
  static_cast<void>(lone.events());

  lone.session().transport_closed({});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].type, EventType::cancelled);
  EXPECT_TRUE(events[1].status.is_ok());
}

TEST(AbandonedCall, IsFinishedByTheSession) {
  LoneSession lone(Role::server);
  lone.greet();
  lone.on_call = LoneSession::OnCall::ignore;

  lone.feed({kit::call(1, 1, "a/b")});

  const auto frames = lone.sent_frames();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].status_message, "the call was neither finished nor attached");
}

TEST(TooManyCalls, AreRefusedAsNotRun) {
  SessionOptions options = kit::plain_options();
  options.max_concurrent_calls = 2;
  LoneSession lone(Role::server, options);
  lone.greet();

  lone.feed({kit::call(1, 1, "a/b"), kit::call(2, 1), kit::call(3, 1)});

  const auto frames = lone.sent_frames();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].header.number, 8u);
  EXPECT_TRUE(frames[0].header.has(wire::flag::unprocessed));
  EXPECT_EQ(frames[0].status_message, "call: 2 calls are open on this connection, max_concurrent_calls is 2");
}

TEST(TooManyCalls, AreNotStartedOnceTheLimitIsKnown) {
  LoneSession lone(Role::client);
  lone.greet({.max_concurrent_calls = 1});
  start(lone);

  const bool may = lone.session().can_start();
  lone.feed({kit::finish(1)});

  const auto events = lone.events();
  EXPECT_FALSE(may);
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].type, EventType::writable);
  EXPECT_EQ(events[1].id, 0u);
  EXPECT_TRUE(lone.session().can_start());
}

}  // namespace
}  // namespace trunkline::session::native
