// SPDX-License-Identifier: MIT
// Frames whose bodies have blocks of their own, and the credit of long unread messages.
#include "kit/lone_session.h"

#include <algorithm>
#include <map>

namespace trunkline::session::native {

namespace {

using kit::FrameSpec;
using kit::LoneSession;

constexpr std::size_t small_reads = 4096;

FrameSpec first_chunk(std::uint32_t call, std::size_t total, std::string bytes) {
  FrameSpec frame = kit::message(call, bytes, wire::flag::more);
  frame.message_bytes = total;
  return frame;
}

/// A client with call 1 open.
void begin_call(LoneSession& lone) {
  lone.greet();
  ASSERT_TRUE(lone.session().start({.method = {1, "a/b"}, .context = lone.context_of(1)}, kit::payload("x")).is_ok());
}

}  // namespace

TEST(LongBodies, TrailingMetadataOutlivesTheLastChunk) {
  LoneSession lone(Role::client);
  begin_call(lone);
  FrameSpec end = kit::finish(1, std::string(15000, 'b'));
  end.codec = 0;
  end.metadata.add("checksum", std::string(300, 'c'));

  lone.feed(first_chunk(1, 20000, std::string(5000, 'a')).bytes() + end.bytes(), small_reads);

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].payload, std::string(5000, 'a') + std::string(15000, 'b'));
  EXPECT_EQ(events[0].metadata.get("checksum"), std::string(300, 'c'));
}

TEST(LongBodies, MethodNameOfAChunkedCallIsComplete) {
  LoneSession lone(Role::server);
  lone.greet();
  FrameSpec call = kit::call(1, 0, "long.Service/Method", std::string(9000, 'a'));
  call.message_bytes = 18000;
  call.flags = wire::flag::message | wire::flag::more;

  FrameSpec last = kit::message(1, std::string(9000, 'b'), wire::flag::end);
  last.codec = 0;

  lone.feed(call.bytes() + last.bytes(), small_reads);

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].method, "long.Service/Method");
  EXPECT_EQ(events[0].payload.size(), 18000u);
}

TEST(LongBodies, AnUnreadChunkedMessageWithholdsCallCredit) {
  SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = 65536;
  LoneSession lone(Role::server, options);
  lone.retain_messages = true;
  lone.greet();
  FrameSpec open = kit::call(1, 1, "a/b", "x");
  open.flags = wire::flag::headers | wire::flag::message;
  lone.feed({open});
  static_cast<void>(lone.sent_frames());

  // The credit of the first three chunks is returned as they arrive. The fourth completes the message, which is not
  // released.
  FrameSpec first = first_chunk(1, 160000, std::string(50000, 'a'));
  first.codec = 1;
  lone.feed({first});
  FrameSpec middle = kit::message(1, std::string(50000, 'b'), wire::flag::more);
  middle.codec = 0;
  lone.feed({middle});
  lone.feed({middle});
  FrameSpec last = kit::message(1, std::string(10000, 'c'));
  last.codec = 0;
  lone.feed({last});
  static_cast<void>(lone.sent_frames());
  FrameSpec next = first_chunk(1, 100000, std::string(40000, 'd'));
  next.codec = 1;
  lone.feed({next});

  for (const auto& frame : lone.sent_frames())
    EXPECT_FALSE(frame.is(wire::FrameType::credit) && frame.header.call == 1);
  const auto events = lone.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].payload.size(), 160000u);
  EXPECT_EQ(events[1].credit.further_bytes, 150000u);

  lone.session().release(1, events[1].credit);
  lone.end().turn();

  std::uint32_t granted = 0;
  for (const auto& frame : lone.sent_frames()) {
    if (frame.is(wire::FrameType::credit) && frame.header.call == 1) granted += frame.header.number;
  }
  EXPECT_GE(granted, 32768u);
}

