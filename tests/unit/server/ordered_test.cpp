// SPDX-License-Identifier: MIT
// Ordered connections: one call runs at a time, in the order of arrival.
#include "unit/server/gate.h"
#include "unit/server/server_fixture.h"

#include <trunkline/detail/stream_handler.h>

namespace trunkline::server {

namespace {

class Ordered : public ServerFixture {
 protected:
  void handle_gated(std::string_view name, Gate& gate) {
    handle<std::string, std::string>(
        name, [this, &gate](const std::string& request, ServerContext&) -> asio::awaitable<std::string> {
          begun_ += request;
          co_await gate.pass();
          co_return request;
        });
  }
  void handle_plain() {
    handle<std::string, std::string>("Plain", [this](const std::string& request, ServerContext&) {
      begun_ += request;
      return request;
    });
  }
  std::string begun_;
};

TEST_F(Ordered, HoldsACallUntilTheResponseToTheOneBefore) {
  Gate first_gate(loop_);
  Gate second_gate(loop_);
  handle_gated("First", first_gate);
  handle_gated("Second", second_gate);
  handle_plain();
  TestClient& client = connect(true);

  const session::CallId a = client.call("First", "a");
  const session::CallId b = client.call("Plain", "b");
  const session::CallId c = client.call("Second", "c");
  const session::CallId d = client.call("Plain", "d");
  settle();
  const std::string at_first = begun_;
  first_gate.open();
  settle();
  const std::string at_second = begun_;
  second_gate.open();
  settle();

  EXPECT_EQ(at_first, "a");
  EXPECT_EQ(at_second, "abc");
  EXPECT_EQ(begun_, "abcd");
  EXPECT_EQ(client.response(a).order, 0u);
  EXPECT_EQ(client.response(b).order, 1u);
  EXPECT_EQ(client.response(c).order, 2u);
  EXPECT_EQ(client.response(d).order, 3u);
}

TEST_F(Ordered, ReturnsTheCreditOfARequestWhenItsHandlerBegins) {
  ServerOptions options;
  options.limits.connection_credit_bytes = 1 << 20;
  make_server(options);
  Gate first_gate(loop_);
  Gate second_gate(loop_);
  handle_gated("First", first_gate);
  handle_gated("Second", second_gate);
  TestClient& client = connect(true);

  client.call("First", "a");
  for (int i = 0; i < 25; ++i) client.call("Second", std::string(60000, 'x'));
  settle();
  const std::uint64_t before = server().totals().open_calls;
  first_gate.open();
  settle();
  const std::uint64_t after = server().totals().open_calls;
  second_gate.open();
  settle();

  EXPECT_LT(before, 26u) << "there is no credit for the others";
  EXPECT_GE(after, before) << "a further one has come, though the handler of the first one runs";
  EXPECT_EQ(client.response_count(), 26u);
}

/// Reads the stream to its end, and responds with what it was.
asio::awaitable<Status> read_all(ServerReader<std::string>& reader, std::string& response, ServerContext&) {
  for (;;) {
    auto next = co_await reader.async_read(asio::use_awaitable);
    if (!next.is_ok()) co_return next.status();
    if (!next->has_value()) co_return Status::ok();
    response += **next;
  }
}

TEST_F(Ordered, AStreamWithoutAMessageHoldsLaterCallsUntilItEnds) {
  using Function = decltype(&read_all);
  server().methods().add(
      "Stream", std::make_unique<detail::ClientStreamHandler<std::string, std::string, Function>>(&read_all), {});
  handle_plain();
  TestClient& client = connect(true);
  const session::CallStart open{.method = {}, .end = false};

  const session::CallId stream = client.call("Stream", "", "", open);
  const session::CallId b = client.call("Plain", "b");
  settle();
  const bool early = client.has(b);
  client.send(stream, "a", true);
  settle();
  const session::CallId abandoned = client.call("Stream", "", "", open);
  const session::CallId d = client.call("Plain", "d");
  settle();
  client.cancel(abandoned);
  settle();
  session::CallStart with_deadline = open;
  with_deadline.deadline = loop_.now() + std::chrono::seconds(5);
  with_deadline.now = loop_.now();
  const session::CallId late = client.call("Stream", "", "", with_deadline);
  const session::CallId f = client.call("Plain", "f");
  settle();
  const bool held = !client.has(f);
  advance(std::chrono::seconds(6));

  EXPECT_FALSE(early);
  EXPECT_TRUE(client.response(stream).status.is_ok()) << client.response(stream).status.to_string();
  EXPECT_EQ(client.messages(stream), std::vector<std::string>{"a"});
  EXPECT_EQ(client.response(stream).order + 1, client.response(b).order);
  EXPECT_EQ(client.response(d).payload, "d");
  EXPECT_TRUE(held);
  EXPECT_EQ(client.response(late).status.code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(client.response(f).payload, "f");
}

TEST_F(Ordered, DoesNotHoldOtherConnections) {
  Gate gate(loop_);
  handle_gated("First", gate);
  handle_plain();
  TestClient& ordered = connect(true);
  TestClient& usual = connect();
  ordered.call("First", "a");
  ordered.call("Plain", "b");
  settle();

  EXPECT_TRUE(call(usual, "Plain", "c").status.is_ok());
  EXPECT_EQ(begun_, "ac");
}

TEST_F(Ordered, RunsCallsSideBySideUnlessTheClientAsksForOrder) {
  Gate gate(loop_);
  handle_gated("First", gate);
  handle_plain();
  TestClient& client = connect(false);
  client.call("First", "a");

  EXPECT_TRUE(call(client, "Plain", "b").status.is_ok());
}

TEST_F(Ordered, SkipsHeldCallsThatAreCancelled) {
  Gate gate(loop_);
  handle_gated("First", gate);
  handle_plain();
  TestClient& client = connect(true);
  client.call("First", "a");
  const session::CallId held = client.call("Plain", "b");
  const session::CallId last = client.call("Plain", "c");
  settle();

  client.cancel(held);
  settle();
  gate.open();
  settle();

  EXPECT_EQ(begun_, "ac");
  EXPECT_EQ(client.response(last).payload, "c");
  EXPECT_EQ(server().totals().open_calls, 0u);
}

TEST_F(Ordered, GoesOnWhenTheCallThatRunsIsCancelled) {
  Gate gate(loop_);
  handle_gated("First", gate);
  handle_plain();
  TestClient& client = connect(true);
  const session::CallId first = client.call("First", "a");
  const session::CallId second = client.call("Plain", "b");
  settle();

  client.cancel(first);
  settle();

  EXPECT_EQ(client.response(second).payload, "b");
}

TEST_F(Ordered, RunsNoHeldCallOnceTheConnectionIsLost) {
  Gate gate(loop_);
  handle_gated("First", gate);
  handle_plain();
  TestClient& client = connect(true);
  client.call("First", "a");
  for (int i = 0; i < 5; ++i) client.call("Plain", "b");
  settle();

  client.reset();
  settle();

  EXPECT_EQ(begun_, "a");
  EXPECT_EQ(server().totals().open_calls, 0u);
}

TEST_F(Ordered, HoldsManyWithoutDeepRecursion) {
  Gate gate(loop_);
  handle_gated("First", gate);
  handle_plain();
  TestClient& client = connect(true);
  client.call("First", "a");
  for (int i = 0; i < 10000; ++i) client.call("Plain", "b");
  settle();

  gate.open();
  settle();

  EXPECT_EQ(client.response_count(), 10001u);
}

}  // namespace

}  // namespace trunkline::server
