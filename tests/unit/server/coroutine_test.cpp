// SPDX-License-Identifier: MIT
// Coroutine handlers: suspension, cancellation, exceptions, and the end of their server.
#include "unit/server/gate.h"
#include "unit/server/server_fixture.h"

#include <asio/this_coro.hpp>

#include <stdexcept>

namespace trunkline::server {

namespace {

class Coroutine : public ServerFixture {
 protected:
  void handle_gated(Gate& gate) {
    handle<std::string, std::string>(
        "Wait", [&gate](const std::string& request, std::string& response, ServerContext&) -> asio::awaitable<Status> {
          co_await gate.pass();
          response = request;
          co_return Status::ok();
        });
  }
};

TEST_F(Coroutine, RespondsWithoutSuspending) {
  handle<std::string, std::string>(
      "Say",
      [](const std::string& request, ServerContext&) -> asio::awaitable<std::string> { co_return request + "!"; });
  handle<std::string, std::string>("Fail",
                                   [](const std::string&, ServerContext&) -> asio::awaitable<Result<std::string>> {
                                     co_return Status(StatusCode::not_found, "fail: nothing there");
                                   });
  TestClient& client = connect();

  EXPECT_EQ(call(client, "Say", "hi").payload, "hi!");
  EXPECT_EQ(call(client, "Fail", "hi").status.code(), StatusCode::not_found);
}

TEST_F(Coroutine, RunsSideBySide) {
  Gate gate(loop_);
  handle_gated(gate);
  TestClient& client = connect();

  const session::CallId first = client.call("Wait", "one");
  const session::CallId second = client.call("Wait", "two");
  settle();
  EXPECT_EQ(gate.waiting(), 2);
  EXPECT_EQ(server().totals().open_calls, 2u);
  gate.open();
  settle();

  EXPECT_EQ(client.response(first).payload, "one");
  EXPECT_EQ(client.response(second).payload, "two");
  EXPECT_EQ(server().totals().open_calls, 0u);
}

TEST_F(Coroutine, IsCancelledByItsCaller) {
  Gate gate(loop_);
  handle_gated(gate);
  TestClient& client = connect();

  const session::CallId id = client.call("Wait", "x");
  settle();
  client.cancel(id);
  settle();

  EXPECT_EQ(gate.waiting(), 0);
  EXPECT_EQ(server().totals().calls_cancelled, 1u);
  EXPECT_EQ(server().totals().open_calls, 0u);
  EXPECT_EQ(server().totals().handler_exceptions, 0u);
}

TEST_F(Coroutine, IsCancelledByItsDeadline) {
  Gate gate(loop_);
  handle_gated(gate);
  TestClient& client = connect();

  const session::CallId id =
      client.call("Wait", "x", "bytes", {.method = {}, .deadline = clock_.now() + std::chrono::seconds(30)});
  settle();
  EXPECT_EQ(gate.waiting(), 1);
  advance(std::chrono::seconds(31));

  EXPECT_EQ(gate.waiting(), 0);
  EXPECT_EQ(client.response(id).status.code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(server().totals().open_calls, 0u);
}

TEST_F(Coroutine, IsCancelledWhenTheConnectionIsLost) {
  Gate gate(loop_);
  handle_gated(gate);
  TestClient& client = connect();

  client.call("Wait", "x");
  settle();
  client.reset();
  settle();

  EXPECT_EQ(gate.waiting(), 0);
  EXPECT_EQ(server().totals().open_calls, 0u);
  EXPECT_EQ(server().totals().connections, 0u);
}

TEST_F(Coroutine, CallsItsCallbackWhenCancelled) {
  Gate gate(loop_);
  int reported = 0;
  bool cancelled = false;
  handle<Slice, Empty>("Wait", [&](const Slice&, ServerContext& context) -> asio::awaitable<Status> {
    context.on_cancel([&reported] { reported = 1; });
    context.on_cancel([&reported] { reported = 2; });
    try {
      co_await gate.pass();
    } catch (const std::system_error&) {
      cancelled = context.is_cancelled();
      context.on_cancel([&reported] { reported += 10; });
    }
    co_return Status::ok();
  });
  TestClient& client = connect();

  const session::CallId id = client.call("Wait", "x");
  settle();
  client.cancel(id);
  settle();

  EXPECT_TRUE(cancelled);
  EXPECT_EQ(reported, 12) << "the last callback once, and one that is set too late at once";
}

TEST_F(Coroutine, MayEndWithinItsCancelCallback) {
  Gate gate(loop_);
  handle<Slice, Empty>("Wait", [&](const Slice&, ServerContext& context) -> asio::awaitable<Status> {
    context.on_cancel([&] {
      gate.open();
      settle();
    });
    co_await gate.pass();
    co_return Status::ok();
  });
  handle_echo();
  TestClient& client = connect();
  const session::CallId id = client.call("Wait", "x");
  settle();

  client.cancel(id);
  settle();

  EXPECT_EQ(server().totals().open_calls, 0u);
  EXPECT_EQ(server().totals().calls_cancelled, 1u);
  EXPECT_TRUE(call(client, "Echo", "x").status.is_ok());
}

TEST_F(Coroutine, IsToldAgainWhenTheServerStopsIfItGoesOnAfterItsCancellation) {
  Gate first(loop_);
  Gate second(loop_);
  int cancellations = 0;
  handle<Slice, Empty>("Wait", [&](const Slice&, ServerContext&) -> asio::awaitable<Status> {
    for (Gate* gate : {&first, &second}) {
      try {
        co_await gate->pass();
      } catch (const std::system_error&) {
        ++cancellations;
      }
      co_await asio::this_coro::reset_cancellation_state();
    }
    co_return Status::ok();
  });
  TestClient& client = connect();
  const session::CallId id = client.call("Wait", "x");
  settle();
  client.cancel(id);
  settle();
  const int after_cancel = cancellations;

  server().stop();
  settle();

  EXPECT_EQ(after_cancel, 1);
  EXPECT_EQ(cancellations, 2);
  EXPECT_EQ(server().totals().calls_cancelled, 1u) << "one call is counted once";
}

TEST_F(Coroutine, IsIsolatedWhenItThrows) {
  handle<Slice, Empty>("Throw", [](const Slice&, ServerContext&) -> asio::awaitable<Status> {
    throw std::runtime_error("secret");
    co_return Status::ok();
  });
  // This function is no coroutine itself: it throws before there is one.
  handle<Slice, Empty>(
      "ThrowEarly", [](const Slice&, ServerContext&) -> asio::awaitable<Status> { throw std::runtime_error("early"); });
  handle_echo();
  TestClient& client = connect();

  EXPECT_EQ(call(client, "Throw", "x").status.message(), "handler of Throw threw an exception");
  EXPECT_EQ(call(client, "ThrowEarly", "x").status.message(), "handler of ThrowEarly threw an exception");
  EXPECT_EQ(call(client, "Echo", "x").payload, "x");
  EXPECT_EQ(server().totals().handler_exceptions, 2u);
}

TEST_F(Coroutine, OutlivesItsServerAndItsMethod) {
  Gate gate(loop_);
  auto alive = std::make_shared<int>(7);
  const std::weak_ptr<int> watch = alive;
  int seen = 0;
  handle<Slice, Empty>("Wait", [&gate, &seen, alive](const Slice&, ServerContext& context) -> asio::awaitable<Status> {
    const std::shared_ptr<int> kept = alive;
    try {
      co_await gate.pass();
    } catch (const std::system_error&) {
    }
    seen = *kept + static_cast<int>(context.method().size());
    co_return Status::ok();
  });
  alive.reset();
  TestClient& client = connect();
  client.call("Wait", "x");
  settle();

  core_.reset();
  const bool was_alive = !watch.expired();
  settle();

  EXPECT_TRUE(was_alive) << "a coroutine ends by itself";
  EXPECT_EQ(seen, 11);
  EXPECT_TRUE(watch.expired()) << "the handler was not destroyed";
}

TEST_F(Coroutine, KeepsItsRequestWhileOthersAreServed) {
  Gate gate(loop_);
  handle_gated(gate);
  TestClient& client = connect();

  std::vector<session::CallId> ids;
  for (int i = 0; i < 50; ++i) {
    ids.push_back(client.call("Wait", std::string(100, static_cast<char>('a' + i % 26))));
    settle();
  }
  gate.open();
  settle();

  for (std::size_t i = 0; i < ids.size(); ++i) {
    ASSERT_EQ(client.response(ids[i]).payload, std::string(100, static_cast<char>('a' + i % 26)));
  }
}

}  // namespace

}  // namespace trunkline::server
