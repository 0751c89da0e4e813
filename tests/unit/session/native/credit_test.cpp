// SPDX-License-Identifier: MIT
// Flow control in both directions, and the bounds for a peer that does not read.
#include "kit/lone_session.h"
#include "kit/session_pair.h"
#include "session/memory_share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

using kit::FrameSpec;
using kit::LoneSession;
namespace flag = wire::flag;

FrameSpec open_stream(std::uint32_t id, std::string_view bytes = {}) {
  FrameSpec call = kit::call(id, 0, "a/b", bytes);
  call.flags = flag::message;
  return call;
}

SessionOptions tight() {
  SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = 65536;
  options.limits.connection_credit_bytes = 1 << 20;
  return options;
}

std::uint64_t granted(LoneSession& lone, CallId id) {
  std::uint64_t sum = 0;
  for (const auto& frame : lone.sent_frames()) {
    if (frame.is(wire::FrameType::credit) && frame.header.call == id) sum += frame.header.number;
  }
  return sum;
}

TEST(ReceivedCredit, OfACallIsEnforced) {
  LoneSession lone(Role::server, tight());
  lone.greet();
  lone.retain_messages = true;

  lone.feed({open_stream(1, std::string(65536, 'x'))});
  const bool early = lone.session().is_closed();
  lone.feed({kit::message(1, "x")});

  EXPECT_FALSE(early);
  EXPECT_EQ(lone.session().close_reason().message(), "receive message: call 1 is 1 bytes over call_credit_bytes 65536");
  EXPECT_EQ(lone.sent_frames().back().header.number, 8u);
}

TEST(ReceivedCredit, OfTheFirstFrameIsEnforced) {
  LoneSession lone(Role::server, tight());
  lone.greet();

  lone.feed({open_stream(1, std::string(65537, 'x'))});

  EXPECT_EQ(lone.session().close_reason().message(), "receive call: 65537 bytes exceed call_credit_bytes 65536");
}

TEST(ReceivedCredit, OfAFinishIsEnforced) {
  LoneSession lone(Role::client, tight());
  lone.greet();
  ASSERT_TRUE(lone.session().start({.method = {1, "a/b"}, .context = lone.context_of(1)}, {}).is_ok());

  lone.feed({kit::finish(1, std::string(65537, 'x'))});

  EXPECT_EQ(lone.session().close_reason().message(), "receive finish: call 1 goes over call_credit_bytes 65536");
}

TEST(ReceivedCredit, OfTheConnectionIsEnforced) {
  LoneSession lone(Role::server, tight());
  lone.greet();
  lone.queue_messages = true;

  for (std::uint32_t id = 1; id <= 20 && !lone.session().is_closed(); ++id)
    lone.feed({open_stream(id, std::string(65536, 'x'))});

  EXPECT_THAT(std::string(lone.session().close_reason().message()),
              testing::HasSubstr("connection_credit_bytes 1048576"));
  EXPECT_EQ(lone.sent_frames().back().header.number, 8u);
}

TEST(ReceivedCredit, OfAFrameNotAllowedTakesNoMemoryForIt) {
  LoneSession lone(Role::server, tight());
  lone.greet();
  lone.queue_messages = true;
  for (std::uint32_t id = 1; id <= 15; ++id) lone.feed({open_stream(id, std::string(65536, 'x'))});

  lone.feed(open_stream(16, std::string(65536, 'x')).bytes().substr(0, 16));
  const bool closed_early = lone.session().is_closed();
  lone.feed(open_stream(16, std::string(65536, 'x')).bytes().substr(16));
  lone.feed(open_stream(17, std::string(65536, 'x')).bytes().substr(0, 16));

  EXPECT_EQ(closed_early, true);
  EXPECT_THAT(std::string(lone.session().close_reason().message()),
              testing::HasSubstr("exceeds the credit left of connection_credit_bytes 1048576"));
}

