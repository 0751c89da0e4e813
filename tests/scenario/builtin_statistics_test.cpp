// SPDX-License-Identifier: MIT
// The statistics service as its callers see it.
#include "trunkline/v1/statistics.pb.h"

#include <trunkline/channel.h>
#include <trunkline/protobuf.h>
#include <trunkline/server.h>
#include <trunkline/statistics_service.h>

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>

namespace trunkline {

namespace {

using namespace std::chrono_literals;
using Request = v1::StatisticsRequest;
using Response = v1::ServerStatistics;

class StatisticsOfAServer : public ::testing::Test {
 protected:
  StatisticsOfAServer() {
    ServerOptions options;
    options.loops = 2;
    server_ = std::make_unique<Server>(options);
    server_->handle<std::string, std::string>("acme.Echo/Say",
                                              [](const std::string& text, ServerContext&) { return text; });
    server_->handle<std::string, std::string>("acme.Echo/Fail", [](const std::string&, ServerContext&) {
      return Result<std::string>(Status(StatusCode::aborted, "no"));
    });
    add_statistics(*server_);
    channel_ = std::make_unique<Channel>(server_->listen("inproc://statistics").to_string());
    if (Status started = server_->start(); !started) throw StatusError(started);
  }
  void call(std::string_view method, const std::string& text) {
    static_cast<void>(channel_->call<std::string>(method, text, {.timeout = 20s}));
  }
  Result<Response> get(const Request& request = {}) {
    return channel_->call<Response>("trunkline.v1.Statistics/Get", request, {.timeout = 20s});
  }
  ClientStream<Request, Response> watch(std::uint64_t interval_ns) {
    Request request;
    request.set_interval_ns(interval_ns);
    request.set_without_buckets(true);
    return channel_->server_stream<Response>("trunkline.v1.Statistics/Watch", request, {.timeout = 20s});
  }

