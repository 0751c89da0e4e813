// SPDX-License-Identifier: MIT
// Messages in chunks, their limits, and faults that end a call but not the connection.
#include "kit/lone_session.h"
#include "kit/session_pair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

using kit::FrameSpec;
using kit::LoneSession;
namespace flag = wire::flag;

FrameSpec first_chunk(std::uint32_t id, std::uint64_t total, std::string_view bytes, unsigned more_flags = 0) {
  FrameSpec frame = kit::call(id, 0, "a/b", bytes);
  frame.flags = static_cast<std::uint8_t>(flag::message | flag::more | more_flags);
  frame.message_bytes = total;
  return frame;
}
FrameSpec chunk(std::uint32_t id, std::string_view bytes, unsigned flags) {
  FrameSpec frame = kit::message(id, bytes, static_cast<std::uint8_t>(flags));
  frame.codec = 0;
  return frame;
}

/// The finish that the session has sent for `id`.
kit::SeenFrame finish_of(LoneSession& lone, CallId id) {
  for (auto& frame : lone.sent_frames()) {
    if (frame.is(wire::FrameType::finish) && frame.header.call == id) return frame;
  }
  ADD_FAILURE() << "no finish for " << id;
  return {};
}

TEST(ChunkedMessage, IsHandedOutWhole) {
  LoneSession lone(Role::server);
  lone.greet();

  lone.feed({first_chunk(1, 6, "ab"), chunk(1, "cd", flag::more)});
  const auto early = lone.events();
  lone.feed({chunk(1, "ef", flag::end)});

  const auto events = lone.events();
  EXPECT_TRUE(early.empty());
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].type, EventType::call);
  EXPECT_EQ(events[0].method, "a/b");
  EXPECT_EQ(events[0].payload, "abcdef");
  EXPECT_TRUE(events[0].end);
}

TEST(ChunkedMessage, IsPassedByOtherCalls) {
  LoneSession lone(Role::server);
  lone.greet();

  lone.feed({first_chunk(1, 4, "ab"), kit::call(2, 0, "a/c", "small"), chunk(1, "cd", flag::end)});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].id, 2u);
  EXPECT_EQ(events[1].id, 1u);
  EXPECT_EQ(events[1].method, "a/b");
}

TEST(ChunkedMessage, MayHaveEmptyChunks) {
  LoneSession lone(Role::server);
  lone.greet();

  lone.feed({first_chunk(1, 2, ""), chunk(1, "", flag::more), chunk(1, "xy", flag::more), chunk(1, "", flag::end)});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].payload, "xy");
}

TEST(ChunkedMessage, FrameWithoutMessageMayComeBetween) {
  LoneSession lone(Role::client);
  lone.greet();
  ASSERT_TRUE(lone.session().start({.method = {1, "a/b"}, .context = lone.context_of(1)}, kit::payload("x")).is_ok());
  FrameSpec begin = kit::message(1, "ab", flag::more);
  begin.message_bytes = 4;

  lone.feed({begin, {.type = wire::FrameType::message, .call = 1}, chunk(1, "cd", 0), kit::finish(1)});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].payload, "abcd");
  EXPECT_TRUE(events[1].status.is_ok());
}

TEST(ChunkedMessage, TooLongEndsTheCall) {
  LoneSession lone(Role::server);
  lone.greet();

  lone.feed({first_chunk(1, 3, "ab"), chunk(1, "cd", flag::end), kit::ping()});

  EXPECT_EQ(finish_of(lone, 1).status_message, "receive message: chunks of 4 bytes do not make up message_bytes 3");
  EXPECT_FALSE(lone.session().is_closed());
  EXPECT_EQ(lone.session().open_calls(), 0u);
}

TEST(ChunkedMessage, TooShortEndsTheCall) {
  LoneSession lone(Role::server);
  lone.greet();

  lone.feed({first_chunk(1, 5, "ab"), chunk(1, "cd", flag::end)});

  const auto finish = finish_of(lone, 1);
  EXPECT_EQ(finish.header.number, 13u);
  EXPECT_EQ(finish.status_message, "receive message: chunks of 4 bytes do not make up message_bytes 5");
}

TEST(ChunkedMessage, EndAmidEndsTheCall) {
  LoneSession lone(Role::server);
  lone.greet();

  lone.feed({first_chunk(1, 5, "ab"), {.type = wire::FrameType::message, .flags = flag::end, .call = 1}});

  EXPECT_EQ(finish_of(lone, 1).status_message, "receive message: the sender ended amid a message");
}

