// SPDX-License-Identifier: MIT
// Peers that do not continue what they have begun to send.
#include "session/input_watch.h"

#include "kit/lone_session.h"
#include "session/memory_share.h"

#include <gtest/gtest.h>

#include <string>

namespace trunkline::session {
namespace {

using kit::FrameSpec;
using kit::LoneSession;
using std::chrono::seconds;
namespace flag = wire::flag;

SessionOptions with_stall_timeout(std::chrono::milliseconds timeout) {
  SessionOptions options = kit::plain_options();
  options.limits.stall_timeout = timeout;
  options.limits.keepalive_interval = {};
  return options;
}

class SlowSender : public testing::Test {
 protected:
  explicit SlowSender(std::chrono::milliseconds timeout = seconds(60))
      : lone(Role::server, with_stall_timeout(timeout)) {
    lone.greet();
  }
  /// A long message of which `bytes` are sent.
  void begin_message(std::uint32_t total, std::size_t bytes) {
    FrameSpec frame = kit::call(1, 0, "a/b", std::string(bytes, 'x'));
    frame.flags = flag::message | flag::more;
    frame.message_bytes = total;
    lone.feed({frame});
  }
  void continue_message(std::size_t bytes) {
    FrameSpec frame = kit::message(1, std::string(bytes, 'c'), flag::more);
    frame.codec = 0;
    lone.feed({frame});
  }
  /// Two minutes in which the peer is alive.
  void wait_two_minutes() {
    for (int i = 0; i < 13 && !lone.session().is_closed(); ++i) {
      lone.advance(seconds(10));
      lone.feed({kit::ping()});
    }
  }
  std::string end() { return std::string(lone.session().close_reason().message()); }

