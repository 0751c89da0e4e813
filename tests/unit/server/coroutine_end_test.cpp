// SPDX-License-Identifier: MIT
// Coroutines that are destroyed before they return, and what they hold until then.
#include "unit/server/gate.h"
#include "unit/server/server_fixture.h"

#include <asio/async_result.hpp>

namespace trunkline::server {

namespace {

class CoroutineEnds : public ServerFixture {};

/// An operation that destroys its completion handler without calling it.
asio::awaitable<void> lose_handler() {
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(
      [](auto handler) { const auto lost = std::move(handler); }, asio::use_awaitable);
}

TEST_F(CoroutineEnds, FailsTheCallWhenItsOperationDropsTheCoroutine) {
  handle<Slice, Slice>("Lose", [](const Slice& request, ServerContext&) -> asio::awaitable<Slice> {
    co_await lose_handler();
    co_return request;
  });
  handle_echo();
  TestClient& client = connect();

  const ReceivedResponse lost = call(client, "Lose", "x");
  const ReceivedResponse after = call(client, "Echo", "x");

  EXPECT_EQ(lost.status.code(), StatusCode::internal);
  EXPECT_EQ(lost.status.message(), "call Lose: the handler was destroyed without a response");
  EXPECT_EQ(after.payload, "x");
  EXPECT_EQ(server().totals().open_calls, 0u);
  EXPECT_EQ(logged_.size(), 1u);
}

TEST_F(CoroutineEnds, LetsTheServerDrainAfterTheCoroutineIsDropped) {
  handle<Slice, Slice>("Lose", [](const Slice& request, ServerContext&) -> asio::awaitable<Slice> {
    co_await lose_handler();
    co_return request;
  });
  TestClient& client = connect();
  call(client, "Lose", "x");
  bool drained = false;

  server().async_shutdown(std::chrono::seconds(10), [&drained](const Status& status) { drained = status.is_ok(); });
  settle();

  EXPECT_TRUE(drained);
}

TEST_F(CoroutineEnds, HoldsNoCreditOfItsRequestWhileItRuns) {
  ServerOptions options;
  options.limits.connection_credit_bytes = 1 << 20;
  options.limits.call_credit_bytes = 1 << 20;
  make_server(options);
  Gate gate(loop_);
  handle<Slice, Empty>("Wait", [&gate](const Slice&, ServerContext&) -> asio::awaitable<Status> {
    co_await gate.pass();
    co_return Status::ok();
  });
  TestClient& client = connect();

  for (int i = 0; i < 200; ++i) client.call("Wait", std::string(10000, 'x'));
  settle();
  const int waiting = gate.waiting();
  gate.open();
  settle();

  EXPECT_EQ(waiting, 200) << "running handlers keep the client from sending further requests";
  EXPECT_EQ(client.response_count(), 200u);
}

}  // namespace

}  // namespace trunkline::server
