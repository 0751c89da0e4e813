// SPDX-License-Identifier: MIT
// Frames that break the rules of a connection: each ends it with a goaway that says why.
#include "kit/lone_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

using kit::FrameSpec;
using kit::LoneSession;
using testing::HasSubstr;

/// A frame that ends the connection, and the reason in the goaway.
struct BadFrames {
  const char* name;
  Role role;
  std::vector<FrameSpec> frames;
  StatusCode code;
  std::string text;
};

FrameSpec with_flags(FrameSpec frame, unsigned flags) {
  frame.flags = static_cast<std::uint8_t>(flags);
  return frame;
}
FrameSpec with_codec(FrameSpec frame, std::uint8_t codec, std::uint8_t compressor = 0) {
  frame.codec = codec;
  frame.compressor = compressor;
  return frame;
}
FrameSpec first_chunk(std::uint32_t id, std::uint64_t total, std::string_view bytes) {
  FrameSpec frame = kit::call(id, 1, "a/b", bytes);
  frame.flags = wire::flag::message | wire::flag::more;
  frame.message_bytes = total;
  return frame;
}
FrameSpec empty_first_chunk(std::uint32_t id) {
  return {.type = wire::FrameType::message,
          .flags = wire::flag::message | wire::flag::more,
          .call = id,
          .message_bytes = 0};
}
FrameSpec leading(std::uint32_t id) {
  return {.type = wire::FrameType::message, .call = id, .metadata = Metadata{{"k", "v"}}};
}
FrameSpec raw_block(std::uint32_t block_bytes, std::string_view fields) {
  std::string body(4, '\0');
  wire::store_little(reinterpret_cast<std::byte*>(body.data()), block_bytes);
  return {.type = wire::FrameType::call, .flags = 0, .call = 1, .number = 1, .body = body + std::string(fields)};
}
std::string bytes_of(const FrameSpec& frame) {
  // FrameSpec writes its own block for flag headers, so this one is set afterwards.
  std::string bytes = frame.bytes();
  bytes[5] = static_cast<char>(wire::flag::headers | wire::flag::end);
  return bytes;
}