TEST(ReceivedCredit, OfTheConnectionIsNotHeldByUnreadMessages) {
  LoneSession lone(Role::server, tight());
  lone.greet();
  lone.retain_messages = true;

  for (std::uint32_t id = 1; id <= 64; ++id) lone.feed({open_stream(id, std::string(65536, 'x'))});

  EXPECT_EQ(lone.events().size(), 64u);
  EXPECT_TRUE(lone.session().close_reason().is_ok()) << lone.session().close_reason().to_string();
  EXPECT_GE(granted(lone, 0), 3u << 20);
}

/// The application may never read what they wait for.
TEST(ReceivedCredit, OfTheConnectionIsNotHeldByMessagesBehindUnreadOnes) {
  LoneSession lone(Role::server, tight());
  lone.greet();
  lone.retain_messages = true;
  const auto begin_long = [](FrameSpec frame) {
    frame.flags |= flag::more;
    frame.message_bytes = 70000;
    return frame;
  };
  const auto rest_of_long = [](std::uint32_t id, std::size_t bytes) {
    FrameSpec frame = kit::message(id, std::string(bytes, 'x'));
    frame.codec = 0;
    return frame;
  };

  for (std::uint32_t id = 1; id <= 40; ++id) {
    lone.feed({begin_long(open_stream(id, std::string(60000, 'x')))});
    lone.feed({rest_of_long(id, 10000)});
    lone.feed({begin_long(kit::message(id, std::string(50000, 'x')))});
  }

  const auto events = lone.events();
  EXPECT_TRUE(lone.session().close_reason().is_ok()) << lone.session().close_reason().to_string();
  EXPECT_EQ(events.size(), 40u);
  EXPECT_GE(granted(lone, 0), 40u * 120000 - (1 << 20));
  EXPECT_GE(lone.session().held_bytes(), 40u * 120000);
  // Each goes on once what is before it has been read, and the end of calls leaves nothing behind.
  for (std::uint32_t id = 1; id <= 20; ++id) lone.session().release(id, events[id - 1].credit);
  lone.advance({});
  for (std::uint32_t id = 1; id <= 20; ++id) lone.feed({rest_of_long(id, 20000)});
  EXPECT_EQ(lone.events().size(), 20u);
  for (std::uint32_t id = 1; id <= 40; ++id) lone.feed({kit::cancel(id)});
  EXPECT_TRUE(lone.session().close_reason().is_ok()) << lone.session().close_reason().to_string();
}

TEST(ReturnedCredit, IsGrantedWhenTheApplicationReleasesTheMessage) {
  LoneSession lone(Role::server, tight());
  lone.greet();
  lone.retain_messages = true;
  lone.feed({open_stream(1, std::string(40000, 'x'))});
  const auto events = lone.events();
  const auto retained = granted(lone, 1);

  lone.session().release(1, events[0].credit);

  EXPECT_EQ(retained, 0u);
  EXPECT_EQ(events[0].credit.call_bytes, 40000u);
  EXPECT_EQ(granted(lone, 1), 40000u);
}

TEST(ReturnedCredit, IsGrantedAtOnceForMessagesThatAreNotRetained) {
  LoneSession lone(Role::server, tight());
  lone.greet();

  lone.feed({open_stream(1, std::string(30000, 'x')), kit::message(1, std::string(10000, 'x'))});
  static_cast<void>(lone.events());

  EXPECT_EQ(granted(lone, 1), 40000u);
}

TEST(ReturnedCredit, OfUnfinishedMessagesIsGrantedAsTheyArrive) {
  LoneSession lone(Role::server, tight());
  lone.greet();
  FrameSpec first = open_stream(1, std::string(40000, 'x'));
  first.flags |= flag::more;
  first.message_bytes = 100000;

  lone.feed({first});

  EXPECT_EQ(granted(lone, 1), 40000u);
}

TEST(ReturnedCredit, OfTheConnectionIsGrantedForDiscardedFrames) {
  LoneSession lone(Role::server, tight());
  lone.greet();
  lone.feed({open_stream(1), kit::cancel(1)});

  for (int i = 0; i < 10; ++i) lone.feed({kit::message(1, std::string(60000, 'x'))});

  EXPECT_GE(granted(lone, 0), 524288u);
}