TEST(ChunkedMessage, OverMaxMessageBytesEndsTheCallAtOnce) {
  LoneSession lone(Role::server);
  lone.greet();

  lone.feed({first_chunk(1, (64u << 20) + 1, "ab"), chunk(1, "cd", flag::more)});

  const auto finish = finish_of(lone, 1);
  EXPECT_EQ(finish.header.number, 8u);
  EXPECT_EQ(finish.status_message, "receive message: message_bytes 67108865 exceeds max_message_bytes 67108864");
  EXPECT_FALSE(lone.session().is_closed());
}

TEST(ChunkedMessage, WaitsForRoomThatOthersTake) {
  SessionOptions options = kit::plain_options();
  options.limits.max_unread_bytes = 1000;
  LoneSession lone(Role::server, options);
  lone.greet();

  lone.feed({first_chunk(1, 700, "ab"), first_chunk(2, 700, "ab"), chunk(2, std::string(600, 'c'), flag::more)});
  lone.feed({kit::cancel(1), chunk(2, std::string(98, 'd'), flag::end)});

  EXPECT_TRUE(lone.sent_frames().empty());
  const auto events = lone.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].id, 2u);
  EXPECT_EQ(events[1].payload, "ab" + std::string(600, 'c') + std::string(98, 'd'));
}

TEST(ChunkedMessage, WithholdsTheCreditOfItsCallUntilThereIsRoom) {
  constexpr std::uint32_t size = 150000;
  SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = 65536;
  options.limits.max_unread_bytes = 200000;
  LoneSession lone(Role::server, options);
  lone.greet();
  const auto granted = [&lone](CallId id) {
    std::uint32_t sum = 0;
    for (const auto& frame : lone.sent_frames()) {
      if (frame.is(wire::FrameType::credit) && frame.header.call == id) sum += frame.header.number;
    }
    return sum;
  };

  lone.feed({first_chunk(1, size, "ab"), first_chunk(2, size, "ab"), chunk(2, std::string(60000, 'c'), flag::more)});
  const std::uint32_t early = granted(2);
  lone.feed({kit::cancel(1)});
  static_cast<void>(lone.events());

  EXPECT_EQ(early, 0u);
  EXPECT_EQ(granted(2), 60002u);
  lone.feed({chunk(2, std::string(60000, 'c'), flag::more), chunk(2, std::string(size - 120002, 'd'), flag::end)});
  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].payload.size(), size);
}

TEST(ChunkedMessage, ThatWaitsKeepsNoShortCallFromPassing) {
  SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = 1 << 20;
  options.limits.connection_credit_bytes = 1 << 20;
  options.limits.max_unread_bytes = 2000000;
  LoneSession lone(Role::server, options);
  lone.greet();
  lone.feed({first_chunk(1, 1900000, "ab"), first_chunk(2, 1900000, "ab")});
  for (int i = 0; i < 9; ++i) lone.feed({chunk(2, std::string(60000, 'c'), flag::more)});
  static_cast<void>(lone.events());

  for (CallId id = 3; id < 103; ++id) lone.feed({kit::call(id, 0, "a/b", std::string(60000, 's'))});

  EXPECT_FALSE(lone.session().is_closed()) << lone.session().close_reason().to_string();
  EXPECT_EQ(lone.events().size(), 100u);
}

TEST(ChunkedMessage, OfManyThatWaitGetsRoomOnceInATurn) {
  SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = 65536;
  options.limits.max_unread_bytes = 200000;
  LoneSession lone(Role::server, options);
  lone.greet();
  lone.feed(
      {first_chunk(1, 150000, "ab"), first_chunk(2, 150000, "ab"), chunk(2, std::string(60000, 'c'), flag::more)});
  static_cast<void>(lone.sent_frames());

  lone.feed({kit::cancel(1), kit::ping(), kit::ping()});

  const auto sent = lone.sent_frames();
  ASSERT_EQ(sent.size(), 3u);
  EXPECT_TRUE(sent[0].is(wire::FrameType::pong));
  EXPECT_TRUE(sent[1].is(wire::FrameType::pong));
  EXPECT_TRUE(sent[2].is(wire::FrameType::credit));
}

