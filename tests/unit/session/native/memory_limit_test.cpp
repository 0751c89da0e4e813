// SPDX-License-Identifier: MIT
// What a session does when the budget of its server or channel is nearly used up.
#include "kit/lone_session.h"
#include "session/memory_share.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

using kit::FrameSpec;
using kit::LoneSession;
using std::chrono::milliseconds;
namespace flag = wire::flag;

constexpr std::size_t limit = 4 << 20;

class MemoryLimit : public testing::Test {
 protected:
  SessionOptions options() {
    SessionOptions options = kit::plain_options();
    options.memory = &budget;
    options.limits.call_credit_bytes = 65536;
    return options;
  }
  static FrameSpec first_chunk(CallId id, std::uint32_t total, std::string_view bytes) {
    FrameSpec frame = kit::call(id, 0, "a/b", bytes);
    frame.flags = flag::message | flag::more;
    frame.message_bytes = total;
    return frame;
  }
  static FrameSpec chunk(CallId id, std::size_t size, std::uint8_t flags) {
    FrameSpec frame = kit::message(id, std::string(size, 'c'), flags);
    frame.codec = 0;
    return frame;
  }

  /// The first call of `lone`, a/b with the number 1, whose request is retained.
  static void hold_something(LoneSession& lone) {
    lone.retain_messages = true;
    lone.feed({kit::call(1, 1, "a/b", std::string(60000, 'x'))});
    lone.retain_messages = false;
  }

  MemoryBudget budget{limit, 1};
  MemoryShare others{&budget};
};

TEST_F(MemoryLimit, NewCallsOfAConnectionThatHoldsSomethingAreRefusedWhenHalfIsUsed) {
  LoneSession lone(Role::server, options());
  lone.greet();
  hold_something(lone);
  others.update(limit / 2 + 1);

  lone.feed({kit::call(2, 1, {}, "x"), kit::call(3, 0, "c/d", "x"), first_chunk(4, 200000, "")});

  const auto sent = lone.sent_frames();
  ASSERT_EQ(sent.size(), 3u);
  for (const auto& frame : sent) {
    EXPECT_EQ(frame.header.number, static_cast<std::uint32_t>(StatusCode::resource_exhausted));
    EXPECT_TRUE(frame.header.has(flag::unprocessed));
    EXPECT_THAT(frame.status_message, testing::HasSubstr("max_memory_bytes"));
  }
  EXPECT_EQ(lone.session().open_calls(), 1u);
  others.update(0);
  lone.feed({kit::call(5, 1, {}, "x")});
  EXPECT_EQ(lone.session().open_calls(), 2u);
}

TEST_F(MemoryLimit, NewCallsOfAConnectionThatHoldsNothingAreRefusedWhenLittleIsLeft) {
  LoneSession lone(Role::server, options());
  lone.greet();
  lone.feed({kit::call(1, 1, "a/b", "x")});
  others.update(limit * 3 / 4);
  lone.feed({kit::call(2, 1, {}, "x")});
  const auto early = lone.sent_frames();

  others.update(limit * 7 / 8 + 1);
  lone.feed({kit::call(3, 1, {}, "x")});

  EXPECT_TRUE(early.empty());
  const auto sent = lone.sent_frames();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(sent[0].header.has(flag::unprocessed));
}

TEST_F(MemoryLimit, IsNotUsedByWhatPeersHaveOnlyAnnounced) {
  LoneSession greedy(Role::server, options());
  LoneSession lone(Role::server, options());
  greedy.greet();
  lone.greet();
  hold_something(lone);
  FrameSpec open = kit::call(1, 0, "a/b");
  open.flags = 0;
  open.codec = 0;
  FrameSpec first = kit::message(1, "0123456789abcdef", flag::more);
  first.message_bytes = 2900000;
  greedy.feed({open, first});
  const std::size_t used = budget.used();

  lone.feed({kit::call(2, 1, {}, "x")});

  EXPECT_GT(used, limit / 2u);
  EXPECT_TRUE(lone.sent_frames().empty());
}

