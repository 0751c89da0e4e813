// SPDX-License-Identifier: MIT
// The health service as its callers see it: checks, watches, and the end of watches.
#include "trunkline/v1/health.pb.h"

#include <trunkline/channel.h>
#include <trunkline/health.h>
#include <trunkline/protobuf.h>
#include <trunkline/server.h>
#include <trunkline/value.h>

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace trunkline {

namespace {

using namespace std::chrono_literals;
using Request = v1::HealthCheckRequest;
using Response = v1::HealthCheckResponse;
using WatchStream = ClientStream<Empty, Response>;

class HealthOfAServer : public ::testing::Test {
 protected:
  HealthOfAServer() { start({}); }

  void start(const HealthOptions& options) {
    channel_.reset();
    ServerOptions server_options;
    server_options.loops = 2;
    server_ = std::make_unique<Server>(server_options);
    health_ = add_health(*server_, options);
    endpoint_ = server_->listen("inproc://health").to_string();
    if (Status started = server_->start(); !started) throw StatusError(started);
    channel_ = std::make_unique<Channel>(endpoint_);
  }
  static Request about(std::string_view service) {
    Request request;
    request.set_service(std::string(service));
    return request;
  }
  Result<Response> check(std::string_view service) {
    return channel_->call<Response>("grpc.health.v1.Health/Check", about(service), {.timeout = 20s});
  }
  ClientStream<Request, Response> watch(Channel& channel, std::string_view service) {
    return channel.server_stream<Response>("grpc.health.v1.Health/Watch", about(service), {.timeout = 20s});
  }
  ClientStream<Request, Response> watch(std::string_view service) { return watch(*channel_, service); }
  static Response::ServingStatus next(ClientStream<Request, Response>& stream) {
    const Result<std::optional<Response>> read = stream.read();
    if (!read.is_ok()) throw StatusError(read.status());
    if (!read->has_value()) throw std::runtime_error("the watch has ended");
    return (*read)->status();
  }
  void wait_until_no_call_is_open() {
    while (server_->totals().open_calls > 0) std::this_thread::yield();
  }

  std::unique_ptr<Server> server_;
  std::shared_ptr<Health> health_;
  std::string endpoint_;
  std::unique_ptr<Channel> channel_;
};

TEST_F(HealthOfAServer, RefusesUnknownServices) {
  const std::string name(1025, 'x');
  auto stream = watch(name);

  EXPECT_EQ(check(name).status().code(), StatusCode::invalid_argument);
  EXPECT_EQ(stream.finish().code(), StatusCode::invalid_argument);
  EXPECT_EQ(check(std::string(1024, 'x')).status().code(), StatusCode::not_found);
}

TEST_F(HealthOfAServer, IsServingAtFirst) {
  EXPECT_EQ(check("").value().status(), Response::SERVING);
  EXPECT_EQ(health_->status(""), ServingStatus::serving);
}

TEST_F(HealthOfAServer, CheckReturnsTheStatusThatWasSet) {
  health_->set_status("acme.Orders", ServingStatus::not_serving);
  health_->set_status("acme.Stock", ServingStatus::unknown);

  EXPECT_EQ(check("acme.Orders").value().status(), Response::NOT_SERVING);
  EXPECT_EQ(check("acme.Stock").value().status(), Response::UNKNOWN);
  EXPECT_EQ(check("acme.Other").status().code(), StatusCode::not_found);
  EXPECT_EQ(check("acme.Other").status().message(), "check health: service acme.Other is not known");
}

TEST_F(HealthOfAServer, ClearRemovesAService) {
  health_->set_status("acme.Orders", ServingStatus::serving);

  health_->clear("acme.Orders");
  health_->clear("acme.Orders");

  EXPECT_EQ(check("acme.Orders").status().code(), StatusCode::not_found);
  EXPECT_EQ(health_->status("acme.Orders"), std::nullopt);
}

TEST_F(HealthOfAServer, WatchSendsOnlyChanges) {
  auto stream = watch("");
  EXPECT_EQ(next(stream), Response::SERVING);

  health_->set_status("", ServingStatus::serving);
  health_->set_status("other", ServingStatus::serving);
  health_->set_status("", ServingStatus::not_serving);

  EXPECT_EQ(next(stream), Response::NOT_SERVING);
}

TEST_F(HealthOfAServer, WatchOfAnUnknownServiceWaitsForIt) {
  auto stream = watch("acme.Later");
  EXPECT_EQ(next(stream), Response::SERVICE_UNKNOWN);

  health_->set_status("acme.Later", ServingStatus::serving);
  EXPECT_EQ(next(stream), Response::SERVING);
  health_->clear("acme.Later");
  EXPECT_EQ(next(stream), Response::SERVICE_UNKNOWN);
  EXPECT_EQ(check("acme.Later").status().code(), StatusCode::not_found);
}

TEST_F(HealthOfAServer, ShutdownStaysUntilResume) {
  health_->set_status("acme.Orders", ServingStatus::serving);
  auto stream = watch("acme.Orders");
  EXPECT_EQ(next(stream), Response::SERVING);

  health_->shutdown();
  EXPECT_EQ(next(stream), Response::NOT_SERVING);
  health_->set_status("acme.New", ServingStatus::serving);
  health_->set_status("acme.Orders", ServingStatus::serving);
  EXPECT_EQ(check("").value().status(), Response::NOT_SERVING);
  EXPECT_EQ(check("acme.New").value().status(), Response::NOT_SERVING);
  EXPECT_EQ(check("acme.Orders").value().status(), Response::NOT_SERVING);
  EXPECT_EQ(check("acme.Other").status().code(), StatusCode::not_found);

  health_->resume();
  EXPECT_EQ(next(stream), Response::SERVING);
  EXPECT_EQ(check("acme.New").value().status(), Response::SERVING);
}

TEST_F(HealthOfAServer, ManyWatchesOnSeveralLoops) {
  std::vector<std::unique_ptr<Channel>> channels;
  std::vector<ClientStream<Request, Response>> streams;
  for (int i = 0; i < 4; ++i) channels.push_back(std::make_unique<Channel>(endpoint_));
  for (int i = 0; i < 40; ++i) streams.push_back(watch(*channels[static_cast<std::size_t>(i) % 4], "many"));
  for (auto& stream : streams) ASSERT_EQ(next(stream), Response::SERVICE_UNKNOWN);

  health_->set_status("many", ServingStatus::serving);

  for (auto& stream : streams) ASSERT_EQ(next(stream), Response::SERVING);
  streams.clear();
  wait_until_no_call_is_open();
}

TEST_F(HealthOfAServer, TheLastStatusReachesAWatchInEveryRace) {
  auto stream = watch("raced");
  EXPECT_EQ(next(stream), Response::SERVICE_UNKNOWN);
  std::vector<std::thread> setters;
  for (int thread = 0; thread < 3; ++thread) {
    setters.emplace_back([this] {
      for (int i = 0; i < 500; ++i) {
        health_->set_status("raced", i % 2 == 0 ? ServingStatus::serving : ServingStatus::not_serving);
        if (i % 16 == 0) health_->clear("raced");
      }
    });
  }
  for (std::thread& setter : setters) setter.join();

  health_->set_status("raced", ServingStatus::unknown);

  Response::ServingStatus last = Response::SERVICE_UNKNOWN;
  for (int messages = 0; messages < 3000 && last != Response::UNKNOWN; ++messages) {
    const Response::ServingStatus told = next(stream);
    EXPECT_NE(told, last);
    last = told;
  }
  EXPECT_EQ(last, Response::UNKNOWN);
}

TEST_F(HealthOfAServer, TooManyWatchesAreRefused) {
  start({.max_watches = 1});
  auto first = watch("");
  EXPECT_EQ(next(first), Response::SERVING);

  auto second = watch("");

  EXPECT_EQ(second.read().status().code(), StatusCode::resource_exhausted);
  EXPECT_EQ(check("").value().status(), Response::SERVING) << "checks are not watches";
}

TEST_F(HealthOfAServer, ServersShutdownEndsWatches) {
  auto stream = watch("");
  auto unknown = watch("unknown");
  EXPECT_EQ(next(stream), Response::SERVING);
  EXPECT_EQ(next(unknown), Response::SERVICE_UNKNOWN);

  const Status shut_down = server_->shutdown(20s);

  EXPECT_TRUE(shut_down.is_ok()) << shut_down.to_string();
  EXPECT_EQ(next(stream), Response::NOT_SERVING);
  EXPECT_EQ(stream.read().status().code(), StatusCode::unavailable);
  EXPECT_EQ(unknown.read().status().message(), "watch health: the server is shutting down");
  health_->resume();
  EXPECT_EQ(health_->status(""), ServingStatus::not_serving) << "the server does not come back";
}

TEST_F(HealthOfAServer, OutlivesItsServer) {
  auto stream = watch("");
  EXPECT_EQ(next(stream), Response::SERVING);

  channel_.reset();
  server_.reset();
  health_->set_status("", ServingStatus::not_serving);

  EXPECT_EQ(health_->status(""), ServingStatus::not_serving);
}

TEST_F(HealthOfAServer, ServesJson) {
  const Result<Value> response =
      channel_->call<Value>("grpc.health.v1.Health/Check", Value(Value::Object{}), {.timeout = 20s, .codec = "json"});

  ASSERT_TRUE(response.is_ok()) << response.status().to_string();
  EXPECT_EQ(*response->find("status")->get_if<std::string>(), "SERVING");
}

TEST_F(HealthOfAServer, RefusesAnInvalidStatus) {
  EXPECT_THROW(health_->set_status("x", ServingStatus::service_unknown), std::invalid_argument);
  EXPECT_EQ(health_->status("x"), std::nullopt);
}

TEST(AddHealth, ASecondTimeIsRefusedWithoutEffect) {
  Server server;
  const auto first = add_health(server);

  EXPECT_THROW(static_cast<void>(add_health(server)), std::invalid_argument);
  EXPECT_EQ(server.methods().size(), 2u);
}

TEST(AddHealth, StatusesHaveNames) {
  EXPECT_EQ(to_string(ServingStatus::unknown), "unknown");
  EXPECT_EQ(to_string(ServingStatus::serving), "serving");
  EXPECT_EQ(to_string(ServingStatus::not_serving), "not_serving");
  EXPECT_EQ(to_string(ServingStatus::service_unknown), "service_unknown");
}

}  // namespace

}  // namespace trunkline
