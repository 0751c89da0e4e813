// SPDX-License-Identifier: MIT
// The start of a connection: preface and hello, and what must not arrive before them.
#include "kit/lone_session.h"
#include "kit/session_pair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

using kit::LoneSession;
using testing::HasSubstr;
using namespace std::chrono_literals;

void expect_goaway(LoneSession& lone, StatusCode code, std::string_view text) {
  const auto events = lone.events();
  const auto frames = lone.sent_frames();

  ASSERT_FALSE(events.empty());
  EXPECT_EQ(events.back().type, EventType::closed);
  EXPECT_THAT(std::string(events.back().status.message()), HasSubstr(text));
  ASSERT_FALSE(frames.empty());
  EXPECT_TRUE(frames.back().is(wire::FrameType::goaway));
  EXPECT_EQ(frames.back().header.number, static_cast<std::uint32_t>(code));
  EXPECT_THAT(frames.back().body, HasSubstr(text));
}

TEST(Handshake, ClientGreetsAtOnce) {
  LoneSession lone(Role::client);

  const std::string output = lone.end().take_output();

  EXPECT_EQ(output.substr(0, 8), kit::preface());
  EXPECT_TRUE(lone.session().can_start());
  EXPECT_FALSE(lone.session().is_open());
}

TEST(Handshake, ServerGreetsAfterThePreface) {
  LoneSession lone(Role::server);

  lone.feed(kit::preface().substr(0, 7));
  const bool early = lone.session().has_output();
  lone.feed(kit::preface().substr(7));

  EXPECT_FALSE(early);
  const auto frames = lone.sent_frames();
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_TRUE(frames[0].is(wire::FrameType::hello));
}

TEST(Handshake, HelloOpens) {
  LoneSession lone(Role::server);

  lone.feed(kit::greeting());

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].type, EventType::opened);
  EXPECT_TRUE(lone.session().is_open());
}

TEST(Handshake, WrongPrefaceIsRefusedByTheServerWithPrefaceAndGoaway) {
  for (const std::string bytes : {"GET / HTTP/1.1\r\n", "\xF5TRKL\r\n\x02", "\xF5TRKL\n"}) {
    LoneSession lone(Role::server);

    lone.feed(bytes);

    const auto events = lone.events();
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].type, EventType::closed);
    EXPECT_EQ(events[0].status.message(), "handshake: the peer does not speak the native protocol");
    const auto sent = lone.sent_frames();  // behind a preface, which the reader has checked
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_TRUE(sent[0].is(wire::FrameType::goaway));
    EXPECT_EQ(sent[0].header.call, 0u);
    EXPECT_EQ(sent[0].header.number, 13u);
  }
}

TEST(Handshake, ClientOfALaterVersionLearnsWhyItWasRefused) {
  LoneSession server(Role::server);
  LoneSession client(Role::client);
  server.feed("\xF5TRKL\r\n\x02");

  client.feed(server.end().take_output());

  const auto events = client.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(
      events[0].status.message(),
      "the peer ended the connection: handshake: these are not the first bytes of the native protocol, version 1");
}

TEST(Handshake, ErrorNamesTheProtocolOfAForeignServer) {
  LoneSession lone(Role::client);

  lone.feed("HTTP/1.1 400 Bad Request\r\n");

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].status.message(),
            "handshake: the peer does not speak the native protocol; it seems to speak HTTP/1");
}

TEST(Handshake, WrongPrefaceIsDetectedAtItsFirstWrongByte) {
  for (std::size_t wrong = 0; wrong < 8; ++wrong) {
    LoneSession lone(Role::client);
    std::string bytes = kit::preface();
    bytes[wrong] = static_cast<char>(bytes[wrong] ^ 1);

    lone.feed(bytes.substr(0, wrong + 1));

    EXPECT_TRUE(lone.session().is_closed()) << wrong;
  }
}

TEST(Handshake, FrameBeforeHelloIsRefused) {
  for (const kit::FrameSpec& frame :
       {kit::call(1, 1, "a/b", "x"), kit::credit(0, 5), kit::ping(), kit::message(1, "x"), kit::cancel(1)}) {
    LoneSession lone(Role::server);

    lone.feed(kit::preface() + frame.bytes());

    expect_goaway(lone, StatusCode::internal, "handshake: a frame came before hello");
  }
}

TEST(Handshake, HeaderOfALongFrameBeforeHelloIsEnoughToRefuseIt) {
  LoneSession lone(Role::server);

  lone.feed(kit::preface() + kit::call(1, 1, "a/b", std::string(60000, 'x')).bytes().substr(0, 16));

  expect_goaway(lone, StatusCode::internal, "handshake: a frame came before hello");
}

TEST(Handshake, SkippableFrameBeforeHelloIsRefused) {
  LoneSession lone(Role::server);

  lone.feed(kit::preface() + kit::FrameSpec{.type = wire::FrameType{0x80}}.bytes());

  expect_goaway(lone, StatusCode::internal, "handshake: a frame came before hello");
}