const std::vector<BadFrames>& all() {
  using wire::FrameType;
  namespace flag = wire::flag;
  static const std::vector<BadFrames> cases = {
      {"unknown_type", Role::server, {{.type = FrameType{0x0A}}}, StatusCode::internal, "type"},
      {"call_from_server", Role::client, {kit::call(1, 1, "a/b")}, StatusCode::internal, "call"},
      {"finish_from_client", Role::server, {kit::finish(1)}, StatusCode::internal, "finish"},
      {"cancel_from_server", Role::client, {kit::cancel(1)}, StatusCode::internal, "cancel"},
      {"unknown_flag", Role::server, {with_flags(kit::call(1, 1, "a/b"), 0x48)}, StatusCode::internal, "flag"},
      {"message_bytes_without_codec",
       Role::server,
       {with_flags(kit::call(1, 1, "a/b"), flag::message), with_codec(kit::message(1, "x"), 0)},
       StatusCode::internal,
       "receive message: a message without codec has bytes or more frames"},
      {"more_without_codec",
       Role::server,
       {with_flags(kit::call(1, 1, "a/b"), flag::message), empty_first_chunk(1)},
       StatusCode::internal,
       "receive message: a message without codec has bytes or more frames"},
      {"one_way_without_end",
       Role::server,
       {with_flags(first_chunk(1, 6, "abc"), flag::message | flag::more | flag::one_way),
        with_codec(kit::message(1, "def"), 0)},
       StatusCode::internal,
       "receive message: the last frame of the one-way call 1 has no end"},
      {"id_repeated",
       Role::server,
       {kit::call(5, 1, "a/b"), kit::call(5, 1)},
       StatusCode::internal,
       "receive call: id 5 does not follow the last one, 5"},
      {"id_goes_back",
       Role::server,
       {kit::call(5, 1, "a/b"), kit::call(4, 1)},
       StatusCode::internal,
       "receive call: id 4 does not follow the last one, 5"},
      {"first_id_too_high",
       Role::server,
       {kit::call(0x80000000u, 1, "a/b")},
       StatusCode::internal,
       "receive call: id 2147483648 does not follow the last one, 0"},
      {"id_reused_while_open",
       Role::server,
       {kit::call(5, 1, "a/b"), kit::call(0x7FFFFFFFu, 1), kit::call(0xFFFFFFF0u, 1), kit::call(5, 1)},
       StatusCode::internal,
       "receive call: id 5 is that of a call still open"},
      {"message_for_call_never_opened",
       Role::server,
       {kit::message(7, "x")},
       StatusCode::internal,
       "receive frame: call 7 was never opened"},
      {"message_for_high_call_never_opened",
       Role::server,
       {kit::message(0xFFFFFF00u, "x")},
       StatusCode::internal,
       "receive frame: call 4294967040 was never opened"},
      {"finish_for_call_never_opened",
       Role::client,
       {kit::finish(7, "x")},
       StatusCode::internal,
       "receive frame: call 7 was never opened"},
      {"method_id_never_defined",
       Role::server,
       {kit::call(1, 3)},
       StatusCode::internal,
       "receive call: method id 3 was never defined"},
      {"method_out_of_order",
       Role::server,
       {kit::call(1, 2, "a/b")},
       StatusCode::internal,
       "define method: id 2 is after the next one, 1"},
      {"call_without_method", Role::server, {with_flags(kit::call(1, 0), flag::end)}, StatusCode::internal, "call"},
      {"call_without_name_in_block",
       Role::server,
       {{.type = FrameType::call, .flags = flag::end, .call = 1, .timeout_us = 5}},
       StatusCode::internal,
       "receive call: neither a method's id nor its name"},
      {"codec_not_in_hello",
       Role::server,
       {with_codec(kit::call(1, 1, "a/b", "x"), 2)},
       StatusCode::internal,
       "receive message: codec number 2 is not in the peer's hello"},
      {"compressor_not_in_hello",
       Role::server,
       {with_codec(kit::call(1, 1, "a/b", "x"), 1, 3)},
       StatusCode::internal,
       "receive message: compressor number 3 is not in the peer's hello"},
      {"codec_on_later_chunk",
       Role::server,
       {first_chunk(1, 10, "abc"), kit::message(1, "defghij", flag::end)},
       StatusCode::internal,
       "receive message: codec and compressor belong on the first frame of a message"},
      {"message_bytes_missing",
       Role::server,
       {with_flags(kit::call(1, 1, "a/b", "x"), flag::message | flag::more)},
       StatusCode::internal,
       "receive message: message_bytes belongs on the first frame of a message that has more, and only there"},
      {"message_bytes_without_more",
       Role::server,
       {with_flags(first_chunk(1, 10, "abc"), flag::message | flag::end)},
       StatusCode::internal,
       "message_bytes belongs"},
      {"metadata_on_a_client's_message",
       Role::server,
       {with_flags(kit::call(1, 1, "a/b"), flag::message), leading(1)},
       StatusCode::internal,
       "receive message: metadata on a frame that must not have it"},
      {"credit_overflow_of_the_connection",
       Role::server,
       {kit::credit(0, 0x7FFFFFFF)},
       StatusCode::resource_exhausted,
       "receive credit: the connection's sum exceeds 2147483647"},
      {"credit_overflow_of_a_call",
       Role::server,
       {with_flags(kit::call(1, 1, "a/b"), flag::message), kit::credit(1, 0x7FFFFFFF)},
       StatusCode::resource_exhausted,
       "receive credit: the sum of call 1 exceeds 2147483647"},
      {"credit_of_nothing", Role::server, {kit::credit(0, 0)}, StatusCode::internal, "credit"},
      {"goaway_goes_forward",
       Role::client,
       {kit::goaway(3), kit::goaway(4)},
       StatusCode::internal,
       "receive goaway: id 4 is after the one named before, 3"},
      {"goaway_not_utf8", Role::server, {kit::goaway(0, 0, "\xFF")}, StatusCode::internal, "goaway"},
      {"ping_of_seven_bytes", Role::server, {kit::ping("1234567")}, StatusCode::internal, "ping"},
  };
  return cases;
}

class BadFrame : public testing::TestWithParam<std::size_t> {};

void expect_broken(LoneSession& lone, StatusCode code, std::string_view text) {
  const auto sent = lone.sent_frames();
  ASSERT_FALSE(sent.empty());
  EXPECT_TRUE(sent.back().is(wire::FrameType::goaway));
  EXPECT_EQ(sent.back().header.number, static_cast<std::uint32_t>(code)) << sent.back().body;
  EXPECT_THAT(sent.back().body, HasSubstr(text));
  EXPECT_EQ(lone.session().close_reason().code(), StatusCode::unavailable);
  EXPECT_THAT(std::string(lone.session().close_reason().message()), HasSubstr(text));
  EXPECT_EQ(lone.events().back().type, EventType::closed);
}

TEST_P(BadFrame, EndsTheConnection) {
  const BadFrames& bad = all()[GetParam()];
  LoneSession lone(bad.role);
  lone.greet();

  for (const FrameSpec& frame : bad.frames) lone.feed({frame});

  expect_broken(lone, bad.code, bad.text);
}