TEST_F(MemoryLimit, AFrameThatIsIncompleteTakesWhatHasComeOfIt) {
  std::vector<std::unique_ptr<LoneSession>> peers;
  for (const std::size_t size : {1000u, 100000u}) {
    const std::string frame = kit::call(1, 0, "a/b", std::string(size, 'x')).bytes();
    for (const std::size_t come : {1u, 17u, 100u}) {
      auto& lone = *peers.emplace_back(std::make_unique<LoneSession>(Role::server, options()));
      lone.greet();

      lone.feed(std::string_view(frame).substr(0, come));

      EXPECT_LT(lone.session().held_bytes(), 256u) << size << " " << come;
    }
  }
  EXPECT_EQ(budget.used(), 0u);
}

TEST_F(MemoryLimit, ALongFrameWhoseCallIsRefusedLeavesNothing) {
  LoneSession lone(Role::server, options());
  lone.greet();
  others.update(limit * 7 / 8 + 1);

  lone.feed({first_chunk(1, 200000, std::string(60000, 'x'))});

  const auto sent = lone.sent_frames();
  ASSERT_FALSE(sent.empty());
  EXPECT_TRUE(sent.front().header.has(flag::unprocessed));
  EXPECT_LT(lone.session().held_bytes(), 1000u);
}

TEST_F(MemoryLimit, ALongFrameThatWaitsForRoomCountsOnce) {
  LoneSession lone(Role::server, options());
  lone.greet();
  others.update(limit * 7 / 16);

  lone.feed({first_chunk(1, 200000, std::string(60000, 'x'))});

  EXPECT_LT(lone.session().held_bytes(), 66000u + 512u);
}

TEST_F(MemoryLimit, CallsThatHaveBegunAreServed) {
  LoneSession lone(Role::server, options());
  lone.greet();
  lone.feed({first_chunk(1, 50000, "x")});
  FrameSpec open = kit::call(2, 0, "a/b");
  open.flags = 0;
  open.codec = 0;
  lone.feed({open});
  static_cast<void>(lone.events());
  others.update(limit);

  lone.feed({chunk(1, 49999, flag::end), kit::message(2, "stream")});

  EXPECT_EQ(lone.events().size(), 2u);
  EXPECT_TRUE(lone.sent_frames().empty());
}

TEST_F(MemoryLimit, LongMessagesWaitUntilOthersReturnMemory) {
  LoneSession lone(Role::server, options());
  lone.greet();
  MemoryShare reserve(&budget);
  lone.feed({first_chunk(1, 200000, "x")});
  lone.feed({kit::cancel(1)});
  others.update(limit * 3 / 4);
  ASSERT_TRUE(reserve.try_take(1));
  FrameSpec open = kit::call(2, 0, "a/b");
  open.flags = 0;
  open.codec = 0;
  others.update(0);
  lone.feed({open});
  others.update(limit * 3 / 4);
  FrameSpec first = kit::message(2, std::string(60000, 'x'), flag::more);
  first.message_bytes = 200000;

  lone.feed({first});
  const auto early = lone.sent_frames();
  others.update(0);
  lone.advance(milliseconds(5));

  EXPECT_TRUE(early.empty());
  const auto granted = lone.sent_frames();
  ASSERT_EQ(granted.size(), 1u);
  EXPECT_TRUE(granted[0].is(wire::FrameType::credit));
  EXPECT_EQ(granted[0].header.number, 60000u);
}

/// A server with calls that their handlers answer between turns, and a peer that does not read.
class WrittenBetweenTurns : public MemoryLimit {
 protected:
  WrittenBetweenTurns() {
    wire::Hello hello;
    hello.connection_credit = hello.call_credit = 4 << 20;
    lone.greet(hello);
    for (const CallId id : {1, 2, 3, 4, 5, 6}) {
      FrameSpec open = kit::call(id, 0, "a/b");
      open.flags = 0;
      open.codec = 0;
      lone.feed({open});
    }
    static_cast<void>(lone.events());
    static_cast<void>(lone.sent_frames());
  }

