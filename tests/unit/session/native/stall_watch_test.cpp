// SPDX-License-Identifier: MIT
// Peers that leave output waiting.
#include "session/native/stall_watch.h"

#include "kit/lone_session.h"

#include <gtest/gtest.h>

namespace trunkline::session::native {
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

class UnlimitedResponses : public Responses {
 protected:
  UnlimitedResponses() : Responses(std::chrono::milliseconds(0)) {}
};

TEST_F(UnlimitedResponses, MayWaitForEver) {
  for (int i = 0; i < 100; ++i) lone.advance(std::chrono::hours(1));

  EXPECT_FALSE(lone.session().is_closed()) << lone.session().close_reason().to_string();
}

}  // namespace
}  // namespace trunkline::session::native