TEST_P(BadFrame, EndsTheConnectionByteByByte) {
  const BadFrames& bad = all()[GetParam()];
  LoneSession lone(bad.role);
  lone.greet();

  for (const FrameSpec& frame : bad.frames) lone.feed(frame.bytes(), 1);

  expect_broken(lone, bad.code, bad.text);
}

INSTANTIATE_TEST_SUITE_P(All, BadFrame, testing::Range<std::size_t>(0, all().size()), [](const auto& of) {
  std::string name = all()[of.param].name;
  std::erase(name, '\'');
  return name;
});

TEST(BadHeaderBlock, LongerThanItsFrameEndsTheConnection) {
  LoneSession lone(Role::server);
  lone.greet();

  lone.feed(bytes_of(raw_block(100, "\x01\x01x")));

  expect_broken(lone, StatusCode::internal, "block");
}

TEST(BadHeaderBlock, OverMaxHeaderBytesEndsTheConnection) {
  LoneSession lone(Role::server);
  lone.greet();

  lone.feed(bytes_of(raw_block(16385, std::string(16385, 'x'))));

  expect_broken(lone, StatusCode::resource_exhausted, "max_header_bytes 16384");
}

TEST(BadHeaderBlock, UnknownFieldEndsTheConnection) {
  LoneSession lone(Role::server);
  lone.greet();

  lone.feed(bytes_of(raw_block(3, std::string("\x07\x01x", 3))));

  expect_broken(lone, StatusCode::internal, "unknown tag 7");
}

TEST(BadHeaderBlock, FieldThatEndsAfterItsBlockEndsTheConnection) {
  LoneSession lone(Role::server);
  lone.greet();

  lone.feed(bytes_of(raw_block(3, std::string("\x01\x05x", 3))));

  expect_broken(lone, StatusCode::internal, "a field ends after its block");
}

TEST(BadLength, OverMaxFrameBytesIsRefusedByTheHeader) {
  LoneSession lone(Role::server);
  lone.greet();
  std::string header = kit::call(1, 1).bytes();
  wire::store_little(reinterpret_cast<std::byte*>(header.data()), std::uint32_t{(1 << 20) + 1});

  lone.feed(header);

  expect_broken(lone, StatusCode::resource_exhausted, "length 1048577 exceeds max_frame_bytes 1048576");
}

TEST(BadLength, OfASkippedFrameIsLimitedAsWell) {
  LoneSession lone(Role::server);
  lone.greet();
  std::string header = FrameSpec{.type = wire::FrameType{0x80}}.bytes();
  wire::store_little(reinterpret_cast<std::byte*>(header.data()), std::uint32_t{0xFFFFFFFF});

  lone.feed(header);

  expect_broken(lone, StatusCode::resource_exhausted, "length 4294967295 exceeds max_frame_bytes 1048576");
}

TEST(SkippedFrame, IsSkippedWhateverItContains) {
  for (const std::size_t size : {0u, 1u, 100u, 20000u, 70000u}) {
    for (const std::size_t part : {1000000u, 7u, 1u}) {
      if (size > 1000 && part == 1) continue;
      LoneSession lone(Role::server);
      lone.greet();
      const FrameSpec unknown{.type = wire::FrameType{0xFF}, .flags = 0xF7, .codec = 9, .body = std::string(size, 'x')};

      lone.feed(unknown.bytes() + kit::ping("pingpong").bytes(), part);

      const auto sent = lone.sent_frames();
      ASSERT_EQ(sent.size(), 1u) << size;
      EXPECT_TRUE(sent[0].is(wire::FrameType::pong));
      EXPECT_EQ(sent[0].body, "pingpong");
    }
  }
}

TEST(Methods, NumberOverMaxMethodsEndsTheConnection) {
  SessionOptions options = kit::plain_options();
  options.limits.max_methods = 2;
  LoneSession lone(Role::server, options);
  lone.greet();

  lone.feed({kit::call(1, 1, "a/1"), kit::call(2, 2, "a/2"), kit::call(3, 3, "a/3")});

  expect_broken(lone, StatusCode::resource_exhausted, "receive call: method id 3 exceeds max_methods 2");
}

TEST(Methods, NumberOverMaxMethodsThatWasNeverAssignedIsOverTheLimitAsWell) {
  SessionOptions options = kit::plain_options();
  options.limits.max_methods = 2;
  LoneSession lone(Role::server, options);
  lone.greet();

  lone.feed({kit::call(1, 9)});

  expect_broken(lone, StatusCode::resource_exhausted, "receive call: method id 9 exceeds max_methods 2");
}