TEST(SentCredit, OfACallIsNotExceeded) {
  LoneSession lone(Role::client);
  lone.greet({.max_frame_bytes = 1 << 20, .call_credit = 65536});
  int context = 0;

  ASSERT_TRUE(lone.session()
                  .start({.method = {1, "a/b"}, .context = &context}, kit::payload(std::string(200000, 'x')))
                  .is_ok());
  std::size_t first = 0;
  for (const auto& frame : lone.sent_frames()) first += frame.message.size();
  lone.feed({kit::credit(1, 10000)});
  std::size_t second = 0;
  for (const auto& frame : lone.sent_frames()) second += frame.message.size();

  EXPECT_EQ(first, 65536u);
  EXPECT_EQ(second, 10000u);
}

TEST(SentCredit, OfTheConnectionIsNotExceeded) {
  LoneSession lone(Role::client);
  lone.greet({.call_credit = 1 << 20});
  int context = 0;
  std::size_t cost = 0;

  for (int i = 0; i < 30; ++i) {
    static_cast<void>(
        lone.session().start({.method = {1, "a/b"}, .context = &context}, kit::payload(std::string(60000, 'x'))));
    for (const auto& frame : lone.sent_frames()) cost += 16 + frame.header.length;
  }

  EXPECT_LE(cost, 1048576u);
  EXPECT_GT(cost, 1040000u);
  lone.feed({kit::credit(0, 100000)});
  for (const auto& frame : lone.sent_frames()) cost += 16 + frame.header.length;
  EXPECT_LE(cost, 1148576u);
  EXPECT_GT(cost, 1140000u);
}

TEST(SentCredit, LargeMetadataNeverOverdrawsIt) {
  LoneSession lone(Role::client);
  lone.greet({.max_header_bytes = 1 << 20});
  Metadata metadata;
  metadata.add("large", std::string(60000, 'v'));
  std::size_t cost = 0;
  int context = 0;

  for (int i = 0; i < 30; ++i) {
    static_cast<void>(lone.session().start({.method = {1, "a/b"}, .metadata = &metadata, .context = &context}, {}));
    for (const auto& frame : lone.sent_frames()) {
      cost += 16 + frame.header.length;
      EXPECT_LE(frame.header.length, 65536u);
    }
  }

  EXPECT_LE(cost, 1048576u);
}

TEST(SentCredit, IsNotNeededForErrorsAndCancellations) {
  LoneSession lone(Role::server);
  lone.greet();
  lone.feed({open_stream(1), open_stream(2)});
  static_cast<void>(lone.events());
  static_cast<void>(lone.session().send(1, kit::payload(std::string(60000, 'x')), nullptr, false));
  for (int i = 0; i < 40; ++i) {
    const CallId id = 3 + static_cast<CallId>(i);
    lone.feed({open_stream(id)});
    static_cast<void>(lone.session().finish(id, {}, kit::payload(std::string(60000, 'x')), nullptr, false));
    static_cast<void>(lone.sent_frames());
  }

  static_cast<void>(lone.session().finish(2, Status(StatusCode::aborted, "no credit needed"), {}, nullptr, false));

  const auto frames = lone.sent_frames();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].status_message, "no credit needed");
}

TEST(HeaderLimit, OfMetadataIsCheckedBeforeSending) {
  LoneSession lone(Role::client);
  lone.greet();
  Metadata metadata;
  metadata.add("large", std::string(8192, 'v'));

  const auto started = lone.session().start({.method = {1, "a/b"}, .metadata = &metadata}, {});

  EXPECT_EQ(started.status().message(), "start call: metadata of 8203 bytes exceeds the peer's max_header_bytes 8192");
}

TEST(HeaderLimit, OfTrailingMetadataTurnsTheResponseIntoAnError) {
  LoneSession lone(Role::server);
  lone.greet();
  lone.feed({kit::call(1, 1, "a/b")});
  Metadata trailing;
  trailing.add("large", std::string(8192, 'v'));

  const Status sent = lone.session().finish(1, {}, kit::payload("x"), &trailing, false);

  EXPECT_EQ(sent.message(), "finish call: trailing metadata exceeds the peer's max_header_bytes 8192");
}

