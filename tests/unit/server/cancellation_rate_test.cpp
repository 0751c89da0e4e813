// SPDX-License-Identifier: MIT
// Clients that open calls and cancel them: their rate, and what still counts.
#include "server/cancellation_rate.h"

#include "unit/server/gate.h"
#include "unit/server/server_fixture.h"

#include <asio/steady_timer.hpp>

#include <algorithm>

namespace trunkline::server {

namespace {

using namespace std::chrono_literals;
using Verdict = CancellationRate::Verdict;

TEST(CancellationRate, AllowsAllOpenCallsTwiceAtOnceAndThenTheRate) {
  CancellationRate rate(10, 100);
  const base::TimePoint start{1h};
  int allowed = 0;

  while (rate.on_cancelled(start) == Verdict::allow) ++allowed;
  int later = 0;
  while (rate.on_cancelled(start + 1s) == Verdict::allow) ++later;

  EXPECT_EQ(allowed, 200);
  EXPECT_EQ(later, 10);
}

TEST(CancellationRate, DisconnectsAfterTenPauses) {
  CancellationRate rate(10, 100);
  base::TimePoint now{1h};
  int pauses = 0;
  Verdict verdict = Verdict::allow;

  for (; verdict != Verdict::disconnect && pauses < 100; now += CancellationRate::pause()) {
    while ((verdict = rate.on_cancelled(now)) == Verdict::allow) {
    }
    if (verdict == Verdict::slow_down) ++pauses;
  }

  EXPECT_EQ(pauses, 10);
}

TEST(CancellationRate, ForgetsPausesWhenTheClientHasBehaved) {
  CancellationRate rate(10, 100);
  base::TimePoint now{1h};

  for (int i = 0; i < 50; ++i, now += 20s) {
    Verdict verdict = Verdict::allow;
    while (verdict == Verdict::allow) verdict = rate.on_cancelled(now);
    EXPECT_EQ(verdict, Verdict::slow_down);
  }
}

TEST(CancellationRate, IsNotLimitedByZero) {
  CancellationRate rate(0, 1);

  for (int i = 0; i < 1000; ++i) EXPECT_EQ(rate.on_cancelled(base::TimePoint{1h}), Verdict::allow);
}

/// Handlers that ignore their cancellation.
class StubbornCalls : public ServerFixture {
 protected:
  void TearDown() override {
    end_ = true;
    wake_.cancel();
    settle();
    ServerFixture::TearDown();
  }
  void handle_stubborn() {
    handle<Slice, Empty>("Stay", [this](const Slice&, ServerContext&) -> asio::awaitable<Status> {
      most_ = std::max(most_, ++running_);
      co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
      while (!end_) {
        std::error_code ignored;
        co_await wake_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
      }
      --running_;
      co_return Status::ok();
    });
  }
  void open_and_cancel(TestClient& client, int times) {
    for (int i = 0; i < times && !client.is_closed(); ++i) {
      client.cancel(client.call("Stay", "x"));
      settle();
    }
  }

  asio::steady_timer wake_{loop_.context(), asio::steady_timer::time_point::max()};
  bool end_ = false;
  int running_ = 0;
  int most_ = 0;
};

TEST_F(StubbornCalls, CountTowardsTheLimitOfTheConnectionAlone) {
  make_server({.max_concurrent_calls_per_connection = 10});
  handle_stubborn();
  handle_echo();
  TestClient& client = connect();

  open_and_cancel(client, 100);

  EXPECT_EQ(most_, 10);
  EXPECT_EQ(call(client, "Echo", "x").status.message(),
            "call Echo: the connection's running calls have reached max_concurrent_calls_per_connection 10");
  EXPECT_TRUE(call(connect(), "Echo", "x").status.is_ok());
  end_ = true;
  wake_.cancel();
  settle();
  EXPECT_TRUE(call(client, "Echo", "x").status.is_ok());
}

TEST_F(StubbornCalls, AreSlowedDownAndThenDisconnected) {
  make_server({.max_concurrent_calls_per_connection = 10, .max_cancelled_calls_per_second = 5});
  handle<Slice, Empty>("Stay", [](const Slice&, ServerContext&) -> asio::awaitable<Status> {
    asio::steady_timer timer(co_await asio::this_coro::executor, asio::steady_timer::time_point::max());
    co_await timer.async_wait(asio::use_awaitable);
    co_return Status::ok();
  });
  handle_echo();
  TestClient& client = connect();

  open_and_cancel(client, 21);
  const session::CallId waiting = client.call("Echo", "x");
  settle();
  const bool was_read = client.has(waiting);
  advance(CancellationRate::pause());

  EXPECT_EQ(server().totals().calls_cancelled, 21u);
  EXPECT_FALSE(was_read) << "the connection is read while it has to wait";
  EXPECT_TRUE(client.has(waiting));
  for (int second = 0; second < 20 && !client.is_closed(); ++second) {
    open_and_cancel(client, 10);
    advance(CancellationRate::pause());
  }
  EXPECT_TRUE(client.is_closed());
  EXPECT_LE(server().totals().calls_cancelled, 21u + 11 * 6);
  EXPECT_EQ(logged_.back().message,
            "serve connection: the client cancels more calls than max_cancelled_calls_per_second 5 all the time");
}

}  // namespace

}  // namespace trunkline::server