/// What is unread leaves room for one message at a time.
TEST(LongBodies, AMessageWaitsForAnotherOneIfThereIsNoRoomForBothBesideTheUnreadOnes) {
  SessionOptions options = kit::plain_options();
  options.limits.max_unread_bytes = 60000;
  options.limits.call_credit_bytes = 65536;
  LoneSession lone(Role::server, options);
  lone.retain_messages = true;
  lone.greet();
  FrameSpec open = kit::call(1, 1, "a/b", "x");
  open.flags = wire::flag::headers | wire::flag::message;
  FrameSpec last = kit::message(1, "c");
  last.codec = 0;
  lone.feed({open, first_chunk(1, 20001, std::string(20000, 'a')), last});
  const auto open_call = [](CallId id) {
    FrameSpec call = kit::call(id, 1, {}, "x");
    call.flags = wire::flag::message;
    return call;
  };
  const auto chunk = [](CallId id, std::size_t size, std::uint8_t flags) {
    FrameSpec frame = kit::message(id, std::string(size, 'b'), flags);
    frame.codec = 0;
    return frame;
  };
  std::map<CallId, std::uint32_t> granted;
  const auto note_grants = [&] {
    for (const auto& frame : lone.sent_frames()) {
      if (frame.is(wire::FrameType::credit)) granted[frame.header.call] += frame.header.number;
    }
  };

  lone.feed({open_call(2), first_chunk(2, 50000, std::string(20000, 'a')), chunk(2, 15000, wire::flag::more)});
  note_grants();
  lone.feed({open_call(3), first_chunk(3, 50000, std::string(20000, 'a')), chunk(3, 15000, wire::flag::more)});
  note_grants();
  EXPECT_EQ(granted[2], 35000u);
  EXPECT_EQ(granted[3], 0u);

  lone.feed({chunk(2, 15000, 0)});
  lone.end().turn();
  note_grants();
  EXPECT_EQ(granted[3], 35000u);
}

TEST(LongBodies, BytesWithoutACodecEndTheConnection) {
  LoneSession lone(Role::client);
  begin_call(lone);
  FrameSpec end = kit::finish(1, "abc");
  end.codec = 0;

  lone.feed({end});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].status.code(), StatusCode::unavailable);
  EXPECT_FALSE(events[0].has_message);
  EXPECT_EQ(events[1].type, EventType::closed);
  EXPECT_EQ(events[1].status.message(), "receive message: a message without codec has bytes or more frames");
  EXPECT_EQ(lone.sent_frames().back().header.number, 13u);
}

TEST(LongBodies, AFinishWithoutMessageIsBoundedByMaxHeaderBytes) {
  LoneSession lone(Role::client);
  begin_call(lone);
  const wire::FrameHeader header{
      .length = 500000, .type = wire::FrameType::finish, .flags = wire::flag::headers, .call = 1, .number = 13};
  std::string bytes(wire::header_bytes, '\0');
  wire::write_header(header, reinterpret_cast<std::byte*>(bytes.data()));

  lone.feed(bytes);

  EXPECT_TRUE(lone.session().is_closed());
  EXPECT_EQ(lone.session().close_reason().message(),
            "receive frame: length 500000 of a finish without message exceeds max_header_bytes 16384");
}

TEST(ClientDrain, GoawayFollowsQueuedCalls) {
  LoneSession lone(Role::client);
  lone.greet();
  const std::string large(300000, 'x');  // longer than a chunk, so it is queued
  ASSERT_TRUE(lone.session().start({.method = {1, "a/b"}, .context = lone.context_of(1)}, kit::payload(large)).is_ok());

  lone.session().drain();

  std::vector<wire::FrameType> order;
  for (const auto& frame : lone.sent_frames()) order.push_back(frame.header.type);
  ASSERT_FALSE(order.empty());
  EXPECT_EQ(order.front(), wire::FrameType::call);
  EXPECT_EQ(std::count(order.begin(), order.end(), wire::FrameType::goaway),
            order.back() == wire::FrameType::goaway ? 1 : 0);
}

}  // namespace trunkline::session::native