TEST(PeerThatDoesNotRead, StopsTheServerFromReading) {
  LoneSession lone(Role::server);
  lone.greet();
  lone.on_call = LoneSession::OnCall::echo;
  std::size_t fed = 0;

  for (std::uint32_t id = 1; id <= 100000; ++id) {
    const std::string bytes = kit::call(id, 0, "a/b", std::string(1000, 'x')).bytes();
    const std::size_t before = lone.end().feed(bytes, lone.clock().now());
    lone.end().turn();
    if (before < bytes.size()) break;
    fed += bytes.size();
  }

  EXPECT_LT(fed, 3u << 20);
  EXPECT_LT(lone.session().unsent_bytes(), 2u << 20);
}

TEST(PeerThatDoesNotRead, IsServedAgainOnceItReads) {
  SessionOptions options = kit::plain_options();
  options.limits.max_unsent_bytes = 10000;
  LoneSession lone(Role::server, options);
  lone.greet();
  lone.on_call = LoneSession::OnCall::echo;
  std::string bytes;
  for (std::uint32_t id = 1; id <= 100; ++id) bytes += kit::call(id, 0, "a/b", std::string(500, 'x')).bytes();
  static_cast<void>(lone.end().feed(bytes, lone.clock().now()));
  lone.end().turn();
  const auto early = lone.sent_frames();

  std::size_t later = 0;
  while (lone.end().take_wake()) {
    lone.end().turn();
    later += lone.sent_frames().size();
  }

  EXPECT_LT(early.size(), 30u);
  EXPECT_EQ(early.size() + later, 100u);
}

TEST(PeerWithoutCredit, DefersNewCallsAndServesOpenOnes) {
  SessionOptions options = kit::plain_options();
  options.limits.max_unsent_bytes = 4096;
  LoneSession lone(Role::server, options);
  lone.greet();
  lone.feed({open_stream(1)});
  static_cast<void>(lone.events());
  lone.on_call = LoneSession::OnCall::echo;
  // Responses of 60000 bytes until the early credit of 1 MiB is used up and 16 times max_unsent_bytes are queued.
  for (std::uint32_t id = 2; id <= 40; ++id) {
    lone.feed({kit::call(id, 0, "a/b", std::string(60000, 'x'))});
    static_cast<void>(lone.sent_frames());
    lone.end().turn();
  }
  const std::size_t unsent = lone.session().unsent_bytes();
  static_cast<void>(lone.events());

  lone.feed({kit::message(1, "passes"), kit::call(41, 0, "a/b", "waits"), kit::ping()});
  const auto before = lone.events();
  const auto frames = lone.sent_frames();
  for (int i = 0; i < 40; ++i) {
    lone.feed({kit::credit(0, 100000)});
    static_cast<void>(lone.sent_frames());
    lone.end().turn();
  }
  const auto after = lone.events();

  EXPECT_LT(unsent, 500000u);
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(before[0].payload, "passes");
  ASSERT_FALSE(frames.empty());
  EXPECT_TRUE(frames.back().is(wire::FrameType::pong));
  ASSERT_FALSE(after.empty());
  EXPECT_EQ(after.back().payload, "waits");
}

