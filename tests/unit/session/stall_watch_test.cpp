// SPDX-License-Identifier: MIT
// Peers that leave output waiting.
#include "session/stall_watch.h"

#include "kit/lone_session.h"
#include "session/memory_share.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>

namespace trunkline::session {
namespace {

using kit::LoneSession;
using std::chrono::seconds;

SessionOptions with_stall_timeout(std::chrono::milliseconds timeout) {
  SessionOptions options = kit::plain_options();
  options.limits.stall_timeout = timeout;
  options.limits.max_unsent_bytes = 100000;
  options.limits.keepalive_interval = {};
  return options;
}

/// Calls whose responses of 200 KB wait for the client's credit.
class Responses : public testing::Test {
 protected:
  explicit Responses(std::chrono::milliseconds timeout = seconds(60))
      : lone(Role::server, with_stall_timeout(timeout)) {
    lone.greet();
    lone.on_call = LoneSession::OnCall::ignore;
    lone.end().on_event = [this](Event& event) {
      if (event.type == EventType::call)
        static_cast<void>(lone.session().finish(event.id, {}, kit::payload(std::string(200000, 'r')), nullptr, false));
    };
    lone.feed({kit::call(1, 1, "a/b", "x"), kit::call(2, 1, {}, "x")});
    static_cast<void>(lone.sent_frames());
  }
  LoneSession lone;
};

TEST_F(Responses, ThatNobodyTakesEndTheConnection) {
  for (int i = 0; i < 12; ++i) {
    lone.advance(seconds(10));
    lone.feed({kit::ping("12345678")});
    static_cast<void>(lone.sent_frames());
  }

  EXPECT_TRUE(lone.session().is_closed());
  EXPECT_EQ(lone.session().close_reason().message(),
            "send: the peer has taken nothing of 268976 bytes within stall_timeout 60000 ms");
}

TEST_F(Responses, ThatAreTakenSlowlyDoNot) {
  for (int i = 0; i < 20; ++i) {
    lone.advance(seconds(50));
    lone.feed({kit::credit(1, 5000)});
    static_cast<void>(lone.sent_frames());
  }

  EXPECT_FALSE(lone.session().is_closed()) << lone.session().close_reason().to_string();
}

/// A call whose response of 50 KB waits for the client's credit, which is less than max_unsent_bytes.
class ShortOfMemory : public testing::Test {
 protected:
  static SessionOptions with(MemoryBudget& budget) {
    SessionOptions options = with_stall_timeout(seconds(300));
    options.memory = &budget;
    return options;
  }
  ShortOfMemory() {
    lone.greet({.call_credit = 65536});
    lone.on_call = LoneSession::OnCall::ignore;
    lone.end().on_event = [this](Event& event) {
      if (event.type == EventType::call)
        static_cast<void>(lone.session().finish(event.id, {}, kit::payload(std::string(115536, 'r')), nullptr, false));
    };
    lone.feed({kit::call(1, 1, "a/b", "x")});
    static_cast<void>(lone.sent_frames());
  }
  void wait(int count) {
    for (int i = 0; i < count; ++i) {
      lone.advance(seconds(5));
      static_cast<void>(lone.sent_frames());
    }
  }

  MemoryBudget budget{4 << 20, 1};
  MemoryShare others{&budget};
  LoneSession lone{Role::server, with(budget)};
};

TEST_F(ShortOfMemory, LittleMayWaitForEverWhileThereIsMemory) {
  others.update(1 << 20);

  wait(1000);

  EXPECT_FALSE(lone.session().is_closed()) << lone.session().close_reason().to_string();
}

TEST_F(ShortOfMemory, LittleMayWaitForAShortTime) {
  others.update(3 << 20);

  wait(2);
  const bool was_closed = lone.session().is_closed();
  wait(2);

  EXPECT_FALSE(was_closed);
  EXPECT_TRUE(lone.session().is_closed());
  EXPECT_EQ(lone.session().close_reason().message(),
            "send: the peer has taken nothing of 50024 bytes within stall_timeout 300000 ms; others wait for its "
            "memory");
}

TEST_F(ShortOfMemory, APeerThatTakesSomethingStays) {
  others.update(3 << 20);

  for (int i = 0; i < 9; ++i) {
    lone.feed({kit::credit(1, 4096)});
    wait(1);
  }

  EXPECT_FALSE(lone.session().is_closed()) << lone.session().close_reason().to_string();
}

TEST_F(ShortOfMemory, AMomentOfItEndsNothing) {
  for (int i = 0; i < 20; ++i) {
    others.update(3 << 20);
    wait(1);
    others.update(0);
    wait(1);
  }

  EXPECT_FALSE(lone.session().is_closed()) << lone.session().close_reason().to_string();
}

/// A stream whose client has yet to read its first message, behind which 200 KB wait.
class UnreadMessages : public testing::Test {
 protected:
  static SessionOptions with(MemoryBudget& budget) {
    SessionOptions options = with_stall_timeout(seconds(60));
    options.memory = &budget;
    return options;
  }
  UnreadMessages() {
    lone.greet({.call_credit = 65536});
    lone.end().on_event = [this](Event& event) {
      if (event.type != EventType::call) return;
      for (const std::size_t size : {65536, 200000})
        static_cast<void>(lone.session().send(event.id, kit::payload(std::string(size, 'm')), nullptr, false));
    };
    lone.feed({kit::call(1, 1, "a/b", "x")});
    static_cast<void>(lone.sent_frames());
  }
  void wait(int count) {
    for (int i = 0; i < count; ++i) {
      lone.advance(seconds(10));
      lone.feed({kit::ping("12345678")});
      static_cast<void>(lone.sent_frames());
    }
  }

  MemoryBudget budget{4 << 20, 1};
  MemoryShare others{&budget};
  LoneSession lone{Role::server, with(budget)};
};

TEST_F(UnreadMessages, MayWaitForTheirReader) {
  wait(100);

  EXPECT_FALSE(lone.session().is_closed()) << lone.session().close_reason().to_string();
}

TEST_F(UnreadMessages, EndTheConnectionIfOthersNeedTheirMemory) {
  others.update(3 << 20);

  wait(5);

  EXPECT_TRUE(lone.session().is_closed());
}

class UnlimitedResponses : public Responses {
 protected:
  UnlimitedResponses() : Responses(std::chrono::milliseconds(0)) {}
};

TEST_F(UnlimitedResponses, MayWaitForEver) {
  for (int i = 0; i < 100; ++i) lone.advance(std::chrono::hours(1));

  EXPECT_FALSE(lone.session().is_closed()) << lone.session().close_reason().to_string();
}

}  // namespace
}  // namespace trunkline::session