/// A client that has sent a part of a one-way call.
CallId begin_long_one_way_call(LoneSession& lone) {
  lone.greet();
  const CallStart start{.method = {1, "a/b"}, .one_way = true, .context = lone.context_of(1)};
  const Result<CallId> id = lone.session().start(start, kit::payload(std::string(300000, 'x')));
  EXPECT_TRUE(id.is_ok());
  static_cast<void>(lone.sent_frames());
  return id.is_ok() ? *id : 0;
}

TEST(ResponseToAOneWayCall, EndsTheConnectionWithoutAnEventOfTheCall) {
  for (const bool is_finish : {true, false}) {
    LoneSession lone(Role::client);
    const CallId id = begin_long_one_way_call(lone);

    lone.feed({is_finish ? kit::finish(id, "y") : kit::message(id, "y")});

    const auto events = lone.events();
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].type, EventType::closed);
    EXPECT_EQ(events[0].status.message(), "receive frame: call 1 is one-way, it must not get a response");
    EXPECT_TRUE(lone.sent_frames().back().is(wire::FrameType::goaway));
  }
}

TEST(OneWayCall, HasNoEventWhenItsDeadlinePassesOrItsConnectionEnds) {
  LoneSession lone(Role::client);
  static_cast<void>(begin_long_one_way_call(lone));
  const CallStart start{.method = {1, "a/b"},
                        .deadline = lone.clock().now() + std::chrono::seconds(1),
                        .one_way = true,
                        .context = lone.context_of(2),
                        .now = lone.clock().now()};
  ASSERT_TRUE(lone.session().start(start, kit::payload("y")).is_ok());

  lone.advance(std::chrono::seconds(2));
  EXPECT_TRUE(lone.events().empty());
  lone.session().transport_closed(Status(StatusCode::unavailable, "connection reset"));

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].type, EventType::closed);
}

/// The last id in the goaway that answers `frames`.
std::uint32_t last_served(std::initializer_list<FrameSpec> frames, const SessionOptions& options) {
  LoneSession lone(Role::server, options);
  lone.greet();
  lone.feed(frames);
  const auto sent = lone.sent_frames();
  EXPECT_TRUE(!sent.empty() && sent.back().is(wire::FrameType::goaway));
  return sent.empty() ? 0 : sent.back().header.call;
}

TEST(BrokenCall, IsNotNamedAsTheLastOneServed) {
  SessionOptions options = kit::plain_options();
  options.limits.max_methods = 2;
  FrameSpec long_name = kit::call(9, 2, std::string(1025, 'm'));
  FrameSpec empty_name = kit::call(9, 2, "");
  empty_name.method = "";
  const FrameSpec good = kit::call(5, 1, "a/b", "x");

  EXPECT_EQ(last_served({good, long_name}, options), 5u);
  EXPECT_EQ(last_served({good, empty_name}, options), 5u);
  EXPECT_EQ(last_served({good, kit::call(9, 3)}, options), 5u);
  EXPECT_EQ(last_served({good, with_codec(kit::call(9, 1, {}, "x"), 7)}, options), 5u);
  EXPECT_EQ(last_served({good, with_flags(first_chunk(9, 3, "abc"), wire::flag::message | wire::flag::end)}, options),
            5u);
  EXPECT_EQ(last_served({good, kit::call(3, 1)}, options), 5u);
}

TEST(IgnorableFlag, IsIgnored) {
  for (const std::size_t size : {1u, 20000u}) {
    LoneSession lone(Role::server);
    lone.greet();
    FrameSpec call = kit::call(1, 1, "a/b", std::string(size, 'x'));
    call.flags |= wire::flag::ignorable;
    FrameSpec again = kit::call(2, 1, {}, "x");
    again.flags |= wire::flag::ignorable;
    FrameSpec credit = kit::credit(1, 5);
    credit.flags = wire::flag::ignorable;

    lone.feed(call.bytes() + again.bytes() + credit.bytes(), 5000);

    const auto events = lone.events();
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0].payload.size(), size);
    EXPECT_TRUE(events[0].end);
    EXPECT_EQ(events[1].payload, "x");
    EXPECT_FALSE(lone.session().is_closed());
  }
}

TEST(IdsInGaps, CountAsOpened) {
  LoneSession lone(Role::server);
  lone.greet();

  lone.feed({kit::call(1, 1, "a/b"), kit::call(5, 1), kit::message(3, "x")});

  EXPECT_FALSE(lone.session().is_closed());
  EXPECT_EQ(lone.events().size(), 2u);
}

TEST(CancelOfUnknownCall, IsIgnored) {
  LoneSession lone(Role::server);
  lone.greet();

  lone.feed({kit::cancel(1), kit::cancel(77, 4), kit::credit(78, 5)});

  EXPECT_FALSE(lone.session().is_closed());
  EXPECT_TRUE(lone.events().empty());
}

}  // namespace
}  // namespace trunkline::session::native
