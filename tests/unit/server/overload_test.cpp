// SPDX-License-Identifier: MIT
// Overload: what is shed, in which order, and what its callers are told.
#include "unit/server/gate.h"
#include "unit/server/server_fixture.h"

#include <trunkline/detail/stream_handler.h>

#include <atomic>
#include <future>
#include <set>
#include <vector>

namespace trunkline::server {

namespace {

class Overload : public ServerFixture {
 protected:
  void TearDown() override {
    if (!std::exchange(is_released_, true)) release_.set_value();
    ServerFixture::TearDown();
  }
  void handle_gated(Gate& gate) {
    handle<Slice, Slice>("Wait", [&gate](const Slice& request, ServerContext&) -> asio::awaitable<Slice> {
      co_await gate.pass();
      co_return request;
    });
  }
  void handle_held() {
    handle<Slice, Slice>("Hold",
                         [this](const Slice& request, ServerContext&) {
                           ++running_;
                           released_.wait();
                           return request;
                         },
                         {.blocking = true});
  }
  static ServerOptions with_limit(std::size_t limit) {
    ServerOptions options;
    options.overload.adaptive_limit = true;
    options.overload.min_adaptive_limit = options.overload.max_adaptive_limit = limit;
    return options;
  }
  session::CallId call_with_priority(TestClient& client, std::string_view method, std::string_view priority) {
    const Metadata metadata{{"priority", std::string(priority)}};
    return client.call(method, "x", "bytes", {.method = {}, .deadline = base::never, .metadata = &metadata});
  }

