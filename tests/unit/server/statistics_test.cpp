// SPDX-License-Identifier: MIT
// Statistics of methods and loops, for calls of each kind and each end.
#include "unit/server/gate.h"
#include "unit/server/server_fixture.h"

#include <trunkline/detail/stream_handler.h>
#include <trunkline/value.h>

#include <atomic>

namespace trunkline::server {

namespace {

using namespace std::chrono_literals;

using Counts = std::map<StatusCode, std::uint64_t>;
using Pair = ServerStream<std::string, std::string>;

class Statistics : public ServerFixture {
 protected:
  MethodStatistics of(std::string_view method) {
    for (MethodStatistics& found : server().statistics().methods) {
      if (found.method == method) return std::move(found);
    }
    return {};
  }
  void collect() {
    server().collect_statistics();
    settle();
  }
};

TEST_F(Statistics, KnowNoMethodsUntilTheyAreCollected) {
  handle_echo();
  TestClient& client = connect();
  call(client, "Echo", "x");

  const ServerStatistics off = server().statistics();
  collect();
  const ServerStatistics on = server().statistics();

  EXPECT_FALSE(off.is_collected);
  EXPECT_TRUE(off.methods.empty());
  ASSERT_EQ(off.loops.size(), 1u);
  EXPECT_EQ(off.loops[0].connections, 1u);
  EXPECT_EQ(off.loops[0].lag.count, 0u);
  EXPECT_EQ(off.totals.calls_ok, 1u);
  EXPECT_TRUE(on.is_collected);
  EXPECT_TRUE(on.methods.empty()) << "the call came before";
}

TEST_F(Statistics, CountPlainCalls) {
  handle_echo();
  handle<Slice, Slice>("Fail", [this](const Slice&, ServerContext&) -> Result<Slice> {
    clock_.advance(3ms);
    return Status(StatusCode::not_found, "no");
  });
  TestClient& client = connect();
  collect();

  call(client, "Echo", "12345");
  call(client, "Echo", "123");
  call(client, "Fail", "1");

  const MethodStatistics echo = of("Echo");
  EXPECT_EQ(echo.started, 2u);
  EXPECT_EQ(echo.in_flight, 0u);
  EXPECT_EQ(echo.finished_by_code, (Counts{{StatusCode::ok, 2}}));
  EXPECT_EQ(echo.bytes_received, 8u);
  EXPECT_EQ(echo.bytes_sent, 8u);
  EXPECT_EQ(echo.latency.count, 2u);
  EXPECT_EQ(echo.latency.max, 0ns);
  const MethodStatistics fail = of("Fail");
  EXPECT_EQ(fail.finished_by_code, (Counts{{StatusCode::not_found, 1}}));
  EXPECT_EQ(fail.bytes_sent, 0u);
  EXPECT_EQ(fail.latency.min, 3ms);
  EXPECT_EQ(fail.latency.sum, 3ms);
  EXPECT_EQ(fail.latency.p50, 3ms);
  ASSERT_EQ(fail.latency.buckets.size(), 1u);
  EXPECT_GE(fail.latency.buckets[0].upper, 3ms);
  EXPECT_EQ(fail.latency.buckets[0].count, 1u);
}

TEST_F(Statistics, CountBytesAsTheyAreOnTheWire) {
  handle_echo();
  TestClient& client = connect();
  collect();
  client.compress_with("snappy");

  call(client, "Echo", std::string(10000, 'x'));

  const MethodStatistics echo = of("Echo");
  EXPECT_LT(echo.bytes_received, 1000u);
  EXPECT_EQ(echo.bytes_sent, echo.bytes_received);
}

TEST_F(Statistics, CountRefusals) {
  handle<Empty, Slice>("Nothing", [](const Empty&, ServerContext&) { return Slice(); });
  handle<Slice, Slice>("Narrow", [](const Slice& request, ServerContext&) { return request; },
                       {.max_concurrent_calls = 1});
  handle<Value, Value>("Text", [](const Value& request, ServerContext&) { return request; });
  Gate gate(loop_);
  handle<Slice, Slice>("Wait",
                       [&gate](const Slice& request, ServerContext&) -> asio::awaitable<Slice> {
                         co_await gate.pass();
                         co_return request;
                       },
                       {.max_concurrent_calls = 1});
  TestClient& client = connect();
  collect();

  call(client, "Text", "x", "bytes");
  client.call("Wait", "1");
  client.call("Wait", "2");
  settle();

  EXPECT_EQ(of("Text").finished_by_code, (Counts{{StatusCode::unimplemented, 1}}));
  EXPECT_EQ(of("Wait").started, 2u);
  EXPECT_EQ(of("Wait").in_flight, 1u);
  EXPECT_EQ(of("Wait").finished_by_code, (Counts{{StatusCode::resource_exhausted, 1}}));
  gate.open();
  settle();
  EXPECT_EQ(of("Wait").in_flight, 0u);
  EXPECT_EQ(of("Narrow").started, 0u);
}

TEST_F(Statistics, MeasureCoroutinesFromTheirArrival) {
  Gate gate(loop_);
  handle<Slice, Slice>("Wait", [&gate](const Slice& request, ServerContext&) -> asio::awaitable<Slice> {
    co_await gate.pass();
    co_return request;
  });
  TestClient& client = connect();
  collect();
  client.call("Wait", "abc");
  settle();

  const MethodStatistics before = of("Wait");
  advance(50ms);
  gate.open();
  settle();

  EXPECT_EQ(before.in_flight, 1u);
  EXPECT_EQ(before.latency.count, 0u);
  EXPECT_EQ(of("Wait").in_flight, 0u);
  EXPECT_EQ(of("Wait").latency.max, 50ms);
  EXPECT_EQ(of("Wait").bytes_sent, 3u);
}

TEST_F(Statistics, CountCancelledCalls) {
  Gate gate(loop_);
  handle<Slice, Slice>("Wait", [&gate](const Slice& request, ServerContext&) -> asio::awaitable<Slice> {
    co_await gate.pass();
    co_return request;
  });
  TestClient& client = connect();
  collect();

  client.cancel(client.call("Wait", "1"));
  settle();
  client.call("Wait", "2", "bytes", {.method = {}, .deadline = clock_.now() + 10ms, .now = clock_.now()});
  settle();
  advance(20ms);

  EXPECT_EQ(of("Wait").finished_by_code, (Counts{{StatusCode::cancelled, 1}, {StatusCode::deadline_exceeded, 1}}));
  EXPECT_EQ(of("Wait").in_flight, 0u);
}

TEST_F(Statistics, CountMessagesOfStreams) {
  const auto talk = [](Pair& stream, ServerContext&) -> asio::awaitable<Status> {
    while (true) {
      Result<std::optional<std::string>> word = co_await stream.async_read(asio::use_awaitable);
      if (!word.is_ok()) co_return word.status();
      if (!word->has_value()) co_return Status(StatusCode::data_loss, "talk: no more");
      const std::string twice = **word + **word;
      if (Status sent = co_await stream.async_write(twice, asio::use_awaitable); !sent) co_return sent;
    }
  };
  server().methods().add(
      "Talk",
      std::make_unique<detail::StreamHandler<std::string, std::string, std::remove_const_t<decltype(talk)>>>(talk), {});
  TestClient& client = connect();
  collect();

  const session::CallId id = client.call("Talk", "abc", "bytes", {.method = {}, .end = false});
  client.send(id, "de", true);
  settle();

  const MethodStatistics found = of("Talk");
  EXPECT_EQ(found.started, 1u);
  EXPECT_EQ(found.bytes_received, 5u);
  EXPECT_EQ(found.bytes_sent, 10u);
  EXPECT_EQ(found.finished_by_code, (Counts{{StatusCode::data_loss, 1}}));
}

TEST_F(Statistics, CountBlockingCallsAndThoseThatFindTheQueueFull) {
  ServerOptions options;
  options.worker_threads = 1;
  options.max_queued_blocking_calls = 0;
  make_server(options);
  std::atomic<bool> may_end = false;
  handle<Slice, Slice>("Hold",
                       [&may_end](const Slice& request, ServerContext&) {
                         may_end.wait(false);
                         return request;
                       },
                       {.blocking = true});
  TestClient& client = connect();
  collect();

  const session::CallId held = client.call("Hold", "1");
  settle();
  const ReceivedResponse refused = call(client, "Hold", "2");
  may_end = true;
  may_end.notify_all();
  settle_until([&] { return client.has(held); });

  EXPECT_EQ(refused.status.code(), StatusCode::resource_exhausted);
  EXPECT_EQ(of("Hold").finished_by_code, (Counts{{StatusCode::ok, 1}, {StatusCode::resource_exhausted, 1}}));
  EXPECT_EQ(of("Hold").in_flight, 0u);
}

TEST_F(Statistics, ForgetMethodsThatAreRemoved) {
  handle_echo();
  handle_echo("Other");
  TestClient& client = connect();
  collect();
  call(client, "Echo", "x");
  call(client, "Other", "x");

  server().remove_method("Echo");
  settle();

  ASSERT_EQ(server().statistics().methods.size(), 1u);
  EXPECT_EQ(server().statistics().methods[0].method, "Other");
}

TEST_F(Statistics, MeasureTheLagOfTheLoop) {
  handle<Slice, Slice>("Dawdle", [this](const Slice& request, ServerContext&) {
    clock_.advance(400ms);
    return request;
  });
  TestClient& client = connect();
  collect();

  for (int i = 0; i < 5; ++i) advance(100ms);
  const LatencyHistogram idle = server().statistics().loops.at(0).lag;
  advance(50ms);
  call(client, "Dawdle", "x");
  settle();
  const LatencyHistogram busy = server().statistics().loops.at(0).lag;

  EXPECT_GE(idle.count, 4u);
  EXPECT_LE(idle.max, 1ms);
  EXPECT_EQ(busy.count, idle.count + 1);
  EXPECT_GE(busy.max, 300ms);
  EXPECT_LE(busy.max, 400ms);
}

TEST_F(Statistics, DescribeTheProcess) {
  const ServerStatistics statistics = server().statistics();

  EXPECT_EQ(statistics.process_id, static_cast<std::uint64_t>(::getpid()));
  EXPECT_GT(statistics.cpu, 0ns);
#ifdef __linux__
  EXPECT_GT(statistics.memory_bytes, 1u << 20);
#endif
}

TEST_F(Statistics, MayBeCollectedTwice) {
  handle_echo();
  TestClient& client = connect();
  collect();
  call(client, "Echo", "x");

  collect();
  call(client, "Echo", "x");

  EXPECT_EQ(of("Echo").started, 2u);
}

}  // namespace

}  // namespace trunkline::server