TEST(ChunkedMessage, OfACallThatIsCancelledIsReportedToWhoeverHasCheckedIt) {
  LoneSession lone(Role::server);
  lone.greet();

  lone.feed({first_chunk(1, 5, "ab"), kit::cancel(1)});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].type, EventType::cancelled);
  EXPECT_EQ(events[0].id, 1u);
  EXPECT_EQ(events[0].context, nullptr);
  EXPECT_EQ(events[0].status.origin(), StatusOrigin::peer);
}

TEST(ChunkedMessage, IsDroppedByCancel) {
  LoneSession lone(Role::server);
  lone.greet();
  lone.feed({first_chunk(1, 5, "ab"), kit::cancel(1)});
  static_cast<void>(lone.events());

  lone.feed({chunk(1, "cde", flag::end)});

  EXPECT_TRUE(lone.events().empty());
  EXPECT_EQ(lone.session().open_calls(), 0u);
  EXPECT_FALSE(lone.session().is_closed());
}

TEST(ChunkedMessage, MayEndWithTheFinish) {
  LoneSession lone(Role::client);
  lone.greet();
  ASSERT_TRUE(lone.session().start({.method = {1, "a/b"}, .context = lone.context_of(1)}, kit::payload("x")).is_ok());
  FrameSpec begin = kit::message(1, "ab", flag::more);
  begin.message_bytes = 4;
  FrameSpec end = kit::finish(1, "cd");
  end.codec = 0;

  lone.feed({begin, end});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].type, EventType::finished);
  EXPECT_EQ(events[0].payload, "abcd");
}

TEST(ChunkedMessage, OkFinishAmidItIsInternal) {
  LoneSession lone(Role::client);
  lone.greet();
  ASSERT_TRUE(lone.session().start({.method = {1, "a/b"}, .context = lone.context_of(1)}, kit::payload("x")).is_ok());
  FrameSpec begin = kit::message(1, "ab", flag::more);
  begin.message_bytes = 4;

  lone.feed({begin, {.type = wire::FrameType::finish, .call = 1}});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].status.message(), "receive message: the server finished amid a message");
}

TEST(ChunkedMessage, ErrorFinishAmidItIsTheError) {
  LoneSession lone(Role::client);
  lone.greet();
  ASSERT_TRUE(lone.session().start({.method = {1, "a/b"}, .context = lone.context_of(1)}, kit::payload("x")).is_ok());
  FrameSpec begin = kit::message(1, "ab", flag::more);
  begin.message_bytes = 4;

  lone.feed({begin, kit::failed(1, StatusCode::aborted, "no more")});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].status, Status(StatusCode::aborted, "no more"));
  EXPECT_FALSE(events[0].has_message);
}

TEST(ChunkedMessage, IsDiscardedWhenTheServerFinishes) {
  LoneSession lone(Role::server);
  lone.greet({.call_credit = 65536});
  FrameSpec call = kit::call(1, 0, "a/b");
  call.flags = 0;
  call.codec = 0;
  FrameSpec first = kit::message(1, "ab", flag::more);
  first.message_bytes = 4;
  lone.feed({call, first});
  // The end of the response waits for credit, so the call is still open when the client continues to send.
  static_cast<void>(lone.session().finish(1, {}, kit::payload(std::string(100000, 'x')), nullptr, false));
  static_cast<void>(lone.sent_frames());

  lone.feed({chunk(1, "cd", 0), first, chunk(1, "cd", flag::end), kit::ping()});

  EXPECT_FALSE(lone.session().is_closed()) << lone.session().close_reason().to_string();
  ASSERT_FALSE(lone.sent_frames().empty());
  EXPECT_EQ(lone.session().open_calls(), 1u);
}

/// A client with call 1 open, for which the server has sent `end`.
void end_by_server(LoneSession& lone, std::uint8_t flags) {
  lone.greet();
  ASSERT_TRUE(lone.session()
                  .start({.method = {1, "a/b"}, .end = false, .context = lone.context_of(1)}, kit::payload("x"))
                  .is_ok());
  lone.feed({FrameSpec{.type = wire::FrameType::message, .flags = flags, .call = 1}});
  static_cast<void>(lone.events());
  static_cast<void>(lone.sent_frames());
}

