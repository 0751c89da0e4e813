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

TEST(CancellationRate, AllowsTwiceTheRateAtOnceIfFewerCallsMayBeOpen) {
  CancellationRate rate(100, 10);
  int allowed = 0;

  while (rate.on_cancelled(base::TimePoint{1h}) == Verdict::allow) ++allowed;

  EXPECT_EQ(allowed, 200);
}

TEST(CancellationRate, GivesTheWholeRateHoweverLongTheTurnsAre) {
  for (const base::Duration turn : {base::Duration(1'900us), base::Duration(300us), base::Duration(777'777ns)}) {
    CancellationRate rate(10000, 100);
    const base::TimePoint start{1h};
    std::int64_t cancelled = 0;
    std::int64_t slowed_down = 0;

    for (base::Duration time{0}; time < 20s; time += turn) {
      for (const std::int64_t due = time / 1us * 9 / 1000; cancelled < due; ++cancelled) {
        if (rate.on_cancelled(start + time) != Verdict::allow) ++slowed_down;
      }
    }

    EXPECT_EQ(slowed_down, 0) << turn.count() << " ns";
  }
}

TEST(CancellationRate, GivesNoMoreThanTheRate) {
  CancellationRate rate(10000, 100);
  const base::TimePoint start{1h};
  std::int64_t allowed = 0;

  for (base::Duration time{0}; time < 10s; time += 137us) {
    while (rate.on_cancelled(start + time) == Verdict::allow) ++allowed;
  }

  EXPECT_LE(allowed, 10 * 10000 + 20000);
  EXPECT_GE(allowed, 10 * 10000 + 20000 - 10);
}

TEST(CancellationRate, IsNotLimitedByZero) {
  CancellationRate rate(0, 1);

  for (int i = 0; i < 1000; ++i) EXPECT_EQ(rate.on_cancelled(base::TimePoint{1h}), Verdict::allow);
}

/// Handlers that ignore their cancellation.
class StubbornCalls : public ServerFixture {
 protected:
  void TearDown() override {
    end_handlers();
    ServerFixture::TearDown();
  }
  auto stubborn() {
    return [this](const Slice&, ServerContext&) -> asio::awaitable<Status> {
      most_ = std::max(most_, ++running_);
      co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
      while (!end_) {
        std::error_code ignored;
        co_await wake_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
      }
      --running_;
      co_return Status::ok();
    };
  }
  void handle_stubborn() { handle<Slice, Empty>("Stay", stubborn()); }
  void end_handlers() {
    end_ = true;
    wake_.cancel();
    settle();
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
  const session::CallId waiting = client.call("Echo", "x");
  settle();
  const bool was_served_early = client.has(waiting);
  const ReceivedResponse of_another = call(connect(), "Echo", "x");
  end_handlers();

  EXPECT_EQ(most_, 10);
  EXPECT_FALSE(was_served_early);
  EXPECT_TRUE(of_another.status.is_ok());
  ASSERT_TRUE(client.has(waiting)) << "it waits until handlers have ended";
  EXPECT_TRUE(client.response(waiting).status.is_ok());
  EXPECT_EQ(server().totals().calls_refused, 0u);
}

TEST_F(StubbornCalls, AreFollowedInTheOrderOfArrival) {
  make_server({.max_concurrent_calls_per_connection = 2});
  handle_stubborn();
  handle_echo();
  TestClient& client = connect();
  open_and_cancel(client, 2);

  const session::CallId first = client.call("Echo", "first");
  const session::CallId second = client.call("Echo", "second");
  settle();
  end_handlers();

  EXPECT_EQ(client.response(first).payload, "first");
  EXPECT_EQ(client.response(second).payload, "second");
  EXPECT_LT(client.response(first).order, client.response(second).order);
}

TEST_F(StubbornCalls, LeaveNothingOfACallThatIsCancelledWhileItWaits) {
  make_server({.max_concurrent_calls_per_connection = 1});
  handle_stubborn();
  handle_echo();
  TestClient& client = connect();
  open_and_cancel(client, 1);

  const session::CallId cancelled = client.call("Echo", std::string(5000, 'x'));
  settle();
  client.cancel(cancelled);
  settle();
  const std::int64_t open = server().totals().open_calls;
  end_handlers();

  EXPECT_EQ(open, 1) << "the stubborn one";
  EXPECT_EQ(server().totals().open_calls, 0u);
  EXPECT_EQ(server().totals().memory_used_bytes, 0u);
  EXPECT_TRUE(call(client, "Echo", "x").status.is_ok());
}

TEST_F(StubbornCalls, DoNotMakeCallsWaitThatOtherLimitsRefuse) {
  make_server({.max_concurrent_calls_per_connection = 2});
  handle_stubborn();
  handle<Slice, Empty>("Only", stubborn(), {.max_concurrent_calls = 1});
  TestClient& client = connect();
  TestClient& other = connect();
  open_and_cancel(client, 2);
  const session::CallId waiting = client.call("Only", "x");
  settle();

  other.call("Only", "x");
  settle();
  const session::CallId beyond = client.call("Only", "x");
  settle();

  EXPECT_FALSE(client.has(waiting)) << "the handlers of the cancelled calls have not ended";
  ASSERT_TRUE(client.has(beyond));
  EXPECT_EQ(client.response(beyond).status.message(),
            "call Only: the method's running calls have reached MethodOptions::max_concurrent_calls 1");
}

/// Decoded, each entry takes more than 64 bytes.
Metadata many_entries() {
  Metadata metadata;
  for (int i = 0; i < 1000; ++i) metadata.add("n", "1234");
  return metadata;
}
constexpr std::size_t bytes_of_many_entries = 1000 * 64;

TEST_F(StubbornCalls, CountWhatTheirHandlersKeep) {
  handle_stubborn();
  const Metadata metadata = many_entries();
  TestClient& client = connect();
  TestClient& lost = connect();

  for (int i = 0; i < 10; ++i) client.cancel(client.call("Stay", "x", "bytes", {.method = {}, .metadata = &metadata}));
  settle();
  const std::size_t after_cancel = server().totals().memory_used_bytes;
  for (int i = 0; i < 10; ++i) lost.call("Stay", "x", "bytes", {.method = {}, .metadata = &metadata});
  settle();
  lost.reset();
  settle();

  EXPECT_EQ(running_, 20);
  EXPECT_GE(after_cancel, 10 * bytes_of_many_entries);
  EXPECT_GE(server().totals().memory_used_bytes, 20 * bytes_of_many_entries);
  end_handlers();
  EXPECT_EQ(server().totals().memory_used_bytes, 0u);
}

TEST_F(StubbornCalls, AreRefusedWhenTheyHoldTheMemory) {
  ServerOptions options{.max_memory_bytes = 1 << 20, .max_memory_percent_per_peer = 100};
  options.limits.max_message_bytes = 64 << 10;
  make_server(options);
  handle_stubborn();
  const Metadata metadata = many_entries();
  TestClient& client = connect();
  session::CallId last = 0;

  for (int i = 0; i < 50; ++i) {
    last = client.call("Stay", "x", "bytes", {.method = {}, .metadata = &metadata});
    settle();
    if (!client.has(last)) client.cancel(last);
    settle();
  }

  EXPECT_LE(running_, static_cast<int>((1 << 20) / bytes_of_many_entries));
  ASSERT_TRUE(client.has(last));
  EXPECT_EQ(client.response(last).status.code(), StatusCode::resource_exhausted);
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