  const std::string text = std::string(40'000, 'x');
  LoneSession lone{Role::server, options()};
};

TEST_F(WrittenBetweenTurns, MessagesAreCountedAtOnce) {
  for (int i = 0; i < 6; ++i) EXPECT_TRUE(lone.session().send(1, kit::payload(text), nullptr, false).is_ok());

  EXPECT_GE(budget.used(), 6 * text.size());
  static_cast<void>(lone.sent_frames());
  EXPECT_EQ(budget.used(), 0u);
}

TEST_F(WrittenBetweenTurns, ResponsesAreCountedAtOnce) {
  for (const CallId id : {1, 2, 3, 4, 5, 6})
    EXPECT_TRUE(lone.session().finish(id, {}, kit::payload(text), nullptr, false).is_ok());

  EXPECT_GE(budget.used(), 6 * text.size());
}

TEST_F(MemoryLimit, OneLongMessageAlwaysGetsRoom) {
  LoneSession lone(Role::server, options());
  lone.greet();
  FrameSpec open = kit::call(2, 0, "a/b");
  open.flags = 0;
  open.codec = 0;
  lone.feed({open});
  others.update(limit * 3 / 4);
  FrameSpec first = kit::message(2, std::string(60000, 'x'), flag::more);
  first.message_bytes = 200000;

  lone.feed({first});

  EXPECT_EQ(lone.sent_frames().size(), 1u);
}

TEST_F(MemoryLimit, MessagesThatWaitForRoomDoNotKeepEachOtherWaiting) {
  LoneSession lone(Role::server, options());
  lone.greet();
  static_cast<void>(lone.sent_frames());
  for (const CallId id : {1, 2, 3}) {
    FrameSpec open = kit::call(id, 0, "a/b");
    open.flags = 0;
    open.codec = 0;
    lone.feed({open});
  }
  static_cast<void>(lone.events());
  // A message of another connection has the reserve, until these have come as far as their credit reaches.
  MemoryShare reserve(&budget);
  others.update(limit * 3 / 4);
  ASSERT_TRUE(reserve.try_take(1));
  for (const CallId id : {1, 2, 3}) {
    FrameSpec first = kit::message(id, std::string(60000, 'x'), flag::more);
    first.message_bytes = 200000;
    lone.feed({first});
  }
  others.update(limit);
  reserve.free_reserve();

  lone.advance(milliseconds(5));
  for (int i = 0; i < 7; ++i) lone.feed({chunk(1, 20000, i < 6 ? flag::more : 0)});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].payload.size(), 200000u);
}

TEST_F(MemoryLimit, ClientsThatHoldNothingStartNoCallsWhenLittleIsLeft) {
  LoneSession lone(Role::client, options());
  lone.greet();
  static_cast<void>(lone.events());
  others.update(limit * 7 / 8 + 1);
  const bool early = lone.session().can_start();

  others.update(0);
  lone.advance(milliseconds(5));

  EXPECT_FALSE(early);
  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].type, EventType::writable);
  EXPECT_TRUE(lone.session().can_start());
}

TEST_F(MemoryLimit, NothingIsReadFromAConnectionWithUnreadMessagesWhenAllIsUsed) {
  LoneSession lone(Role::server, options());
  lone.greet();
  lone.retain_messages = true;
  lone.feed({kit::call(1, 0, "a/b", std::string(60000, 'x')), kit::call(2, 0, "a/b", std::string(60000, 'x'))});
  others.update(limit);
  std::array<MutableByteSpan, 2> room;

  const std::size_t paused = lone.session().prepare_receive(room);
  others.update(0);

  EXPECT_EQ(paused, 0u);
  EXPECT_GT(lone.session().prepare_receive(room), 0u);
}

TEST_F(MemoryLimit, OfAnAddressIsThatOfAllItsConnections) {
  const auto account = std::make_shared<MemoryAccount>(budget, 25);
  LoneSession lone(Role::server, options(), account);
  LoneSession elsewhere(Role::server, options());
  MemoryShare same_address(&budget, account);
  lone.greet();
  elsewhere.greet();
  // Less unread than would keep the connection from being read.
  for (LoneSession* const each : {&lone, &elsewhere}) {
    each->retain_messages = true;
    each->feed({kit::call(1, 1, "a/b", std::string(15000, 'x'))});
    each->retain_messages = false;
    for (CallId id = 2; id < 6; ++id) each->feed({kit::call(id, 1, {}, "x")});
  }
  same_address.update(limit / 4);

  lone.feed({kit::call(6, 1, {}, "x")});
  elsewhere.feed({kit::call(6, 1, {}, "x")});

  const auto sent = lone.sent_frames();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(sent[0].header.has(flag::unprocessed));
  EXPECT_THAT(sent[0].status_message, testing::HasSubstr("max_memory_percent_per_peer"));
  EXPECT_TRUE(elsewhere.sent_frames().empty());
  EXPECT_EQ(elsewhere.session().open_calls(), 6u);
}

