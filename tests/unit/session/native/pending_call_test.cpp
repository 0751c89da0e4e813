// SPDX-License-Identifier: MIT
// What open calls retain of their header block.
#include "kit/lone_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

using kit::FrameSpec;
using kit::LoneSession;
namespace flag = wire::flag;

constexpr std::size_t entries = 4000;
/// On the wire: tag, size of the field, size of the name, name.
constexpr std::size_t block_bytes = entries * (4 + sizeof(Metadata::Entry));

/// The first of two chunks of 2 bytes, with as much metadata as fits.
FrameSpec first_chunk(CallId id) {
  FrameSpec frame = kit::call(id, 0, "m", "x");
  frame.flags = flag::message | flag::more;
  frame.message_bytes = 2;
  for (std::size_t i = 0; i < entries; ++i) frame.metadata.add("a", "");
  return frame;
}

FrameSpec last_chunk(CallId id) {
  FrameSpec frame = kit::message(id, "y", flag::end);
  frame.codec = 0;
  return frame;
}

/// Room for the metadata of three calls.
SessionOptions tight() {
  SessionOptions options = kit::plain_options();
  options.limits.max_unread_bytes = 3 * (block_bytes + 100);
  return options;
}

class PendingCalls : public testing::Test {
 protected:
  PendingCalls() {
    lone_.greet();
    for (CallId id = 1; id <= 3; ++id) lone_.feed({first_chunk(id)});
    static_cast<void>(lone_.sent_frames());
  }
  bool is_refused(CallId id) {
    lone_.feed({first_chunk(id)});
    const auto sent = lone_.sent_frames();
    if (sent.empty()) return false;
    EXPECT_TRUE(sent[0].is(wire::FrameType::finish));
    EXPECT_EQ(sent[0].header.number, static_cast<std::uint32_t>(StatusCode::resource_exhausted));
    EXPECT_THAT(sent[0].status_message, testing::HasSubstr("exceed max_unread_bytes"));
    return true;
  }

  LoneSession lone_{Role::server, tight()};
};

TEST_F(PendingCalls, CountTheirMetadataAsUnread) {
  EXPECT_EQ(lone_.session().open_calls(), 3u);
  EXPECT_TRUE(is_refused(4));
}

TEST_F(PendingCalls, MakeRoomWhenTheyAreCancelled) {
  lone_.feed({kit::cancel(2)});

  EXPECT_FALSE(is_refused(4));
  EXPECT_TRUE(is_refused(5));
}

TEST_F(PendingCalls, HaveTheirMetadataAndMethodOnceComplete) {
  lone_.feed({last_chunk(2)});

  const auto events = lone_.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].payload, "xy");
  EXPECT_EQ(events[0].method, "m");
  EXPECT_EQ(events[0].metadata.size(), entries);
  EXPECT_TRUE(is_refused(4)) << "the application has its metadata now";
  static_cast<void>(lone_.session().finish(2, {}, {}, nullptr, false));
  static_cast<void>(lone_.sent_frames());
  EXPECT_FALSE(is_refused(5));
  EXPECT_TRUE(is_refused(6));
}

TEST_F(PendingCalls, MakeRoomWhenTheirMessageIsBroken) {
  FrameSpec broken = last_chunk(3);
  broken.body = "too long";
  lone_.feed({broken});
  static_cast<void>(lone_.sent_frames());

  EXPECT_FALSE(is_refused(4));
  EXPECT_TRUE(is_refused(5));
}

/// Calls without chunks that run and have received everything but the end.
TEST(OpenCalls, CountTheirMetadataAsUnreadWhileTheyAreOpen) {
  LoneSession lone(Role::server, tight());
  lone.greet();
  const auto stream = [](CallId id) {
    FrameSpec frame = first_chunk(id);
    frame.flags = 0;
    frame.codec = 0;
    frame.body = {};
    frame.message_bytes.reset();
    return frame;
  };
  for (CallId id = 1; id <= 3; ++id) lone.feed({stream(id)});
  ASSERT_EQ(lone.session().open_calls(), 3u);
  static_cast<void>(lone.sent_frames());

  lone.feed({stream(4)});

  const auto refused = lone.sent_frames();
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_EQ(refused[0].header.number, static_cast<std::uint32_t>(StatusCode::resource_exhausted));
  static_cast<void>(lone.session().finish(1, {}, {}, nullptr, false));
  lone.feed({stream(5)});
  EXPECT_EQ(lone.session().open_calls(), 3u);
}

TEST(CallWithoutAnEvent, LeavesNothingInTheEventThatFollowsItsCancel) {
  LoneSession lone(Role::server);
  lone.greet();
  lone.on_call = LoneSession::OnCall::ignore;
  lone.end().on_event = [&](Event& event) {
    static_cast<void>(lone.session().finish(event.id, {}, kit::payload(std::string(100000, 'x')), nullptr, false));
  };
  lone.feed({kit::call(1, 1, "a/b", "x")});
  ASSERT_EQ(lone.session().open_calls(), 1u) << "the response waits for credit";
  Status status;
  lone.end().on_event = [&](Event& event) { status = event.status; };

  lone.feed({kit::cancel(1, 4), kit::call(2, 1, {}, "y")});

  EXPECT_TRUE(status.is_ok()) << status.to_string();
}

TEST(CallWithoutAnEvent, LeavesNothingInTheEventThatFollowsItsFault) {
  LoneSession lone(Role::server);
  lone.greet();
  FrameSpec first = first_chunk(1);
  first.flags |= flag::one_way;
  FrameSpec broken = last_chunk(1);
  broken.body = "too long";

  lone.feed({first, broken, kit::call(2, 1, "a/b", "y")});

  const auto events = lone.events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].id, 2u);
  EXPECT_TRUE(events[0].status.is_ok()) << events[0].status.to_string();
}

}  // namespace
}  // namespace trunkline::session::native
