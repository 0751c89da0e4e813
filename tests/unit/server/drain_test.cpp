// SPDX-License-Identifier: MIT
// Graceful shutdown: what was accepted is finished, the rest is refused, and the timeout ends it.
#include "unit/server/gate.h"
#include "unit/server/server_fixture.h"

#include <chrono>
#include <future>
#include <optional>
#include <utility>

namespace trunkline::server {

namespace {

class DrainServer : public ServerFixture {
 protected:
  void handle_gated(Gate& gate) {
    handle<Slice, Slice>("Wait", [&gate](const Slice& request, ServerContext&) -> asio::awaitable<Slice> {
      co_await gate.pass();
      co_return request;
    });
  }
  void begin_shutdown(base::Duration timeout = std::chrono::seconds(10)) {
    server().async_shutdown(timeout, [this](Status status) { result_ = std::move(status); });
  }
  std::optional<Status> result_;
};

TEST_F(DrainServer, IsDoneAtOnceWithoutConnections) {
  begin_shutdown();
  settle();

  ASSERT_TRUE(result_.has_value());
  EXPECT_TRUE(result_->is_ok());
}

TEST_F(DrainServer, ClosesIdleConnections) {
  TestClient& client = connect();

  begin_shutdown();
  settle();

  EXPECT_TRUE(client.has_goaway());
  EXPECT_TRUE(client.is_closed());
  ASSERT_TRUE(result_.has_value());
  EXPECT_TRUE(result_->is_ok());
  EXPECT_EQ(server().totals().connections, 0u);
}

TEST_F(DrainServer, FinishesWhatWasAcceptedAndRefusesTheRest) {
  Gate gate(loop_);
  handle_gated(gate);
  handle_echo();
  TestClient& client = connect();
  const session::CallId accepted = client.call("Wait", "x");
  settle();

  // Sent before the client can know of the shutdown.
  const session::CallId late = client.call("Echo", "late");
  begin_shutdown();
  settle();
  const bool done_early = result_.has_value();
  gate.open();
  settle();

  EXPECT_FALSE(done_early);
  EXPECT_TRUE(client.response(accepted).status.is_ok());
  EXPECT_EQ(client.response(accepted).payload, "x");
  ASSERT_TRUE(client.has(late));
  EXPECT_TRUE(client.response(late).status.is_ok() || !client.response(late).status.may_have_run());
  ASSERT_TRUE(result_.has_value());
  EXPECT_TRUE(result_->is_ok()) << result_->to_string();
}

TEST_F(DrainServer, CutsOffAtTheTimeout) {
  Gate gate(loop_);
  handle_gated(gate);
  TestClient& one = connect();
  TestClient& two = connect();
  const session::CallId id = one.call("Wait", "x");
  two.call("Wait", "x");
  two.call("Wait", "x");
  settle();

  begin_shutdown(std::chrono::seconds(5));
  settle();
  advance(std::chrono::seconds(4));
  const bool done_early = result_.has_value();
  advance(std::chrono::seconds(2));
  advance(std::chrono::seconds(2));

  EXPECT_FALSE(done_early);
  ASSERT_TRUE(result_.has_value());
  EXPECT_EQ(result_->code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(result_->message(), "server shutdown: its timeout has passed, calls cut off: 3");
  EXPECT_EQ(one.response(id).status.code(), StatusCode::unavailable);
  EXPECT_EQ(gate.waiting(), 0) << "the handlers were not cancelled";
}

TEST_F(DrainServer, ReportsToBothOfTwoShutdowns) {
  Gate gate(loop_);
  handle_gated(gate);
  TestClient& client = connect();
  client.call("Wait", "x");
  settle();
  int reported = 0;

  begin_shutdown();
  server().async_shutdown(std::chrono::seconds(1),
                          [&reported](const Status& status) { reported += status.is_ok() ? 1 : 100; });
  settle();
  EXPECT_EQ(reported, 0);
  gate.open();
  settle();
  server().async_shutdown(std::chrono::seconds(1),
                          [&reported](const Status& status) { reported += status.is_ok() ? 1 : 100; });

  EXPECT_TRUE(result_.has_value());
  EXPECT_EQ(reported, 2);
}

TEST_F(DrainServer, MayHaveNoCallback) {
  server().async_shutdown(std::chrono::seconds(1), nullptr);
  settle();
  server().async_shutdown(std::chrono::seconds(1), nullptr);
  begin_shutdown();
  const bool reported = result_.has_value();
  server().stop();
  server().async_shutdown(std::chrono::seconds(1), nullptr);

  EXPECT_TRUE(reported);
}

TEST_F(DrainServer, HasNothingToDoOnceStopped) {
  server().stop();

  server().async_shutdown(std::chrono::seconds(1), nullptr);
  begin_shutdown();

  ASSERT_TRUE(result_.has_value());
  EXPECT_TRUE(result_->is_ok());
}

TEST_F(DrainServer, IsAbortedWhenStopComesFirst) {
  Gate gate(loop_);
  handle_gated(gate);
  TestClient& client = connect();
  client.call("Wait", "x");
  settle();

  begin_shutdown();
  settle();
  server().stop();

  ASSERT_TRUE(result_.has_value());
  EXPECT_EQ(result_->code(), StatusCode::aborted);
}

TEST_F(DrainServer, StopWaitsForAnotherThreadThatBeginsToStopAndAbortsIt) {
  Gate gate(loop_);
  handle_gated(gate);
  connect().call("Wait", "x");
  settle();
  std::promise<void> is_inside;
  std::promise<void> leave;
  server().async_shutdown(std::chrono::seconds(10), [&](const Status&) {
    is_inside.set_value();
    leave.get_future().wait();
    server().stop();  // it does not wait for itself
  });
  settle();

  auto first = std::async(std::launch::async, [&] { server().stop(); });
  is_inside.get_future().wait();
  auto second = std::async(std::launch::async, [&] { server().stop(); });
  const std::future_status early = second.wait_for(std::chrono::milliseconds(50));
  leave.set_value();
  first.wait();
  second.wait();

  EXPECT_EQ(early, std::future_status::timeout) << "it released what the first thread still used";
  EXPECT_EQ(server().totals().connections, 0u);
}

TEST_F(DrainServer, SendsFurtherConnectionsElsewhere) {
  Gate gate(loop_);
  handle_gated(gate);
  TestClient& client = connect();
  client.call("Wait", "x");
  settle();
  begin_shutdown();
  settle();

  TestClient& late = connect();

  EXPECT_TRUE(late.has_goaway()) << "so that it knows that its calls have not run";
  EXPECT_TRUE(late.is_closed());
  EXPECT_EQ(server().totals().connections, 1u);
}

TEST_F(DrainServer, DoesNotWaitForConnectionsThatHaveSentNothing) {
  auto [near, far] = make_link();
  server().accept_transport(std::move(far));
  settle();

  begin_shutdown();
  settle();

  EXPECT_TRUE(result_.has_value());
}

}  // namespace

}  // namespace trunkline::server