  std::unique_ptr<Server> server_;
  std::unique_ptr<Channel> channel_;
};

TEST_F(StatisticsOfAServer, DescribeMethodsLoopsAndProcess) {
  call("acme.Echo/Say", "12345");
  call("acme.Echo/Say", "1");
  call("acme.Echo/Fail", "1");
  Request request;
  request.set_method_prefix("acme.Echo/");

  const Response response = get(request).value();

  EXPECT_EQ(response.memory_max_bytes(), 1u << 30);
  EXPECT_LE(response.memory_used_bytes(), 1u << 20);
  ASSERT_EQ(response.methods_size(), 2);
  const v1::MethodStatistics& fail = response.methods(0);
  EXPECT_EQ(fail.method(), "acme.Echo/Fail");
  EXPECT_EQ(fail.finished_by_code().at(10), 1u);
  const v1::MethodStatistics& say = response.methods(1);
  EXPECT_EQ(say.started(), 2u);
  EXPECT_EQ(say.in_flight(), 0u);
  EXPECT_EQ(say.finished_by_code_size(), 1);
  EXPECT_EQ(say.finished_by_code().at(0), 2u);
  EXPECT_EQ(say.bytes_received(), 6u);
  EXPECT_EQ(say.bytes_sent(), 6u);
  EXPECT_EQ(say.latency().count(), 2u);
  EXPECT_LE(say.latency().min_ns(), say.latency().p50_ns());
  EXPECT_LE(say.latency().p50_ns(), say.latency().p999_ns());
  EXPECT_LE(say.latency().p999_ns(), say.latency().max_ns());
  EXPECT_GE(say.latency().buckets_size(), 1);
  EXPECT_EQ(response.loops_size(), 2);
  EXPECT_EQ(response.loops(0).connections() + response.loops(1).connections(), 1u);
  EXPECT_EQ(response.connections(), 1u);
  EXPECT_EQ(response.calls_ok(), 2u);
  EXPECT_EQ(response.calls_failed(), 1u);
  EXPECT_GT(response.uptime_ns(), 0u);
  EXPECT_GT(response.process_id(), 0u);
  EXPECT_GT(response.cpu_ns(), 0u);
}

TEST(StatisticsOfAnOverloadedServer, CountShedCalls) {
  ServerOptions options;
  options.overload.adaptive_limit = true;
  options.overload.min_adaptive_limit = options.overload.max_adaptive_limit = 1;
  Server server(options);
  std::promise<void> started, finish;
  server.handle<std::string, std::string>("acme.Echo/Wait",
                                          [&](const std::string& text, ServerContext&) {
                                            started.set_value();
                                            finish.get_future().wait();
                                            return text;
                                          },
                                          {.blocking = true});
  add_statistics(server);
  Channel channel(server.listen("inproc://overloaded").to_string(), {.max_retries = 0});
  ASSERT_TRUE(server.start());
  auto first = channel.submit<std::string>("acme.Echo/Wait", std::string("1"), {.timeout = 20s});
  started.get_future().wait();

  EXPECT_EQ(channel.call<std::string>("acme.Echo/Wait", std::string("2"), {.timeout = 20s}).status().code(),
            StatusCode::unavailable);
  const Response response = channel.call<Response>("trunkline.v1.Statistics/Get", Request(), {.timeout = 20s}).value();
  finish.set_value();

  EXPECT_EQ(response.calls_shed(), 1u);
  EXPECT_EQ(response.calls_refused(), 1u);
  EXPECT_EQ(response.adaptive_limit(), 1u);
  EXPECT_TRUE(first.get().is_ok());
}

TEST_F(StatisticsOfAServer, MayOmitBuckets) {
  call("acme.Echo/Say", "1");
  Request request;
  request.set_without_buckets(true);

  const Response response = get(request).value();

  EXPECT_EQ(response.methods(0).latency().buckets_size(), 0);
  EXPECT_EQ(response.methods(0).latency().count(), 1u);
}

TEST_F(StatisticsOfAServer, AreWatched) {
  const Response before = get().value();
  auto stream = watch(10'000'000);
  const Response first = stream.read().value().value();
  call("acme.Echo/Say", "1");

  Response later = first;
  std::uint64_t intervals = 0;
  for (; later.calls_ok() == first.calls_ok(); ++intervals) later = stream.read().value().value();

  EXPECT_EQ(later.methods(0).method(), "acme.Echo/Say");
  // Intervals count from the begin of the watch, and the first sample may come late in its own.
  EXPECT_GE(later.uptime_ns(), before.uptime_ns() + intervals * 10'000'000);
}

TEST_F(StatisticsOfAServer, RefuseIntervalsOutOfRange) {
  for (const std::uint64_t interval : {std::uint64_t{1}, std::uint64_t{9'999'999}, UINT64_MAX}) {
    auto stream = watch(interval);
    const Status status = stream.read().status();

    EXPECT_EQ(status.code(), StatusCode::invalid_argument);
    EXPECT_EQ(status.message(),
              "watch statistics: interval_ns " + std::to_string(interval) + " is not 10000000 to 86400000000000");
  }
}

TEST_F(StatisticsOfAServer, RefuseWatchesBeyondTheirLimit) {
  Server server;
  add_statistics(server, {.max_watches = 1});
  Channel channel(server.listen("inproc://few-watches").to_string());
  ASSERT_TRUE(server.start().is_ok());
  const std::string_view method = "trunkline.v1.Statistics/Watch";
  auto first = channel.server_stream<Response>(method, Request(), {.timeout = 20s});
  ASSERT_TRUE(first.read().is_ok());

  auto second = channel.server_stream<Response>(method, Request(), {.timeout = 20s});

  EXPECT_EQ(second.read().status().code(), StatusCode::resource_exhausted);
}

TEST_F(StatisticsOfAServer, ServersShutdownEndsWatches) {
  auto stream = watch(0);
  ASSERT_TRUE(stream.read().value().has_value());

  const Status shut_down = server_->shutdown(20s);

  EXPECT_TRUE(shut_down.is_ok()) << shut_down.to_string();
  Result<std::optional<Response>> read = stream.read();
  while (read.is_ok() && read->has_value()) read = stream.read();
  EXPECT_EQ(read.status().message(), "watch statistics: the server is shutting down");
}

}  // namespace

}  // namespace trunkline
