// SPDX-License-Identifier: MIT
// A fleet of real servers: health that is watched, rolling restarts, and servers that fail, over both protocols.
#include "kit/manual_clock.h"
#include "net/loop.h"

#include <trunkline/channel.h>
#include <trunkline/health.h>
#include <trunkline/server.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace trunkline::scenario {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

class HealthOfAFleet : public ::testing::TestWithParam<std::string> {
 protected:
  static constexpr std::size_t count = 3;

  HealthOfAFleet() {
    options.balancing = {.policy = BalancingPolicy::round_robin, .slow_start = 0ms, .seed = 1};
    options.max_retries = 0;
    for (std::size_t i = 0; i < count; ++i) start(i);
  }
  ~HealthOfAFleet() override {
    channel_.reset();
    settle();
    for (auto& server : servers) server.reset();
    settle();
  }

  static std::string address(std::size_t i) { return "inproc://fleet-" + std::to_string(i); }
  void start(std::size_t i) {
    servers[i] = std::make_unique<Server>(*event_loop);
    servers[i]->handle<std::string, std::string>(
        "Echo", [this, i](const std::string& request, ServerContext&) -> Result<std::string> {
          ++calls[i];
          if (breaks[i]) return Status(StatusCode::internal, "broken");
          return request;
        });
    if (has_health) health[i] = add_health(*servers[i]);
    servers[i]->listen(address(i));
    EXPECT_TRUE(servers[i]->start().is_ok());
  }
  Channel& channel() {
    if (channel_ == nullptr) {
      std::string uri;
      for (std::size_t i = 0; i < count; ++i) uri += (i > 0 ? "," : "") + GetParam() + address(i);
      channel_ = std::make_unique<Channel>(*event_loop, uri, options);
    }
    return *channel_;
  }
  void settle() {
    while (event_loop->poll()) {
    }
  }
  void advance(base::Duration by) {
    clock.advance(by);
    settle();
  }
  Status call(const CallOptions& call_options = {}) {
    Status status(StatusCode::unknown, "not done");
    event_loop->post([&] {
      channel().async_call<std::string>("Echo", std::string("x"), call_options,
                                        [&status](const Result<std::string>& result) { status = result.status(); });
    });
    settle();
    return status;
  }
  void connect() { EXPECT_EQ(call(), Status()); }
  /// How many of some calls each server gets. None may fail.
  std::array<int, count> make_calls(int number) {
    calls = {};
    for (int i = 0; i < number; ++i) EXPECT_EQ(call(), Status());
    return calls;
  }
  std::vector<ServerState> states() {
    std::vector<ServerState> found;
    event_loop->post([&] { found = channel().servers(); });
    settle();
    return found;
  }

  kit::ManualClock clock;
  std::unique_ptr<EventLoop> event_loop = net::Loop::make_event_loop({}, &clock);
  ChannelOptions options;
  bool has_health = true;
  std::array<int, count> calls{};
  std::array<bool, count> breaks{};
  std::array<std::unique_ptr<Server>, count> servers;
  std::array<std::shared_ptr<Health>, count> health;

 private:
  std::unique_ptr<Channel> channel_;
};

TEST_P(HealthOfAFleet, DecidesWhichServersGetCalls) {
  connect();
  EXPECT_EQ(make_calls(30), (std::array{10, 10, 10}));

  health[1]->set_status("", ServingStatus::not_serving);
  settle();
  EXPECT_EQ(make_calls(30)[1], 0);
  EXPECT_THAT(std::string(states()[1].last_error.message()), HasSubstr("not serving"));

  health[1]->set_status("", ServingStatus::serving);
  settle();
  EXPECT_EQ(make_calls(30), (std::array{10, 10, 10}));
}

TEST_P(HealthOfAFleet, IsThatOfTheNamedService) {
  options.balancing.health_service = "example.Echo";
  health[0]->set_status("example.Echo", ServingStatus::serving);
  health[1]->set_status("example.Echo", ServingStatus::not_serving);

  connect();

  EXPECT_EQ(make_calls(30), (std::array{30, 0, 0})) << "the third does not know the service";
}

TEST_P(HealthOfAFleet, LetsARollingRestartPassUnnoticed) {
  connect();

  for (std::size_t i = 0; i < count; ++i) {
    health[i]->shutdown();
    settle();
    EXPECT_EQ(make_calls(30)[i], 0) << "before it shuts down";
    Status ended(StatusCode::unknown, "not done");
    servers[i]->async_shutdown(10s, [&ended](const Status& status) { ended = status; });
    make_calls(30);
    EXPECT_EQ(ended, Status()) << "no watch delays it";
    servers[i].reset();
    advance(1s);
    make_calls(30);
    start(i);
    advance(60s);
    EXPECT_EQ(make_calls(30)[i], 10) << "after it has come back";
  }
}

TEST_P(HealthOfAFleet, IsNotNeeded) {
  has_health = false;
  servers[1].reset();
  settle();
  start(1);

  connect();

  EXPECT_EQ(make_calls(30), (std::array{10, 10, 10}));
}

TEST_P(HealthOfAFleet, DoesNotKeepServersFromShuttingDown) {
  connect();
  Status ended(StatusCode::unknown, "not done");

  servers[2]->async_shutdown(10s, [&ended](const Status& status) { ended = status; });
  settle();

  EXPECT_EQ(ended, Status());
  EXPECT_EQ(make_calls(30)[2], 0);
}

TEST_P(HealthOfAFleet, DoesNotKeepTheChannelFromClosing) {
  connect();
  Status closed(StatusCode::unknown, "not done");

  event_loop->post([&] { closed = channel().close(10s); });
  settle();

  EXPECT_EQ(closed, Status());
}

TEST_P(HealthOfAFleet, IsNoMatterOfOutliers) {
  connect();
  breaks[0] = true;
  for (int i = 0; i < 15; ++i) static_cast<void>(call());
  EXPECT_TRUE(states()[0].is_ejected);

  EXPECT_EQ(make_calls(30), (std::array{0, 15, 15}));
}

INSTANTIATE_TEST_SUITE_P(Protocols, HealthOfAFleet, testing::Values("", "grpc+"),
                         [](const auto& given) { return given.param.empty() ? "Native" : "Grpc"; });

}  // namespace
}  // namespace trunkline::scenario
