// SPDX-License-Identifier: MIT
// The bound of frames that cost no credit.
#include "session/native/uncharged_limit.h"
#include "kit/lone_session.h"

#include "native_parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

using kit::FrameSpec;
using kit::LoneSession;
using testing::HasSubstr;

/// The reason in the goaway with code 8 that was sent last; empty if there is none.
std::string limit_error(LoneSession& lone) {
  const auto sent = lone.sent_frames();
  if (sent.empty() || !sent.back().is(wire::FrameType::goaway) || sent.back().header.number != 8) return {};
  return sent.back().body;
}

/// Feeds `frame` `count` times.
void repeat(LoneSession& lone, const FrameSpec& frame, std::size_t count) {
  std::string bytes;
  for (std::size_t i = 0; i < count; ++i) bytes += frame.bytes();
  lone.feed(bytes);
}

TEST(UnchargedLimit, GrowsWithTheFramesThatCostCreditOnBothSides) {
  NativeParts parts;
  UnchargedLimit limit(parts.credit, parts.path.queue());
  EXPECT_EQ(limit.allowed(), 1024u);

  parts.credit.charge(16);
  EXPECT_EQ(limit.allowed(), 1028u);
  parts.path.charge(100);
  EXPECT_EQ(limit.allowed(), 1032u);
  limit.sent_ping();
  EXPECT_EQ(limit.allowed(), 1033u);
}

TEST(UnchargedLimit, IsReachedByTheFrameAfterTheLastOneAllowed) {
  NativeParts parts;
  UnchargedLimit limit(parts.credit, parts.path.queue());

  for (int i = 0; i < 1024; ++i) ASSERT_TRUE(limit.add()) << i;

  EXPECT_FALSE(limit.add());
  EXPECT_EQ(limit.error(), Status(StatusCode::resource_exhausted,
                                  "receive frame: 1025 frames that cost no credit, the limit is 1024"));
}

TEST(FramesWithoutCost, AreBoundedByThoseWithCost) {
  const FrameSpec skipped{.type = wire::FrameType{0x90}, .body = "skip"};
  const FrameSpec pong{.type = wire::FrameType::pong, .body = "12345678"};
  for (const FrameSpec& frame : {kit::cancel(9), kit::credit(9, 1), kit::goaway(0), skipped, pong}) {
    LoneSession lone(Role::server);
    lone.greet();
    repeat(lone, frame, 1024);
    EXPECT_FALSE(lone.session().is_closed());
    lone.feed({kit::call(1, 1, "a/b", "x")});
    repeat(lone, frame, 4);
    EXPECT_FALSE(lone.session().is_closed());
    EXPECT_EQ(limit_error(lone), "");

    repeat(lone, frame, 1);

    EXPECT_THAT(limit_error(lone), HasSubstr("1029 frames that cost no credit, the limit is 1028"));
  }
}

TEST(FramesWithoutCost, OfAServerAreBoundedAsWell) {
  LoneSession lone(Role::client);
  lone.greet();
  ASSERT_TRUE(lone.session().start({.method = {1, "a/b"}, .context = lone.context_of(1)}, kit::payload("x")).is_ok());
  static_cast<void>(lone.sent_frames());

  repeat(lone, FrameSpec{.type = wire::FrameType::finish, .call = 1}, 1028);
  EXPECT_EQ(limit_error(lone), "");
  repeat(lone, FrameSpec{.type = wire::FrameType::finish, .call = 1}, 1);

  EXPECT_THAT(limit_error(lone), HasSubstr("the limit is 1028"));
}

TEST(FramesWithoutCost, OfManyShortCallsStayBelow) {
  LoneSession lone(Role::server);
  lone.greet();
  for (CallId id = 1; id <= 5000; ++id) {
    lone.feed({kit::call(id, 1, id == 1 ? "a/b" : "", "x"), kit::credit(id, 1), kit::credit(0, 1), kit::cancel(id)});
  }

  EXPECT_FALSE(lone.session().is_closed());
}

TEST(FramesWithoutCost, DoNotIncludePingsAndTheirPongs) {
  SessionOptions options = kit::plain_options();
  options.limits.keepalive_while_idle = true;
  options.limits.keepalive_timeout = std::chrono::seconds(20);
  LoneSession lone(Role::server, options);
  lone.greet();
  for (int i = 0; i < 3000; ++i) {
    lone.feed({kit::ping()});
    static_cast<void>(lone.sent_frames());
  }
  EXPECT_FALSE(lone.session().is_closed());

  int pongs = 0;
  for (int i = 0; i < 3000; ++i) {
    lone.advance(options.limits.keepalive_interval);
    for (const auto& frame : lone.sent_frames()) {
      if (!frame.is(wire::FrameType::ping)) continue;
      lone.feed({FrameSpec{.type = wire::FrameType::pong, .body = frame.body}});
      ++pongs;
    }
  }

  EXPECT_GT(pongs, 1100);
  EXPECT_FALSE(lone.session().is_closed());
}

}  // namespace
}  // namespace trunkline::session::native