TEST_F(MemoryLimit, OfLongFramesLetsOneConnectionAtATimeGoOn) {
  LoneSession first(Role::server, options());
  LoneSession second(Role::server, options());
  const std::string frame = kit::call(1, 0, "a/b", std::string(40000, 'x')).bytes();
  for (LoneSession* const lone : {&first, &second}) {
    lone->greet();
    lone->feed(frame.substr(0, 20000));
  }
  others.update(limit);
  std::array<MutableByteSpan, 2> room;

  EXPECT_GT(first.session().prepare_receive(room), 0u);
  EXPECT_EQ(second.session().prepare_receive(room), 0u);
  others.update(0);
  first.feed(frame.substr(20000));
  others.update(limit);
  EXPECT_GT(second.session().prepare_receive(room), 0u);
  others.update(0);
}

TEST_F(MemoryLimit, LetsAPeerThatIsNotReadKnowThatThisSideIsAlive) {
  SessionOptions with_keepalive = options();
  with_keepalive.limits.keepalive_interval = milliseconds(1000);
  with_keepalive.limits.keepalive_timeout = milliseconds(1000);
  LoneSession lone(Role::server, with_keepalive);
  lone.greet();
  lone.retain_messages = true;
  lone.feed({kit::call(1, 0, "a/b", std::string(60000, 'x')), kit::call(2, 0, "a/b", std::string(60000, 'x'))});
  static_cast<void>(lone.sent_frames());
  others.update(limit);
  std::array<MutableByteSpan, 2> room;
  int signs_of_life = 0;

  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(lone.session().prepare_receive(room), 0u);
    lone.advance(milliseconds(10));
    for (const auto& frame : lone.sent_frames()) {
      EXPECT_TRUE(frame.is(wire::FrameType::pong));
      ++signs_of_life;
    }
  }

  EXPECT_FALSE(lone.session().is_closed()) << "a pong of the peer may wait in the socket";
  EXPECT_GE(signs_of_life, 3);
  EXPECT_LE(signs_of_life, 5);
  others.update(0);
}

TEST_F(MemoryLimit, KeepaliveDoesNotEndAConnectionThatIsNotRead) {
  SessionOptions with_keepalive = options();
  with_keepalive.limits.keepalive_interval = milliseconds(10000);
  with_keepalive.limits.keepalive_timeout = milliseconds(3000);
  LoneSession lone(Role::server, with_keepalive);
  lone.greet();
  lone.retain_messages = true;
  lone.feed({kit::call(1, 0, "a/b", std::string(60000, 'x')), kit::call(2, 0, "a/b", std::string(60000, 'x'))});
  others.update(limit);
  std::array<MutableByteSpan, 2> room;

  for (int second = 0; second < 60; ++second) {
    static_cast<void>(lone.session().prepare_receive(room));
    lone.advance(milliseconds(1000));
    static_cast<void>(lone.sent_frames());
  }
  EXPECT_FALSE(lone.session().is_closed());
}

TEST_F(MemoryLimit, HeldBytesAreWhatTheBudgetIsChargedWith) {
  LoneSession lone(Role::server, options());
  lone.greet();
  EXPECT_EQ(lone.session().held_bytes(), 0u);
  lone.retain_messages = true;

  lone.feed({kit::call(1, 0, "a/b", std::string(60000, 'x'))});
  const std::size_t unread = lone.session().held_bytes();
  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  lone.session().release(1, events[0].credit);
  const std::size_t open = lone.session().held_bytes();
  static_cast<void>(lone.session().finish(1, {}, {}, nullptr, false));
  static_cast<void>(lone.sent_frames());

  EXPECT_GE(unread, 60000u);
  EXPECT_LE(unread, 62000u);
  EXPECT_GT(open, 0u);
  EXPECT_LE(open, 1024u);
  EXPECT_EQ(lone.session().held_bytes(), 0u);
}

