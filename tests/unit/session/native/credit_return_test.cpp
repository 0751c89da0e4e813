// SPDX-License-Identifier: MIT
// The credit of a call is returned exactly once, whenever its message is released, until the call ends.
#include "kit/credit_watch.h"
#include "kit/lone_session.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
namespace {

using kit::FrameSpec;
using kit::LoneSession;
namespace flag = wire::flag;

constexpr std::uint32_t window = 65536;
constexpr CallId id = 1;

SessionOptions tight() {
  SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = window;
  options.limits.connection_credit_bytes = 1 << 20;
  return options;
}

/// What the session has granted to the call since the last call of this function.
std::uint64_t granted(LoneSession& lone) {
  std::uint64_t sum = 0;
  for (const auto& frame : lone.sent_frames()) {
    if (frame.is(wire::FrameType::credit) && frame.header.call == id) sum += frame.header.number;
  }
  return sum;
}

FrameSpec open_stream() {
  FrameSpec call = kit::call(id, 1, "a/b");
  call.flags = 0;
  call.codec = 0;
  return call;
}

/// Chunk `index` of a message of `count` chunks of 60000 bytes.
FrameSpec chunk(int index, int count) {
  FrameSpec frame = kit::message(id, std::string(60000, 'x'), index + 1 < count ? flag::more : std::uint8_t{0});
  if (index > 0) frame.codec = 0;
  if (index == 0) frame.message_bytes = 60000u * static_cast<unsigned>(count);
  return frame;
}

/// A message in five chunks; returns what was granted meanwhile.
std::uint64_t feed_long_message(LoneSession& lone) {
  std::uint64_t sum = 0;
  for (int i = 0; i < 5; ++i) {
    lone.feed({chunk(i, 5)});
    static_cast<void>(lone.events());
    sum += granted(lone);
  }
  return sum;
}

class LongMessage : public testing::Test {
 protected:
  LongMessage() {
    lone_.greet();
    lone_.feed({open_stream()});
    static_cast<void>(lone_.events());
  }
  LoneSession lone_{Role::server, tight()};
};

TEST_F(LongMessage, ReleasedInsideItsEventIsCreditedOnce) {
  lone_.end().on_event = [this](Event& event) {
    if (!event.has_message) return;
    event.is_retained = true;
    lone_.session().release(event.id, event.credit);
  };

  EXPECT_LE(feed_long_message(lone_), 300000u);
}

TEST_F(LongMessage, ReleasedInsideItsEventLeavesTheWindowAsItWas) {
  lone_.end().on_event = [this](Event& event) {
    if (!event.has_message) return;
    event.is_retained = true;
    lone_.session().release(event.id, event.credit);
  };
  feed_long_message(lone_);
  lone_.end().on_event = [](Event& event) { event.is_retained = true; };

  int accepted = 0;
  while (accepted < 100) {
    lone_.feed({kit::message(id, std::string(10000, 'y'))});
    if (lone_.session().is_closed()) break;
    ++accepted;
  }

  EXPECT_LE(accepted, 6);
}

TEST_F(LongMessage, NotRetainedIsCreditedCompletely) { EXPECT_GE(feed_long_message(lone_) + window / 2, 300000u); }

TEST_F(LongMessage, RetainedIsCreditedOnceItIsReleased) {
  lone_.retain_messages = true;
  MessageCredit credit;
  const auto on_event = lone_.end().on_event;
  lone_.end().on_event = [&](Event& event) {
    on_event(event);
    if (event.has_message) credit = event.credit;
  };
  const std::uint64_t early = feed_long_message(lone_);

  lone_.session().release(id, credit);

  EXPECT_EQ(credit.further_bytes, 240000u);
  EXPECT_EQ(early, 240000u);
  // The next message has the whole window.
  EXPECT_GE(feed_long_message(lone_), 240000u);
  EXPECT_FALSE(lone_.session().is_closed());
}

/// A client that writes everything before it reads, so the response waits for credit.
class FinishedCall : public testing::Test {
 protected:
  FinishedCall() {
    lone_.greet();
    lone_.retain_messages = true;
    lone_.feed({open_stream(), kit::message(id, std::string(60000, 'x'))});
    unread_ = lone_.events().back().credit;
    EXPECT_TRUE(lone_.session().send(id, kit::payload(std::string(200000, 'r')), nullptr, false).is_ok());
    EXPECT_TRUE(lone_.session().finish(id, {}, {}, nullptr, false).is_ok());
    EXPECT_EQ(granted(lone_), 0u);
    EXPECT_EQ(lone_.session().open_calls(), 1u);
  }
  LoneSession lone_{Role::server, tight()};
  MessageCredit unread_;
};

TEST_F(FinishedCall, ReturnsTheCreditOfUnreadMessages) {
  lone_.session().release(id, unread_);

  EXPECT_EQ(granted(lone_), 60000u);
}

TEST_F(FinishedCall, ReturnsTheCreditOfDiscardedMessages) {
  lone_.session().release(id, unread_);

  std::uint64_t sum = granted(lone_);
  for (int round = 0; round < 3; ++round) sum += feed_long_message(lone_);

  EXPECT_FALSE(lone_.session().is_closed()) << lone_.session().close_reason().to_string();
  EXPECT_GE(sum + window / 2, 60000u + 3 * 300000u);
  EXPECT_TRUE(lone_.events().empty());
}

TEST_F(FinishedCall, ReturnsNoCreditAfterTheClientsEnd) {
  lone_.feed({kit::message(id, "x", flag::end)});

  lone_.session().release(id, unread_);

  EXPECT_EQ(granted(lone_), 0u);
}

TEST(CreditWatch, DetectsCreditThatIsGrantedTwice) {
  kit::CreditWatch watch;
  EXPECT_EQ(watch.saw(wire::Sender::client, kit::greeting()), "");
  EXPECT_EQ(watch.saw(wire::Sender::server, kit::greeting()), "");
  FrameSpec call = open_stream();
  EXPECT_EQ(watch.saw(wire::Sender::client, call.bytes() + kit::message(id, std::string(1000, 'x')).bytes()), "");

  EXPECT_EQ(watch.saw(wire::Sender::server, kit::credit(id, 1000).bytes()), "");
  EXPECT_EQ(watch.saw(wire::Sender::server, kit::credit(id, 1).bytes()), "the server grants credit of call 1 twice");
  EXPECT_NE(watch.saw(wire::Sender::server, kit::credit(0, 1 << 20).bytes()), "");
}

}  // namespace
}  // namespace trunkline::session::native
