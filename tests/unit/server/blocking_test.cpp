// SPDX-License-Identifier: MIT
// Blocking handlers on the worker pool: responses, the full queue, and calls that are cancelled while they wait.
#include "unit/server/server_fixture.h"

#include <atomic>
#include <future>
#include <stdexcept>

namespace trunkline::server {

namespace {

class Blocking : public ServerFixture {
 protected:
  void TearDown() override {
    release();
    ServerFixture::TearDown();
  }
  /// A method whose handler holds its worker until release().
  void handle_held(std::string_view name = "Hold") {
    handle<Slice, Slice>(name,
                         [this](const Slice& request, ServerContext&) {
                           ++running_;
                           gate_.wait();
                           return request;
                         },
                         {.blocking = true});
  }
  void release() {
    if (!std::exchange(released_, true)) promise_.set_value();
  }
  ServerOptions one_worker(std::size_t queued) {
    ServerOptions options;
    options.worker_threads = 1;
    options.max_queued_blocking_calls = queued;
    return options;
  }

  std::promise<void> promise_;
  std::shared_future<void> gate_ = promise_.get_future().share();
  std::atomic<int> running_{0};
  bool released_ = false;
};

TEST_F(Blocking, RunsOffTheLoop) {
  std::thread::id thread;
  handle<Slice, Slice>("Where",
                       [&thread](const Slice& request, ServerContext&) {
                         thread = std::this_thread::get_id();
                         return request;
                       },
                       {.blocking = true});
  TestClient& client = connect();

  const session::CallId id = client.call("Where", "x");
  settle_until([&] { return client.has(id); });

  EXPECT_EQ(client.response(id).payload, "x");
  EXPECT_NE(thread, std::this_thread::get_id());
  EXPECT_EQ(server().totals().open_calls, 0u);
}

TEST_F(Blocking, LeavesTheLoopFree) {
  handle_held();
  handle_echo();
  TestClient& client = connect();

  const session::CallId held = client.call("Hold", "slow");
  settle_until([&] { return running_ == 1; });
  const ReceivedResponse quick = call(client, "Echo", "quick");
  EXPECT_FALSE(client.has(held));
  release();
  settle_until([&] { return client.has(held); });

  EXPECT_EQ(quick.payload, "quick");
  EXPECT_EQ(client.response(held).payload, "slow");
}

TEST_F(Blocking, LeavesTheQueueWhenItIsCancelled) {
  make_server(one_worker(2));
  handle_held();
  TestClient& client = connect();
  client.call("Hold", "x");
  settle_until([&] { return running_ == 1; });

  for (int i = 0; i < 100; ++i) {
    client.cancel(client.call("Hold", "x"));
    settle();
  }
  const session::CallId last = client.call("Hold", "last");
  settle();

  EXPECT_FALSE(client.has(last)) << client.response(last).status.to_string();
  EXPECT_EQ(server().totals().open_calls, 2u);
  release();
  settle_until([&] { return client.has(last); });
  EXPECT_EQ(running_, 2);
  EXPECT_EQ(client.response(last).payload, "last");
}

TEST_F(Blocking, RefusesWhenTheQueueIsFull) {
  make_server(one_worker(2));
  handle_held();
  TestClient& client = connect();

  std::vector<session::CallId> ids;
  for (int i = 0; i < 4; ++i) ids.push_back(client.call("Hold", "x"));
  settle();

  ASSERT_TRUE(client.has(ids[3]));
  EXPECT_EQ(client.response(ids[3]).status.code(), StatusCode::resource_exhausted);
  EXPECT_FALSE(client.response(ids[3]).status.may_have_run());
  EXPECT_EQ(client.response(ids[3]).status.message(),
            "call Hold: blocking calls that wait for a worker have reached max_queued_blocking_calls 2");
  release();
  settle_until([&] { return client.response_count() == 4; });
  EXPECT_TRUE(client.response(ids[2]).status.is_ok());
  EXPECT_EQ(running_, 3);
}

TEST_F(Blocking, DoesNotRunACallThatWasCancelledInTheQueue) {
  make_server(one_worker(10));
  handle_held();
  TestClient& client = connect();

  const session::CallId first = client.call("Hold", "x");
  const session::CallId second = client.call("Hold", "x");
  settle_until([&] { return running_ == 1; });
  client.cancel(second);
  settle();
  release();
  settle_until([&] { return client.has(first) && server().totals().open_calls == 0; });

  EXPECT_EQ(running_, 1);
  EXPECT_EQ(server().totals().calls_cancelled, 1u);
}

TEST_F(Blocking, DoesNotRunACallPastItsDeadline) {
  make_server(one_worker(10));
  handle_held();
  TestClient& client = connect();

  client.call("Hold", "x");
  const session::CallId second =
      client.call("Hold", "x", "bytes", {.method = {}, .deadline = clock_.now() + std::chrono::seconds(1)});
  settle_until([&] { return running_ == 1; });
  advance(std::chrono::seconds(2));
  release();
  settle_until([&] { return server().totals().open_calls == 0; });

  EXPECT_EQ(running_, 1);
  EXPECT_EQ(client.response(second).status.code(), StatusCode::deadline_exceeded);
}

TEST_F(Blocking, IsIsolatedWhenItThrows) {
  handle<Slice, Empty>("Throw", [](const Slice&, ServerContext&) -> Status { throw std::runtime_error("secret"); },
                       {.blocking = true});
  TestClient& client = connect();

  const session::CallId id = client.call("Throw", "x");
  settle_until([&] { return client.has(id); });

  EXPECT_EQ(client.response(id).status.message(), "handler of Throw threw an exception");
  EXPECT_EQ(server().totals().handler_exceptions, 1u);
}

TEST_F(Blocking, ReturnsCreditWhenDone) {
  ServerOptions options = one_worker(100);
  options.limits.connection_credit_bytes = 1 << 20;
  options.limits.call_credit_bytes = 1 << 20;
  make_server(options);
  handle<Slice, Empty>("Take", [](const Slice&, ServerContext&) { return Status::ok(); }, {.blocking = true});
  TestClient& client = connect();

  for (int i = 0; i < 10; ++i) {
    const session::CallId id = client.call("Take", std::string(300000, 'x'));
    settle_until([&] { return client.has(id); });
    ASSERT_TRUE(client.response(id).status.is_ok()) << client.response(id).status.to_string();
  }
}

TEST_F(Blocking, StopWaitsForRunningCallsAndDropsQueuedOnes) {
  make_server(one_worker(10));
  handle_held();
  TestClient& client = connect();
  client.call("Hold", "x");
  client.call("Hold", "x");
  settle_until([&] { return running_ == 1; });

  std::thread releaser([this] { release(); });
  core_->stop();
  const int ran = running_;
  releaser.join();
  core_->stop();
  settle();

  EXPECT_GE(ran, 1);
  EXPECT_EQ(core_->totals().open_calls, 0u);
}

}  // namespace

}  // namespace trunkline::server