TEST_F(MemoryLimit, CountsWhatWaitsForThePeer) {
  {
    LoneSession lone(Role::server, options());
    lone.greet();
    lone.on_call = LoneSession::OnCall::ignore;
    lone.end().on_event = [&](Event& event) {
      if (event.type == EventType::call)
        static_cast<void>(lone.session().finish(event.id, {}, kit::payload(std::string(1000000, 'r')), nullptr, false));
    };

    lone.feed({kit::call(1, 0, "a/b", "x")});

    EXPECT_GE(budget.used(), 900000u);
    EXPECT_LE(budget.used(), 1200000u);
  }
  EXPECT_EQ(budget.used(), 0u);
}

TEST_F(MemoryLimit, CountsWhatWaitsForThePeerWithEachWrite) {
  LoneSession lone(Role::server, options());
  lone.greet();
  lone.on_call = LoneSession::OnCall::ignore;
  std::size_t used = 0;
  lone.end().on_event = [&](Event& event) {
    if (event.type != EventType::call) return;
    static_cast<void>(lone.session().finish(event.id, {}, kit::payload(std::string(1000000, 'r')), nullptr, false));
    // As at the end of a turn after which events are left.
    std::array<ByteSpan, 16> spans;
    static_cast<void>(lone.session().gather(spans));
    used = budget.used();
  };

  lone.feed({kit::call(1, 0, "a/b", "x")});

  EXPECT_GE(used, 900000u);
}

TEST_F(MemoryLimit, ResponsesThatWaitRefuseTheNextCallsOfTheSameTurn) {
  LoneSession lone(Role::server, options());
  lone.greet();
  lone.on_call = LoneSession::OnCall::ignore;
  int served = 0;
  lone.end().on_event = [&](Event& event) {
    if (event.type != EventType::call) return;
    ++served;
    static_cast<void>(lone.session().finish(event.id, {}, kit::payload(std::string(600000, 'r')), nullptr, false));
  };
  std::string calls = kit::call(1, 1, "a/b", "x").bytes();
  for (CallId id = 2; id <= 20; ++id) calls += kit::call(id, 1, {}, "x").bytes();

  lone.feed(calls);

  EXPECT_EQ(served, 4) << "half of 4 MiB";
}

TEST_F(MemoryLimit, CountsSmallUnreadMessagesWithWhatTheyOccupy) {
  LoneSession lone(Role::server, options());
  lone.greet();
  lone.retain_messages = true;
  FrameSpec open = kit::call(2, 0, "a/b");
  open.flags = 0;
  open.codec = 0;
  lone.feed({open});
  for (int i = 0; i < 5000; ++i) lone.feed({kit::message(2, "8 bytes.")});

  EXPECT_GE(budget.used(), 5000u * (8 + 16));
}

/// Empty messages of one kind take one record, and those of several kinds one each.
TEST_F(MemoryLimit, CountsEmptyUnreadMessagesWithWhatTheyOccupy) {
  for (const bool alternate : {false, true}) {
    LoneSession lone(Role::server, options());
    lone.greet();
    lone.retain_messages = true;
    FrameSpec open = kit::call(2, 0, "a/b");
    open.flags = 0;
    open.codec = 0;
    lone.feed({open});
    const std::size_t before = lone.session().held_bytes();
    for (int i = 0; i < 5000; ++i) {
      FrameSpec message = kit::message(2, "");
      if (alternate && i % 2 == 0) message.codec = 0;
      lone.feed({message});
    }

    const std::size_t held = lone.session().held_bytes() - before;
    EXPECT_GE(held, alternate ? 5000u * 16 : 16u);
    EXPECT_LE(held, alternate ? 5000u * 16 * 2 : 1000u);

    for (const auto& event : lone.events()) lone.session().release(event.id, event.credit);
    EXPECT_EQ(lone.session().held_bytes(), before);
  }
}

}  // namespace
}  // namespace trunkline::session::native