TEST(EndOfTheServer, IsFollowedByAFinishWithoutMessage) {
  for (const kit::FrameSpec& finish :
       {FrameSpec{.type = wire::FrameType::finish, .call = 1}, kit::failed(1, StatusCode::not_found, "no")}) {
    LoneSession lone(Role::client);
    end_by_server(lone, flag::end);

    lone.feed({finish});

    const auto events = lone.events();
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].type, EventType::finished);
    EXPECT_EQ(static_cast<std::uint32_t>(events[0].status.code()), finish.number);
  }
}

TEST(EndOfTheServer, IsNotFollowedByAMessageInTheFinish) {
  LoneSession lone(Role::client);
  end_by_server(lone, flag::end);

  lone.feed({kit::finish(1, "late")});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].status, Status(StatusCode::internal, "receive message: the peer had ended its side"));
  EXPECT_FALSE(events[0].has_message);
  EXPECT_FALSE(lone.session().is_closed());
  EXPECT_EQ(lone.session().open_calls(), 0u);
}

TEST(EndOfTheServer, IsNotFollowedByAMessage) {
  LoneSession lone(Role::client);
  end_by_server(lone, flag::end);

  lone.feed({kit::message(1, "late")});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].status.code(), StatusCode::internal);
  const auto sent = lone.sent_frames();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(sent[0].is(wire::FrameType::cancel));
}

TEST(CodecOfAMessage, MayChangeWithinACall) {
  LoneSession lone(Role::server);
  lone.greet({.codecs = {"bytes", "unknown"}});
  FrameSpec stream = kit::call(1, 1, "a/b", "x");
  stream.flags = flag::message;
  FrameSpec empty = kit::message(1, "");
  empty.codec = 0;
  FrameSpec other = kit::message(1, "y");
  other.codec = 2;
  lone.feed({stream, empty, kit::message(1, "z")});
  const auto taken = lone.events();

  lone.feed({other});

  ASSERT_EQ(taken.size(), 3u);
  EXPECT_EQ(taken[0].codec, "bytes");
  EXPECT_EQ(taken[1].codec, "");
  EXPECT_EQ(taken[2].codec, "bytes");
  EXPECT_EQ(finish_of(lone, 1).header.number, static_cast<std::uint32_t>(StatusCode::unimplemented));
}

TEST(UnknownCodec, OfAResponseEndsTheCallAtTheClient) {
  for (const bool is_finish : {true, false}) {
    LoneSession lone(Role::client);
    lone.greet({.codecs = {"unknown"}});
    ASSERT_TRUE(lone.session().start({.method = {1, "a/b"}, .context = lone.context_of(1)}, {}).is_ok());
    static_cast<void>(lone.sent_frames());

    lone.feed({is_finish ? kit::finish(1, "x") : kit::message(1, "x")});

    const auto events = lone.events();
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].type, EventType::finished);
    EXPECT_EQ(events[0].status.code(), StatusCode::unimplemented);
    const auto sent = lone.sent_frames();
    EXPECT_EQ(sent.size(), is_finish ? 0u : 1u);
    if (!is_finish) {
      EXPECT_TRUE(sent[0].is(wire::FrameType::cancel));
    }
  }
}

TEST(OneWayCall, InChunksIsOneCallWithoutAResponse) {
  SessionOptions options = kit::plain_options();
  options.limits.chunk_bytes = 1024;
  kit::SessionPair pair({.client = options});
  const std::string large(5000, 'x');
  std::string got;
  pair.server().on_event = [&](Event& event) {
    if (event.type != EventType::call) return;
    EXPECT_TRUE(event.one_way);
    got = as_text(event.payload);
    static_cast<void>(pair.server().session().finish(event.id, {}, kit::payload("ignored"), nullptr, false));
  };
  bool is_finished = false;
  pair.client().on_event = [&](Event& event) { is_finished = is_finished || event.type == EventType::finished; };

  ASSERT_TRUE(pair.client().session().start({.method = {1, "a/b"}, .one_way = true}, kit::payload(large)).is_ok());
  pair.settle();

  EXPECT_EQ(got, large);
  EXPECT_FALSE(is_finished);
  EXPECT_EQ(pair.client().session().open_calls(), 0u);
  EXPECT_EQ(pair.server().session().open_calls(), 0u);
}