TEST(PeerWithoutCredit, MayStillGrantCreditAndCancel) {
  for (const bool cancels : {false, true}) {
    SessionOptions options = kit::plain_options();
    options.limits.max_unsent_bytes = 1000;
    LoneSession lone(Role::server, options);
    lone.greet({.call_credit = 65536});
    lone.feed({open_stream(1), kit::call(2, 0, "a/b", "x")});
    static_cast<void>(lone.events());
    // The rest of this response waits for the call's own credit: new calls are deferred.
    static_cast<void>(lone.session().finish(2, {}, kit::payload(std::string(200000, 'x')), nullptr, false));
    static_cast<void>(lone.sent_frames());
    lone.feed({open_stream(3), kit::call(4, 0, "a/b", "y"), kit::message(3, "z"), kit::message(1, "w")});
    const auto before = lone.events();

    if (cancels) {
      lone.feed({kit::cancel(2)});
    } else {
      lone.feed({kit::credit(2, 200000)});
    }
    for (int i = 0; i < 10; ++i) static_cast<void>(lone.sent_frames()), lone.end().turn();
    const auto after = lone.events();

    ASSERT_EQ(before.size(), 1u);
    EXPECT_EQ(before[0].payload, "w");
    ASSERT_EQ(after.size(), 3u);
    EXPECT_EQ(after[0].id, 3u);
    EXPECT_EQ(after[1].payload, "z");
    EXPECT_EQ(after[2].id, 4u);
  }
}

TEST(PeerWithoutCredit, CannotAccumulateFramesThatCostNoCredit) {
  SessionOptions options = kit::plain_options();
  options.limits.max_unsent_bytes = 200;
  LoneSession lone(Role::server, options);
  lone.greet();
  lone.on_call = LoneSession::OnCall::echo;
  for (std::uint32_t id = 1; id <= 60; ++id) {
    lone.feed({kit::call(id, 0, "a/b", std::string(30000, 'x'))});
    static_cast<void>(lone.sent_frames());
    lone.end().turn();
  }

  for (int i = 0; i < 3000 && !lone.session().is_closed(); ++i) lone.feed({kit::cancel(60)});

  EXPECT_THAT(std::string(lone.session().close_reason().message()), testing::HasSubstr("frames wait for"));
}

TEST(StreamWriter, IsNotifiedWhenItMayContinue) {
  LoneSession lone(Role::client);
  lone.greet();
  ASSERT_TRUE(lone.session().start({.method = {1, "a/b"}, .end = false, .context = lone.context_of(1)}, {}).is_ok());
  ASSERT_TRUE(lone.session().send(1, kit::payload(std::string(65536, 'x')), nullptr, false).is_ok());
  const bool first = lone.session().is_writable(1);
  ASSERT_TRUE(lone.session().send(1, kit::payload("waits"), nullptr, false).is_ok());
  static_cast<void>(lone.sent_frames());

  const bool second = lone.session().is_writable(1);
  const auto before = lone.events();
  lone.feed({kit::credit(1, 10)});
  const auto frames = lone.sent_frames();
  const auto after = lone.events();

  EXPECT_TRUE(first);
  EXPECT_FALSE(second);
  EXPECT_TRUE(before.empty());
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].message, "waits");
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0].type, EventType::writable);
  EXPECT_EQ(after[0].context, lone.context_of(1));
}

/// The calls from `first` to `last`, without requests.
void feed_calls(LoneSession& lone, CallId first, CallId last) {
  std::string bytes;
  for (CallId id = first; id <= last; ++id) bytes += kit::call(id, 1, {}, "").bytes();
  lone.feed(bytes);
}

/// The client of `lone` takes none of a long response, so that its further calls are deferred.
void begin_deferring(LoneSession& lone) {
  lone.greet({.call_credit = 65536});
  lone.feed({kit::call(1, 1, "a/b", "x")});
  static_cast<void>(lone.session().finish(1, {}, kit::payload(std::string(200000, 'x')), nullptr, false));
  static_cast<void>(lone.sent_frames());
  feed_calls(lone, 2, 2);
}

SessionOptions with_little_unsent() {
  SessionOptions options = kit::plain_options();
  options.limits.max_unsent_bytes = 1000;
  return options;
}