  LoneSession lone;
};

constexpr const char* reason =
    "receive: the peer does not go on with what it has begun to send, stall_timeout is 60000 ms";

TEST_F(SlowSender, OfALongMessageIsDisconnectedAlthoughItSendsPings) {
  begin_message(500000, 100);

  wait_two_minutes();

  EXPECT_TRUE(lone.session().is_closed());
  EXPECT_EQ(end(), reason);
}

TEST_F(SlowSender, OfAFrameIsDisconnected) {
  lone.feed(kit::call(1, 0, "a/b", std::string(1000, 'x')).bytes().substr(0, 500));

  for (int i = 0; i < 13; ++i) lone.advance(seconds(10));

  EXPECT_EQ(end(), reason);
}

TEST_F(SlowSender, OfALongFrameIsDisconnectedIfItSendsAByteNowAndThen) {
  const std::string bytes = kit::call(1, 0, "a/b", std::string(20000, 'x')).bytes();
  lone.feed(bytes.substr(0, 10000));

  for (std::size_t i = 0; i < 13; ++i) {
    lone.advance(seconds(10));
    lone.feed(bytes.substr(10000 + i, 1));
  }

  EXPECT_EQ(end(), reason);
}

TEST_F(SlowSender, OfALongMessageIsDisconnectedAlthoughItSendsLongFramesOfOthers) {
  begin_message(500000, 100);
  std::string rest;
  std::size_t part = 60000;

  for (CallId id = 2; id < 30 && !lone.session().is_closed(); ++id, part -= 300) {
    const std::string bytes = rest + kit::call(id, 0, "a/b", std::string(70000, 'z')).bytes();
    rest = bytes.substr(part);
    lone.feed(bytes.substr(0, part));
    lone.advance(seconds(10));
  }

  EXPECT_EQ(end(), reason);
}

TEST_F(SlowSender, ThatSendsALongFrameOfItsMessageMakesProgress) {
  FrameSpec chunk = kit::message(1, std::string(13 * 66000 - 16, 'c'), flag::more);
  chunk.codec = 0;
  const std::string bytes = chunk.bytes();
  begin_message(1000000, 100);

  for (std::size_t at = 0; at < bytes.size(); at += 66000) {
    lone.feed(bytes.substr(at, 66000));
    for (int step = 0; step < 5; ++step) lone.advance(seconds(10));
  }

  EXPECT_FALSE(lone.session().is_closed()) << end();
}

TEST_F(SlowSender, ThatMakesProgressIsServed) {
  begin_message(1000000, 100);

  for (int i = 0; i < 12; ++i) {
    for (int step = 0; step < 5; ++step) lone.advance(seconds(10));
    continue_message(66000);
  }

  EXPECT_FALSE(lone.session().is_closed()) << end();
}

TEST_F(SlowSender, IsGivenTheWholeTimeForEachThingItBegins) {
  for (std::uint32_t id = 1; id < 20; ++id) {
    const std::string bytes = kit::call(id, 0, "a/b", std::string(100, 'x')).bytes();
    lone.feed(bytes.substr(0, 50));
    lone.advance(seconds(50));
    lone.feed(bytes.substr(50));
  }

  EXPECT_FALSE(lone.session().is_closed()) << end();
}

TEST_F(SlowSender, IsNotBlamedForWhatThisSideDoesNotRead) {
  lone.end().is_at_work = true;
  begin_message(500000, 100);

  wait_two_minutes();

  EXPECT_FALSE(lone.session().is_closed()) << end();
}

TEST_F(SlowSender, HasTenSecondsWhileOthersWaitForItsMemory) {
  MemoryBudget budget(4 << 20, 1);
  SessionOptions options = with_stall_timeout(seconds(60));
  options.memory = &budget;
  LoneSession slow(Role::server, options);
  slow.greet();
  FrameSpec open = kit::call(1, 0, "a/b");
  open.flags = 0;
  open.codec = 0;
  FrameSpec first = kit::message(1, "x", flag::more);
  first.message_bytes = 2900000;
  slow.feed({open, first});
  slow.advance(seconds(15));
  const bool while_nobody_waits = slow.session().is_closed();
  LoneSession other(Role::server, options);
  other.greet();
  FrameSpec request = kit::call(1, 0, "a/b", "x");
  request.flags = flag::message | flag::more;
  request.message_bytes = 1500000;
  other.feed({request});

  for (int i = 0; i < 3; ++i) slow.advance(seconds(10));
  const std::string end = slow.session().close_reason().to_string();
  other.advance(std::chrono::milliseconds(5));

  EXPECT_FALSE(while_nobody_waits);
  EXPECT_NE(end.find("others wait for its memory"), std::string::npos) << end;
  EXPECT_FALSE(budget.has_waiting()) << "the other has room now";
}

/// The peer of another connection waits for its address's share of the memory to become free.
class AddressWithoutRoom : public SlowSender {
 protected:
  static void begin_request(LoneSession& lone, std::size_t size) {
    lone.greet();
    FrameSpec request = kit::call(1, 0, "a/b", "x");
    request.flags = flag::message | flag::more;
    request.message_bytes = size;
    lone.feed({request});
  }
  /// How `slow` has ended half a minute after another of the address `account` has begun to wait.
  std::string end_beside_waiting(LoneSession& slow) {
    begin_request(slow, 500'000);
    MemoryShare holder(&budget, account);
    holder.update(account->max_bytes());
    MemoryShare turn(&budget, account);
    EXPECT_TRUE(turn.try_take(1)) << "the one message beyond the share";
    LoneSession waiting(Role::server, options, account);
    begin_request(waiting, 500'000);
    for (int i = 0; i < 3; ++i) slow.advance(seconds(10));
    return slow.session().is_closed() ? slow.session().close_reason().to_string() : std::string();
  }

  MemoryBudget budget{16 << 20, 1};
  const std::shared_ptr<MemoryAccount> account = std::make_shared<MemoryAccount>(budget, 25);
  SessionOptions options = [this] {
    SessionOptions with = with_stall_timeout(seconds(60));
    with.memory = &budget;
    return with;
  }();
};

TEST_F(AddressWithoutRoom, DoesNotHurryThePeersOfOtherAddresses) {
  LoneSession slow(Role::server, options);

  EXPECT_EQ(end_beside_waiting(slow), "");
  EXPECT_FALSE(budget.has_waiting());
}

TEST_F(AddressWithoutRoom, HurriesItsOwnPeers) {
  LoneSession slow(Role::server, options, account);

  const std::string end = end_beside_waiting(slow);

  EXPECT_NE(end.find("others wait for its memory"), std::string::npos) << end;
}

class AnySender : public SlowSender {
 protected:
  AnySender() : SlowSender(seconds(0)) {}
};

TEST_F(AnySender, MayTakeForEverIfThereIsNoLimit) {
  begin_message(500000, 100);

  wait_two_minutes();

  EXPECT_FALSE(lone.session().is_closed());
}

}  // namespace
}  // namespace trunkline::session
