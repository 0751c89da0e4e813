// SPDX-License-Identifier: MIT
// What callers over each protocol learn of overload and of drains.
#include <trunkline/channel.h>
#include <trunkline/plain.h>
#include <trunkline/server.h>

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <optional>
#include <string>

namespace trunkline::scenario {
namespace {

using namespace std::chrono_literals;

class SheddingServer : public ::testing::TestWithParam<std::string> {
 protected:
  std::string uri(const Endpoint& endpoint) const {
    return GetParam() + "://127.0.0.1:" + std::to_string(endpoint.port());
  }
};

TEST_P(SheddingServer, SaysWhenToComeBackAndIsThenServed) {
  ServerOptions options;
  options.overload.adaptive_limit = true;
  options.overload.min_adaptive_limit = options.overload.max_adaptive_limit = 1;
  // Callers are told to wait for at least as long, so that they try again rarely.
  options.overload.queue_interval = 200ms;
  Server server(options);
  std::promise<void> started;
  std::promise<void> finish;
  server.handle("wait", [&]() -> Blocking<int> {
    started.set_value();
    finish.get_future().wait();
    return 1;
  });
  server.handle("quick", []() -> Blocking<int> { return 2; });
  const Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server.start().is_ok());
  ChannelOptions without_retries;
  without_retries.max_retries = 0;
  Channel channel(uri(endpoint), without_retries);
  ChannelOptions with_retries;
  with_retries.max_retries = 20;
  Channel patient(uri(endpoint), with_retries);

  auto first = channel.submit<int>("wait", Empty(), {.timeout = 60s});
  started.get_future().wait();
  const Result<int> shed = channel.call<int>("quick", Empty(), {.timeout = 60s});
  CallOptions repeatable{.timeout = 60s};
  repeatable.idempotent = true;
  auto retried = patient.submit<int>("quick", Empty(), repeatable);
  while (server.totals().calls_shed < 2) std::this_thread::yield();
  finish.set_value();
  const Result<int> first_result = first.get();
  const Result<int> retried_result = retried.get();

  EXPECT_EQ(shed.status().code(), StatusCode::unavailable);
  EXPECT_EQ(shed.status().may_have_run(), GetParam() == "grpc") << "which gRPC has no way to tell";
  ASSERT_TRUE(shed.status().retry_after().has_value());
  EXPECT_GE(*shed.status().retry_after(), 200ms);
  EXPECT_TRUE(first_result.is_ok());
  ASSERT_TRUE(retried_result.is_ok()) << retried_result.status().to_string();
  EXPECT_EQ(*retried_result, 2);
}

TEST_P(SheddingServer, TellsStreamsToReconnectWhenItsDrainEnds) {
  Server server;
  server.handle_stream<int, int>("watch", [](ServerStream<int, int>& stream, ServerContext&) -> Blocking<Status> {
    while (true) {
      Result<std::optional<int>> next = stream.read();
      if (!next.is_ok()) return next.status();
      if (!next->has_value()) return Status();
    }
  });
  const Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server.start().is_ok());
  Channel channel(uri(endpoint));
  auto stream = channel.stream<int, int>("watch", {.timeout = 60s});
  ASSERT_TRUE(stream.write(1).is_ok());
  while (server.totals().open_calls == 0) std::this_thread::yield();

  const Status result = server.shutdown(50ms);
  const Status status = stream.finish();

  EXPECT_EQ(result.code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(status.code(), StatusCode::unavailable) << status.to_string();
  EXPECT_TRUE(status.should_reconnect()) << status.to_string();
}

TEST_P(SheddingServer, HandlersMayEndTheirStreamsAtTheDrain) {
  Server server;
  std::promise<void> opened;
  server.handle_stream<int, int>("watch", [&](ServerStream<int, int>&, ServerContext& context) -> Blocking<Status> {
    std::promise<void> draining;
    context.on_drain([&] { draining.set_value(); });
    opened.set_value();
    draining.get_future().wait();
    Status status(StatusCode::unavailable, "resume with token 7");
    return status.set_should_reconnect();
  });
  const Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server.start().is_ok());
  Channel channel(uri(endpoint));
  auto stream = channel.stream<int, int>("watch", {.timeout = 60s});
  opened.get_future().wait();

  const Status result = server.shutdown(60s);
  const Status status = stream.finish();

  EXPECT_TRUE(result.is_ok()) << result.to_string();
  EXPECT_TRUE(status.should_reconnect());
  EXPECT_NE(status.message().find("resume with token 7"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Protocols, SheddingServer, ::testing::Values("tcp", "grpc"));

}  // namespace
}  // namespace trunkline::scenario
