// SPDX-License-Identifier: MIT
// Channel::call_many() against a real server: responses in order, a bounded number of calls, errors in their place.
#include "client/channel_core.h"
#include "net/dialer.h"

#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <gtest/gtest.h>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <ranges>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace trunkline {

namespace {

class CallMany : public ::testing::TestWithParam<bool> {
 protected:
  CallMany() {
    server_.handle<std::string, std::string>(
        "Work", [this](const std::string& request, ServerContext& context) -> asio::awaitable<Result<std::string>> {
          const int now = ++running_;
          most_ = std::max(most_, now);
          ++runs_;
          const int number = std::stoi(request);
          // Later calls finish earlier.
          for (int hop = number % 7; hop < 7; ++hop) co_await asio::post(context.executor(), asio::use_awaitable);
          --running_;
          if (number % 10 == 3) co_return Status(StatusCode::aborted, request);
          co_return "re:" + request;
        });
    server_.listen("inproc://call-many");
    EXPECT_TRUE(server_.start().is_ok());
    options_.ordered = GetParam();
  }

  Server server_;
  ChannelOptions options_;
  /// Used on the server's loop only.
  int running_ = 0;
  int most_ = 0;
  std::atomic<int> runs_{0};
};

TEST_P(CallMany, DeliversResponsesAndErrorsInOrderWithinItsWindow) {
  constexpr int calls = 1000;
  constexpr int window = 16;
  std::vector<std::string> requests;
  for (int i = 0; i < calls; ++i) requests.push_back(std::to_string(i));
  Channel channel("inproc://call-many", options_);
  int wrong = 0;
  std::size_t next = 0;

  channel.call_many<std::string>("Work", requests, window, [&](std::size_t index, const Result<std::string>& response) {
    if (index != next++) ++wrong;
    const bool fails = index % 10 == 3;
    const bool is_right = fails ? response.status() == Status(StatusCode::aborted, requests[index])
                                : response.value_or("failed") == "re:" + requests[index];
    if (!is_right) ++wrong;
  });
  server_.stop();

  EXPECT_EQ(next, static_cast<std::size_t>(calls));
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(runs_, calls);
  EXPECT_LE(most_, GetParam() ? 1 : window);
  EXPECT_GT(most_, GetParam() ? 0 : 1) << "they run concurrently";
}

TEST_P(CallMany, TakesRequestsThatTheRangeMakesOnTheFly) {
  Channel channel("inproc://call-many", options_);
  std::vector<std::string> responses;
  auto requests = std::views::iota(4, 9) | std::views::transform([](int i) { return std::to_string(i); });

  channel.call_many<std::string>("Work", requests, 3, [&](std::size_t, const Result<std::string>& response) {
    responses.push_back(response.value_or("failed"));
  });

  EXPECT_EQ(responses, (std::vector<std::string>{"re:4", "re:5", "re:6", "re:7", "re:8"}));
}

TEST_P(CallMany, ASinkThatThrowsLeavesTheChannelUsable) {
  const std::vector<std::string> requests(100, "1");
  Channel channel("inproc://call-many", options_);
  int taken = 0;

  EXPECT_THROW(channel.call_many<std::string>("Work", requests, 8,
                                              [&](std::size_t, const Result<std::string>&) {
                                                if (++taken == 20) throw std::runtime_error("enough");
                                              }),
               std::runtime_error);
  const auto after = channel.call<std::string>("Work", std::string("5"));

  EXPECT_EQ(taken, 20);
  EXPECT_LE(runs_, 20 + 8 + 1);
  EXPECT_EQ(after.value_or("failed"), "re:5") << after.status().to_string();
}

TEST_P(CallMany, WithoutAServerEveryCallEndsWithTheReason) {
  server_.stop();
  options_.max_retries = 0;
  const std::vector<std::string> requests(20, "1");
  Channel channel("inproc://call-many", options_);
  int unavailable = 0;

  channel.call_many<std::string>("Work", requests, 4, [&](std::size_t, const Result<std::string>& response) {
    if (response.status().code() == StatusCode::unavailable && !response.status().may_have_run()) ++unavailable;
  });

  EXPECT_EQ(unavailable, 20);
  EXPECT_EQ(runs_, 0);
}

TEST(OrderedCallMany, CallsThatTheNextLeaderBeginsFollowThoseOfTheLast) {
  struct Watch : Interceptor {
    Status on_start(CallInfo&) override {
      if (starts++ == 1) before_second_call();
      return {};
    }
    void on_finish(CallInfo&, Status&) override { ++finishes; }
    std::function<void()> before_second_call;
    std::atomic<int> starts{0};
    std::atomic<int> finishes{0};
  };
  Server server;
  std::vector<std::string> order;
  server.handle<std::string, std::string>("Note", [&](const std::string& request, ServerContext&) {
    order.push_back(request);
    return request;
  });
  server.listen("inproc://ordered-call-many");
  ASSERT_TRUE(server.start().is_ok());
  const auto watch = std::make_shared<Watch>();
  ChannelOptions options;
  options.ordered = true;
  options.interceptors.push_back(watch);
  const auto core = client::ChannelCore::make(std::make_unique<net::Loop>(), options, [](net::Loop& loop) {
    return std::make_unique<client::EndpointConnector>(loop, Endpoint::parse("inproc://ordered-call-many").value(),
                                                       net::DialOptions{});
  });
  Channel channel(core);
  ASSERT_TRUE(channel.wait_for_ready(std::chrono::seconds(20)).is_ok());
  client::BlockedCall leading;
  std::atomic<bool> leads{false};
  std::atomic<bool> hands_over{false};
  std::atomic<bool> has_left{false};
  std::thread leader([&] {
    core->driver().drive(leading, [&] { leads = true; });
    has_left = true;
  });
  while (!leads) std::this_thread::yield();
  // The leader begins the first call only. The next two stay in the loop's queue.
  watch->before_second_call = [&] {
    while (watch->finishes == 0) std::this_thread::yield();
    std::promise<void> is_inside;
    core->loop().post([&] {
      is_inside.set_value();
      while (!hands_over) std::this_thread::yield();
      core->driver().finish(leading);
    });
    is_inside.get_future().wait();
  };
  const std::vector<std::string> requests{"0", "1", "2", "3", "4"};

  channel.call_many<std::string>("Note", requests, 3, [&](std::size_t index, const Result<std::string>&) {
    if (index != 0) return;
    hands_over = true;
    while (!has_left) std::this_thread::yield();
  });
  leader.join();
  server.stop();

  EXPECT_EQ(order, requests);
}

INSTANTIATE_TEST_SUITE_P(Channels, CallMany, ::testing::Bool(),
                         [](const auto& given) { return given.param ? "ordered" : "plain"; });

/// A call that begins when a response has arrived, and not been read, waits for that to be read, and for nothing else:
/// max_pending_calls does not count it.
class UnreadInput : public ::testing::TestWithParam<const char*> {};

TEST_P(UnreadInput, KeepsNoCallFromBeginning) {
  std::atomic<int> handled{0};
  Server server;
  server.handle<std::string, std::string>("Echo", [&handled](const std::string& request, ServerContext&) {
    ++handled;
    return request;
  });
  const std::string target = GetParam() + server.listen("tcp://127.0.0.1:0").to_string().substr(3);
  ASSERT_TRUE(server.start().is_ok());
  EventLoop loop;
  ChannelOptions options;
  options.max_pending_calls = 0;
  Channel channel(loop, target, options);
  bool is_ready = false;
  loop.post([&] { is_ready = channel.wait_for_ready(std::chrono::seconds(60)).is_ok(); });
  while (!is_ready) loop.run_for(std::chrono::milliseconds(1));
  int ended = 0;
  const auto call = [&] {
    channel.async_call<std::string>("Echo", std::string("x"), [&ended](const Result<std::string>& result) {
      EXPECT_TRUE(result.is_ok()) << result.status().to_string();
      ++ended;
    });
  };

  for (int i = 0; i < 20; ++i) {
    loop.post(call);
    // The response comes while nobody runs the loop, and then the next call begins before it is read.
    while (handled < 2 * i + 1) loop.run_for(std::chrono::microseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    loop.post(call);
    while (ended < 2 * i + 2) loop.run_for(std::chrono::milliseconds(1));
  }
}

INSTANTIATE_TEST_SUITE_P(Protocols, UnreadInput, ::testing::Values("tcp", "grpc"),
                         [](const auto& of) { return std::string(of.param); });

/// Calls of one key wait for their server, also while its responses are still to be read.
class FleetKeys : public ::testing::TestWithParam<const char*> {
 protected:
  FleetKeys() {
    for (const char* const name : {"a", "b", "c"}) {
      servers_.push_back(std::make_unique<Server>());
      Server& server = *servers_.back();
      server.handle<std::string, std::string>("Name",
                                              [name](const std::string&, ServerContext&) { return std::string(name); });
      const Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
      EXPECT_TRUE(server.start().is_ok());
      if (!target_.empty()) target_ += ",";
      target_ += GetParam() + endpoint.to_string().substr(3);
    }
  }
  /// Returns a channel that is connected to all of the servers.
  std::unique_ptr<Channel> connect() {
    ChannelOptions options;
    options.balancing.policy = BalancingPolicy::consistent_hash;
    options.balancing.hash_load_factor = 100;
    options.balancing.slow_start = std::chrono::milliseconds(0);
    auto channel = std::make_unique<Channel>(target_, options);
    const auto is_ready = [](const ServerState& server) { return server.is_ready; };
    for (;;) {
      const Result<std::string> answer = channel->call<std::string>("Name", std::string("x"));
      EXPECT_TRUE(answer.is_ok()) << answer.status().to_string();
      if (!answer.is_ok()) return channel;
      const std::vector<ServerState> states = channel->servers();
      if (states.size() == servers_.size() && std::all_of(states.begin(), states.end(), is_ready)) return channel;
    }
  }

 private:
  std::vector<std::unique_ptr<Server>> servers_;
  std::string target_;
};

TEST_P(FleetKeys, KeepCallsAtOnceOnOneServer) {
  const std::unique_ptr<Channel> channel = connect();
  std::set<std::string> all;

  for (int i = 0; i < 100; ++i) {
    const std::string key = "key " + std::to_string(i);
    std::vector<std::future<Result<std::string>>> calls;
    for (int call = 0; call < 8; ++call) {
      calls.push_back(channel->submit<std::string>(channel->method("Name"), std::string("x"), {.routing_key = key}));
    }
    std::set<std::string> names;
    for (auto& call : calls) names.insert(call.get().value());
    EXPECT_EQ(names.size(), 1u) << key << " went to " << *names.begin() << " and others";
    all.insert(names.begin(), names.end());
  }

  EXPECT_EQ(all, (std::set<std::string>{"a", "b", "c"}));
}

INSTANTIATE_TEST_SUITE_P(Protocols, FleetKeys, ::testing::Values("tcp", "grpc"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace

}  // namespace trunkline