TEST(Handshake, SecondHelloIsRefused) {
  LoneSession lone(Role::server);
  lone.greet();

  lone.feed(kit::hello({}));

  expect_goaway(lone, StatusCode::internal, "receive hello: hello came twice");
}

TEST(Handshake, BadHelloIsRefused) {
  LoneSession lone(Role::server);

  lone.feed(kit::preface() + kit::FrameSpec{.type = wire::FrameType::hello, .body = "\x02"}.bytes());

  expect_goaway(lone, StatusCode::internal, "hello");
}

TEST(Handshake, OversizedHelloIsRefusedByItsHeader) {
  LoneSession lone(Role::server);
  const std::string frame = kit::FrameSpec{.type = wire::FrameType::hello, .body = std::string(16385, 'x')}.bytes();

  lone.feed(kit::preface() + frame.substr(0, 16));

  expect_goaway(lone, StatusCode::resource_exhausted, "16385");
}

/// The connection closes it like this when its handshake takes too long.
TEST(Handshake, ClosedBeforeTheHelloItSaysWhy) {
  for (const Role role : {Role::client, Role::server}) {
    LoneSession lone(role);
    lone.feed(kit::preface());
    EXPECT_FALSE(lone.session().is_open());

    lone.session().close(Status(StatusCode::unavailable, "handshake: too slow", StatusOrigin::transport));

    EXPECT_TRUE(lone.session().is_closed());
    EXPECT_EQ(lone.session().close_reason().message(), "handshake: too slow");
    expect_goaway(lone, StatusCode::unavailable, "handshake: too slow");
  }
}

TEST(Handshake, ClosedBeforeThePrefaceItSendsNothing) {
  LoneSession lone(Role::server);

  lone.session().close(Status(StatusCode::unavailable, "handshake: too slow", StatusOrigin::transport));

  EXPECT_TRUE(lone.session().is_closed());
  EXPECT_FALSE(lone.session().has_output());
}

TEST(Handshake, HasNoTimerOfItsOwn) {
  LoneSession lone(Role::server);

  lone.advance(1h);

  EXPECT_FALSE(lone.session().is_closed());
}

TEST(Handshake, EndOfFileBeforeHelloIsReported) {
  LoneSession lone(Role::client);

  lone.session().transport_closed({});

  EXPECT_EQ(lone.session().close_reason().message(), "handshake: connection closed by the peer before its hello");
}

TEST(Handshake, ResetBeforeHelloIsReported) {
  LoneSession lone(Role::client);

  lone.session().transport_closed(Status(StatusCode::unavailable, "connection reset"));

  EXPECT_EQ(lone.session().close_reason().message(), "handshake: no hello from the peer: connection reset");
}

TEST(Handshake, GoawayBeforeHelloEndsCallsAsNotRun) {
  LoneSession lone(Role::client);
  int context = 0;
  ASSERT_TRUE(lone.session().start({.method = {1, "a/b"}, .context = &context}, kit::payload("x")).is_ok());

  lone.feed(kit::preface() + kit::goaway(0, 8, "full").bytes());

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].type, EventType::finished);
  EXPECT_FALSE(events[0].status.may_have_run());
  EXPECT_EQ(events[1].type, EventType::closed);
  EXPECT_EQ(events[1].status.message(), "the peer ended the connection: full");
}

TEST(Handshake, HelloRaisesCreditOfOpenCalls) {
  LoneSession lone(Role::client);
  int context = 0;
  const std::string large(100000, 'x');
  ASSERT_TRUE(lone.session().start({.method = {1, "a/b"}, .context = &context}, kit::payload(large)).is_ok());
  std::size_t early = 0;
  for (const auto& frame : lone.sent_frames()) early += frame.message.size();

  lone.feed(kit::greeting({.call_credit = 200000}));

  std::size_t sent = early;
  for (const auto& frame : lone.sent_frames()) sent += frame.message.size();
  EXPECT_LE(early, 65536u);
  EXPECT_EQ(sent, large.size());
}

TEST(Handshake, UnaryCallSucceeds) {
  kit::SessionPair pair;
  std::string asked;
  std::string received;
  int context = 0;
  pair.server().on_event = [&](Event& event) {
    if (event.type != EventType::call) return;
    asked = std::string(event.method_name) + " " + std::string(as_text(event.payload));
    static_cast<void>(pair.server().session().finish(event.id, {}, kit::payload("world"), nullptr, false));
  };
  pair.client().on_event = [&](Event& event) {
    if (event.type == EventType::finished) received = as_text(event.payload);
  };

  ASSERT_TRUE(
      pair.client().session().start({.method = {1, "a/b"}, .context = &context}, kit::payload("hello")).is_ok());
  pair.settle();

  EXPECT_EQ(asked, "a/b hello");
  EXPECT_EQ(received, "world");
  EXPECT_EQ(pair.client().session().open_calls(), 0u);
  EXPECT_EQ(pair.server().session().open_calls(), 0u);
}

}  // namespace
}  // namespace trunkline::session::native