TEST(OneWayCall, RefusedAmidItsChunksIsSentCompletely) {
  SessionOptions small = kit::plain_options();
  small.limits.call_credit_bytes = 65536;
  small.limits.max_message_bytes = 100000;
  kit::SessionPair pair({.server = small});
  pair.server().on_event = [](Event& event) { EXPECT_NE(event.type, EventType::call); };
  std::string method(10, 'm');

  // Before the server's hello has arrived, the client does not know that this is too long.
  ASSERT_TRUE(pair.client()
                  .session()
                  .start({.method = {1, method}, .one_way = true}, kit::payload(std::string(300000, 'x')))
                  .is_ok());
  pair.settle();

  EXPECT_EQ(pair.client().session().open_calls(), 0u);
  EXPECT_FALSE(pair.client().session().is_closed());
}

TEST(LargeMessage, IsPassedByASmallOne) {
  SessionOptions options = kit::plain_options();
  kit::SessionPair pair({.client = options, .server = options});
  pair.settle();
  std::vector<CallId> order;
  const std::string large(100u << 20, 'x');
  SessionOptions big = options;
  static_cast<void>(big);
  pair.server().on_event = [&](Event& event) {
    if (event.type != EventType::call) return;
    order.push_back(event.id);
    static_cast<void>(pair.server().session().finish(event.id, {}, {}, nullptr, false));
  };
  int first = 0;
  int second = 0;
  const std::string_view within_limit = std::string_view(large).substr(0, 60u << 20);

  ASSERT_TRUE(
      pair.client().session().start({.method = {1, "a/b"}, .context = &first}, kit::payload(within_limit)).is_ok());
  ASSERT_TRUE(
      pair.client().session().start({.method = {1, "a/b"}, .context = &second}, kit::payload("8 bytes.")).is_ok());
  pair.settle();

  EXPECT_EQ(order, (std::vector<CallId>{2, 1}));
}

TEST(MessageTooLong, IsNotStarted) {
  LoneSession lone(Role::client);
  lone.greet({.max_message_bytes = 10});
  const std::string eleven(11, 'x');

  const auto by_copy = lone.session().start({.method = {1, "a/b"}}, kit::payload(eleven));
  const auto in_place = lone.session().start({.method = {1, "a/b"}}, kit::direct(eleven));

  EXPECT_EQ(by_copy.status().message(), "send message: size 11 exceeds the peer's max_message_bytes 10");
  EXPECT_EQ(in_place.status().code(), StatusCode::resource_exhausted);
  EXPECT_FALSE(lone.session().has_output());
  EXPECT_EQ(lone.session().open_calls(), 0u);
}

TEST(MessageTooLong, AsResponseTurnsIntoItsStatus) {
  LoneSession lone(Role::server);
  lone.greet({.max_message_bytes = 10});
  lone.feed({kit::call(1, 1, "a/b", "x")});

  const Status sent = lone.session().finish(1, {}, kit::payload(std::string(11, 'x')), nullptr, false);

  EXPECT_EQ(sent.code(), StatusCode::resource_exhausted);
  EXPECT_EQ(finish_of(lone, 1).header.number, 8u);
}

TEST(UnknownCodec, IsRefusedAsNotRun) {
  LoneSession lone(Role::server);
  lone.greet({.codecs = {"thrift"}});

  lone.feed({kit::call(1, 1, "a/b", "x"), kit::ping()});

  const auto finish = finish_of(lone, 1);
  EXPECT_EQ(finish.header.number, 12u);
  EXPECT_TRUE(finish.header.has(flag::unprocessed));
  EXPECT_EQ(finish.status_message, "receive message: codec thrift is not known here");
}

TEST(UnknownCompressor, IsRefusedAsNotRun) {
  LoneSession lone(Role::server);
  lone.greet({.codecs = {"bytes"}, .compressors = {"brotli"}});
  FrameSpec call = kit::call(1, 1, "a/b", "x");
  call.compressor = 1;

  lone.feed({call});

  const auto finish = finish_of(lone, 1);
  EXPECT_EQ(finish.header.number, 12u);
  EXPECT_EQ(finish.status_message, "receive message: compressor brotli is not known here");
}

TEST(MessageWithoutCodec, ThatIsNotEmptyEndsTheConnection) {
  LoneSession lone(Role::server);
  lone.greet();
  FrameSpec call = kit::call(1, 1, "a/b", "x");
  call.codec = 0;

  lone.feed({call});

  EXPECT_EQ(lone.session().close_reason().message(),
            "decode frame: header block of 5 bytes in a call frame with room for 6 and no codec");
}

}  // namespace
}  // namespace trunkline::session::native
