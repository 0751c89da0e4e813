// SPDX-License-Identifier: MIT
// A connection's turn: how much is served before the others, and who holds the loop for too long.
#include "unit/server/server_fixture.h"

#include <algorithm>
#include <string>
#include <vector>

namespace trunkline::server {

namespace {

using namespace std::chrono_literals;

class Turns : public ServerFixture {
 protected:
  /// Adds a method that notes each of its calls, and takes `duration`.
  void handle_noting(std::string_view name, base::Duration duration = {}) {
    handle<Slice, Slice>(name, [this, note = std::string(name), duration](const Slice& request, ServerContext&) {
      order_.push_back(note);
      clock_.advance(duration);
      return request.subslice(0, 1);
    });
  }
  std::size_t calls_before(std::string_view name) const {
    return static_cast<std::size_t>(std::find(order_.begin(), order_.end(), name) - order_.begin());
  }
  /// Sends `calls` calls on one connection and then one on another; returns how many of the first came before it.
  std::size_t calls_before_the_other(int calls, const std::string& request, std::string_view compressor = {}) {
    handle_noting("Other");
    TestClient& busy = connect();
    TestClient& other = connect();
    busy.compress_with(compressor);
    for (int i = 0; i < calls; ++i) busy.call("Busy", request);
    other.call("Other", "x");
    settle();
    EXPECT_EQ(busy.response_count(), static_cast<std::size_t>(calls));
    EXPECT_EQ(other.response_count(), 1u);
    return calls_before("Other");
  }

  std::vector<std::string> order_;
};

TEST_F(Turns, EndAfterTheirBytes) {
  make_server({.max_turn_bytes = 64 << 10});
  handle_noting("Busy");

  const std::size_t before = calls_before_the_other(50, std::string(4000, 'x'));

  EXPECT_GE(before, 16u);
  EXPECT_LE(before, 2 * 17u);
  EXPECT_EQ(order_.size(), 51u);
}

TEST_F(Turns, CountWhatDecompressionMakes) {
  make_server({.max_turn_bytes = 64 << 10});
  handle_noting("Busy");

  EXPECT_LE(calls_before_the_other(100, std::string(32 << 10, 'x'), "snappy"), 2 * 3u);
}

TEST_F(Turns, EndAfterTheirTime) {
  handle_noting("Busy", 1ms);

  EXPECT_LE(calls_before_the_other(100, "x"), 2 * 4u);
}

TEST_F(Turns, LeaveNoEventBehindWhenTheConnectionCloses) {
  make_server({.max_turn_bytes = 64 << 10});
  handle_noting("Busy");
  TestClient& client = connect();
  for (int i = 0; i < 50; ++i) client.call("Busy", std::string(4000, 'x'));
  client.session().close(Status());
  client.close();

  settle();

  EXPECT_EQ(server().totals().connections, 0u);
}

TEST_F(Turns, OfAHandlerThatHoldsTheLoopAreLogged) {
  handle_noting("Quick");
  handle_noting("Slow", 150ms);
  TestClient& client = connect();
  call(client, "Quick", "x");
  EXPECT_TRUE(logged_.empty());

  call(client, "Slow", "x");

  ASSERT_EQ(logged_.size(), 1u);
  EXPECT_EQ(logged_[0].level, LogLevel::warning);
  EXPECT_EQ(logged_[0].method, "Slow");
  EXPECT_EQ(
      logged_[0].message,
      "call Slow: the handler has held its loop for 150 ms, slow_handler_threshold is 100 ms; a handler that takes "
      "long belongs on a worker");
}

TEST_F(Turns, NameAllHandlersThatMayHaveHeldTheLoop) {
  handle_noting("Quick");
  handle_noting("Slow", 150ms);
  TestClient& client = connect();
  for (int i = 0; i < 100; ++i) call(client, "Quick", "x");
  for (int i = 0; i < 3; ++i) client.call("Quick", "x");
  client.call("Slow", "x");
  client.call("Slow", "x");
  settle();

  ASSERT_EQ(logged_.size(), 1u);
  EXPECT_NE(logged_[0].message.find("call Quick, Slow: "), std::string::npos) << logged_[0].message;
  call(client, "Slow", "x");
  ASSERT_EQ(logged_.size(), 2u);
  EXPECT_NE(logged_[1].message.find("call Slow: "), std::string::npos) << logged_[1].message;
}

TEST_F(Turns, OfOtherConnectionsAreNotBlamed) {
  handle_noting("Quick");
  handle_noting("Slow", 150ms);
  TestClient& one = connect();
  TestClient& other = connect();

  one.call("Slow", "x");
  other.call("Quick", "x");
  settle();

  ASSERT_EQ(logged_.size(), 1u);
  EXPECT_EQ(logged_[0].method, "Slow");
}

TEST_F(Turns, OfAHandlerThatRunsTheLoopAreNotLogged) {
  handle<Slice, Slice>("Nested", [this](const Slice& request, ServerContext&) {
    clock_.advance(150ms);
    loop_.poll();
    return request;
  });

  call(connect(), "Nested", "x");

  EXPECT_TRUE(logged_.empty());
}

TEST_F(Turns, OfSlowHandlersAreNotLoggedWithoutAThreshold) {
  make_server({.slow_handler_threshold = 0ms});
  handle_noting("Slow", 10s);

  call(connect(), "Slow", "x");

  EXPECT_TRUE(logged_.empty());
}

TEST_F(Turns, BeginWhenTheHelloHasBeenWritten) {
  handle_noting("Call");
  // The hello does not fit, so it is written when the client reads.
  net::Loop client_loop{{}, &clock_};
  auto [near, far] = net::make_memory_pair(client_loop, loop_, {.buffer_bytes = 64});
  TestClient client;
  client.start(std::move(near));
  const session::CallId id = client.call("Call", "x");
  server().accept_transport(std::move(far));
  // The client writes, and reads nothing of what comes: each poll() of its loop would.
  for (int i = 0; i < 10; ++i) settle();
  const std::size_t early = order_.size();

  while (client_loop.poll() || loop_.poll()) {
  }

  EXPECT_EQ(early, 0u);
  EXPECT_EQ(order_.size(), 1u);
  EXPECT_TRUE(client.has(id));
}

}  // namespace

}  // namespace trunkline::server