  std::promise<void> release_;
  std::shared_future<void> released_ = release_.get_future().share();
  bool is_released_ = false;
  std::atomic<int> running_{0};
};

TEST_F(Overload, ShedsUnaryCallsOverTheAdaptiveLimitAndSaysWhenToComeBack) {
  make_server(with_limit(1));
  Gate gate(loop_);
  handle_gated(gate);
  handle_echo();
  TestClient& client = connect();
  const session::CallId first = client.call("Wait", "x");
  settle();

  const ReceivedResponse shed = call(client, "Wait", "x");
  const ReceivedResponse plain = call(client, "Echo", "x");
  const ServerTotals totals = server().totals();
  gate.open();
  settle();
  const ReceivedResponse after = call(client, "Wait", "x");

  EXPECT_EQ(shed.status.code(), StatusCode::unavailable);
  EXPECT_FALSE(shed.status.may_have_run());
  EXPECT_EQ(shed.status.message(),
            "call Wait: the server is overloaded: its running calls have reached the adaptive limit 1");
  ASSERT_TRUE(shed.status.retry_after().has_value());
  EXPECT_GE(*shed.status.retry_after(), std::chrono::milliseconds(100));
  EXPECT_LE(*shed.status.retry_after(), std::chrono::milliseconds(200));
  EXPECT_EQ(shed.pushback, shed.status.retry_after()) << "what a channel's retries go by";
  EXPECT_TRUE(plain.status.is_ok()) << "a plain handler never waits";
  EXPECT_TRUE(client.response(first).status.is_ok());
  EXPECT_TRUE(after.status.is_ok()) << "the first call has given its place back";
  EXPECT_EQ(totals.adaptive_limit, 1u);
  EXPECT_EQ(totals.calls_shed, 1u);
  EXPECT_EQ(totals.calls_refused, 1u);
}

TEST_F(Overload, SpreadsThePausesOfShedCalls) {
  make_server(with_limit(1));
  Gate gate(loop_);
  handle_gated(gate);
  TestClient& client = connect();
  client.call("Wait", "x");
  settle();

  std::set<std::chrono::milliseconds> pauses;
  for (int i = 0; i < 10; ++i) pauses.insert(*call(client, "Wait", "x").status.retry_after());

  EXPECT_GE(pauses.size(), 8u);
}

TEST_F(Overload, CountsWhatHandlersShed) {
  ServerOptions options;
  options.overload.priority_metadata = "priority";
  make_server(options);
  std::vector<unsigned> priorities;
  handle<Slice, Slice>("Shed", [&](const Slice&, ServerContext& context) -> asio::awaitable<Result<Slice>> {
    priorities.push_back(context.priority());
    co_return context.shed("its queue is full");
  });
  TestClient& client = connect();

  const session::CallId critical = call_with_priority(client, "Shed", "critical");
  settle();
  const ReceivedResponse shed = call(client, "Shed", "x");
  const ServerTotals totals = server().totals();

  EXPECT_EQ(priorities, (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(client.response(critical).status.code(), StatusCode::unavailable);
  EXPECT_EQ(shed.status.code(), StatusCode::unavailable);
  EXPECT_NE(shed.status.message().find("its queue is full"), std::string_view::npos);
  EXPECT_FALSE(shed.status.may_have_run());
  EXPECT_EQ(shed.pushback, shed.status.retry_after());
  EXPECT_EQ(totals.calls_shed, 2u);
  EXPECT_EQ(totals.calls_refused, 2u);
  EXPECT_EQ(totals.calls_started, 0u);
  EXPECT_EQ(totals.calls_failed, 0u);
}

TEST_F(Overload, DoesNotCountStreams) {
  make_server(with_limit(1));
  Gate gate(loop_);
  handle_gated(gate);
  using Handler = std::function<asio::awaitable<Status>(ServerStream<Slice, Slice>&, ServerContext&)>;
  Handler wait = [](ServerStream<Slice, Slice>& stream, ServerContext&) -> asio::awaitable<Status> {
    co_return (co_await stream.async_read(asio::use_awaitable)).status();
  };
  server().methods().add("Stream", std::make_unique<detail::StreamHandler<Slice, Slice, Handler>>(std::move(wait)), {});
  TestClient& client = connect();
  session::CallStart open;
  open.end = false;
  for (int i = 0; i < 3; ++i) client.call("Stream", "", "", open);
  settle();

  const session::CallId unary = client.call("Wait", "x");
  settle();
  gate.open();
  settle();

  EXPECT_EQ(client.response_count(), 1u);
  EXPECT_TRUE(client.response(unary).status.is_ok());
}

TEST_F(Overload, ShedsTheLeastImportantCallsFirst) {
  ServerOptions options;
  options.max_concurrent_calls = 8;
  options.overload.priority_metadata = "priority";
  make_server(options);
  Gate gate(loop_);
  handle_gated(gate);
  TestClient& client = connect();
  for (int i = 0; i < 6; ++i) call_with_priority(client, "Wait", "sheddable");
  settle();

  const session::CallId sheddable = call_with_priority(client, "Wait", "sheddable");
  const session::CallId unknown = call_with_priority(client, "Wait", "whatever");
  const session::CallId normal = call_with_priority(client, "Wait", "normal");
  const session::CallId critical = call_with_priority(client, "Wait", "critical");
  const session::CallId further = call_with_priority(client, "Wait", "critical");
  settle();

  ASSERT_TRUE(client.has(sheddable) && client.has(normal) && client.has(further));
  EXPECT_EQ(client.response(sheddable).status.code(), StatusCode::unavailable);
  EXPECT_TRUE(client.response(sheddable).status.retry_after().has_value());
  EXPECT_FALSE(client.has(unknown)) << "it is of the default priority";
  EXPECT_EQ(client.response(normal).status.code(), StatusCode::unavailable);
  EXPECT_FALSE(client.has(critical));
  EXPECT_EQ(client.response(further).status.code(), StatusCode::resource_exhausted) << "the limit itself";
  gate.open();
  settle();
  EXPECT_TRUE(client.response(critical).status.is_ok());
  EXPECT_TRUE(client.response(unknown).status.is_ok());
}

TEST_F(Overload, RunsNoCallWhoseDeadlineHasPassedWhileItWaitedForAWorker) {
  ServerOptions options;
  options.worker_threads = 1;
  make_server(options);
  handle_held();
  TestClient& client = connect();
  const session::CallId held = client.call("Hold", "x");
  settle_until([&] { return running_ == 1; });

  // The loop's clock stands still, so that only the worker can notice.
  const session::CallId late =
      client.call("Hold", "x", "bytes", {.method = {}, .deadline = clock_.now() + std::chrono::microseconds(1)});
  settle_until([&] { return server().totals().queued_blocking_calls == 1; });
  is_released_ = true;
  release_.set_value();
  settle_until([&] { return client.has(held) && client.has(late); });

  EXPECT_EQ(client.response(late).status.code(), StatusCode::deadline_exceeded);
  EXPECT_FALSE(client.response(late).status.may_have_run());
  EXPECT_EQ(running_, 1);
}

TEST_F(Overload, ACallThatWaitsForAWorkerMakesRoomForAMoreImportantOne) {
  ServerOptions options;
  options.worker_threads = 1;
  options.max_queued_blocking_calls = 1;
  options.overload.priority_metadata = "priority";
  make_server(options);
  handle_held();
  TestClient& client = connect();
  const session::CallId held = call_with_priority(client, "Hold", "normal");
  settle_until([&] { return running_ == 1; });

  const session::CallId evicted = call_with_priority(client, "Hold", "sheddable");
  settle();
  const session::CallId critical = call_with_priority(client, "Hold", "critical");
  settle_until([&] { return client.has(evicted); });
  const session::CallId refused = call_with_priority(client, "Hold", "normal");
  settle_until([&] { return client.has(refused); });
  is_released_ = true;
  release_.set_value();
  settle_until([&] { return client.has(held) && client.has(critical); });

  EXPECT_EQ(client.response(evicted).status.code(), StatusCode::unavailable);
  EXPECT_EQ(client.response(evicted).status.message(),
            "call Hold: the server is overloaded: it has waited for a worker for too long");
  EXPECT_FALSE(client.response(evicted).status.may_have_run());
  EXPECT_EQ(client.response(refused).status.code(), StatusCode::resource_exhausted);
  EXPECT_TRUE(client.response(critical).status.is_ok());
  EXPECT_EQ(running_, 2);
  EXPECT_EQ(server().totals().calls_shed, 1u);
  EXPECT_EQ(server().totals().open_calls, 0u);
}

}  // namespace

}  // namespace trunkline::server
