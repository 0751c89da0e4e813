// SPDX-License-Identifier: MIT
// Calls in the pause before a retry: closing, deadlines, and their statuses.
#include "unit/client/client_fixture.h"

namespace trunkline::client {

namespace {

class RetryPause : public ClientFixture {
 protected:
  /// A call that was refused and is to be retried after a pause.
  std::shared_ptr<Outcome> begin_refused(const CallOptions& call_options = {}) {
    network.on_call = [](FakeServer& server, const ServedCall& call) {
      server.refuse(call.id, {StatusCode::unavailable, "going away"}, true);
    };
    options.backoff.initial = options.backoff.maximum = 10s;
    auto outcome = begin("x", call_options);
    EXPECT_FALSE(outcome->is_done());
    return outcome;
  }
};

TEST_F(RetryPause, DestructionEndsTheCall) {
  const auto outcome = begin_refused();

  destroy_channel();
  advance(20s);

  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::cancelled);
  EXPECT_FALSE(outcome->status().may_have_run());
}

TEST_F(RetryPause, ClosingEndsTheCall) {
  const auto outcome = begin_refused();

  Status closed;
  on_loop([&] { closed = channel().close(1s); });

  EXPECT_TRUE(closed.is_ok()) << closed.to_string();
  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::cancelled);
}

TEST_F(RetryPause, EndsWithTheDeadline) {
  const auto outcome = begin_refused({.timeout = 1s});

  advance(999ms);
  EXPECT_FALSE(outcome->is_done());
  advance(2ms);

  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::deadline_exceeded);
}

TEST_F(RetryPause, AnAttemptThatMayHaveRunIsRemembered) {
  network.on_call = nullptr;
  const auto outcome = begin("x", {.timeout = 1s, .idempotent = true});
  network.is_slow = true;

  on_loop([&] { network.server(0).cut(); });
  for (int i = 0; i < 11; ++i) advance(100ms);

  EXPECT_EQ(outcome->status().code(), StatusCode::deadline_exceeded);
  EXPECT_TRUE(outcome->status().may_have_run());
}

TEST_F(RetryPause, DestructionEndsEveryCallHoweverMany) {
  network.on_call = nullptr;
  constexpr int calls = 3000;
  int ended = 0;
  Channel& on = channel();
  on_loop([&] {
    for (int i = 0; i < calls; ++i) {
      on.async_call<std::string>("Echo", std::string("x"), {}, [&ended](const Result<std::string>&) { ++ended; });
    }
  });
  ASSERT_EQ(ended, 0);

  destroy_channel();

  EXPECT_EQ(ended, calls);
}

TEST_F(RetryPause, AClosedConnectionIsReplacedDuringItsLinger) {
  begin("connect");

  const auto outcome = std::make_shared<Outcome>();
  on_loop([&] { network.server(0).close({StatusCode::unavailable, "restart"}); });
  const auto next = begin("x");

  EXPECT_EQ(next->text(), "re:x");
  EXPECT_EQ(network.servers.size(), 2u);
}

}  // namespace

}  // namespace trunkline::client