TEST(PeerWithoutCredit, IsChargedForTheCallsThatWait) {
  LoneSession lone(Role::server, with_little_unsent());
  begin_deferring(lone);
  const std::size_t before = lone.session().held_bytes();

  feed_calls(lone, 3, 1002);

  EXPECT_GE(lone.session().held_bytes() - before, 64'000u);
}

/// What holds new calls up may be held back itself, without a byte being written: then the calls go on.
TEST(PeerWithoutCredit, LetsCallsGoOnWhenOthersAreHeldBack) {
  LoneSession lone(Role::server);
  lone.on_call = LoneSession::OnCall::ignore;
  bool has_come = false;
  lone.end().on_event = [&](Event& event) {
    if (event.type != EventType::call) return;
    if (event.id == 100) {
      has_come = true;
      static_cast<void>(lone.session().finish(event.id, {}, kit::payload("r"), nullptr, false));
    } else {
      lone.session().attach(event.id, lone.context_of(event.id));
    }
  };
  lone.greet();
  // The first messages use up the credit of the connection, and each second one is longer than its call's.
  for (CallId id = 1; id <= 16; ++id) lone.feed({kit::call(id, 1, id == 1 ? "a/b" : "", "x")});
  for (CallId id = 1; id <= 16; ++id) {
    static_cast<void>(lone.session().send(id, kit::payload(std::string(65500, 'm')), nullptr, false));
    static_cast<void>(lone.sent_frames());
  }
  for (CallId id = 1; id <= 16; ++id)
    static_cast<void>(lone.session().send(id, kit::payload(std::string(1100000, 'm')), nullptr, false));
  static_cast<void>(lone.sent_frames());
  lone.feed({kit::call(100, 1, {}, "x")});
  ASSERT_FALSE(has_come);
  static_cast<void>(lone.end().take_wake());

  lone.feed({kit::credit(0, 1 << 20)});
  static_cast<void>(lone.sent_frames());

  EXPECT_TRUE(has_come || lone.end().take_wake());
  lone.end().turn();
  EXPECT_TRUE(has_come);
}

TEST(PeerWithoutCredit, LetsNoCallsWaitWhileMemoryIsShort) {
  MemoryBudget budget(8 << 20, 1);
  MemoryShare others(&budget);
  SessionOptions options = with_little_unsent();
  options.memory = &budget;
  LoneSession lone(Role::server, options);
  begin_deferring(lone);
  const std::size_t before = lone.session().held_bytes();
  const auto while_there_is_memory = lone.sent_frames();
  others.update(7 << 20);

  std::vector<CallId> refused;
  for (CallId id = 3; id < 40; ++id) {
    lone.feed({kit::call(id, 1, {}, std::string(50000, 'x'))});
    for (const auto& frame : lone.sent_frames()) {
      if (frame.is(wire::FrameType::credit)) continue;
      EXPECT_EQ(frame.header.number, static_cast<std::uint32_t>(StatusCode::resource_exhausted));
      EXPECT_TRUE(frame.header.has(wire::flag::unprocessed));
      refused.push_back(frame.header.call);
    }
    EXPECT_LE(lone.session().held_bytes(), before) << id;
  }

  EXPECT_TRUE(while_there_is_memory.empty());
  ASSERT_EQ(refused.size(), 38u);
  EXPECT_EQ(refused.front(), 2u) << "the call that has waited";
}

TEST(PeerWithoutCredit, IsNotDisconnectedForCallsThatWaitWhenMemoryBecomesShort) {
  MemoryBudget budget(8 << 20, 1);
  MemoryShare others(&budget);
  SessionOptions options = with_little_unsent();
  options.memory = &budget;
  options.max_concurrent_calls = 1;
  const CallId most = wire::Hello().max_concurrent_calls;
  LoneSession lone(Role::server, options);
  begin_deferring(lone);
  feed_calls(lone, 3, most + 10);
  others.update(7 << 20);

  feed_calls(lone, most + 11, most + 11);
  std::size_t refused = 0;
  for (std::vector<kit::SeenFrame> sent = lone.sent_frames(); !sent.empty(); sent = lone.sent_frames()) {
    refused += sent.size();
    lone.end().turn();  // reads on, as the peer has taken what waited for it
  }

  EXPECT_FALSE(lone.session().is_closed()) << lone.session().close_reason().to_string();
  EXPECT_EQ(refused, most + 10) << "all of them are refused";
}

}  // namespace
}  // namespace trunkline::session::native
