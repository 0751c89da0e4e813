// SPDX-License-Identifier: MIT
// Servers that stop and start again on the same endpoint while calls are made.
#include "kit/held_port.h"
#include "scenario/both_ends.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace trunkline::scenario {

namespace {

class ClientReconnect : public BothEnds {
 protected:
  /// A server that responds with its number.
  void start_generation(int number) {
    server().handle<std::string, std::string>(
        "Who", [number](const std::string&, ServerContext&) { return std::to_string(number); });
  }
};

TEST_F(ClientReconnect, WithoutAServerACallFailsFastOrWaitsForReady) {
  const auto fail_fast = begin("Who", "x");
  const auto ready = begin("Who", "x", {.wait_for_ready = true});
  const ChannelState without = channel().state();
  const int ready_early = ready->count;
  start_generation(1);
  advance(100ms);
  const ChannelState with = channel().state();

  EXPECT_EQ(fail_fast->status().code(), StatusCode::unavailable);
  EXPECT_THAT(std::string(fail_fast->status().message()), HasSubstr("both-ends"));
  EXPECT_EQ(fail_fast->status().origin(), StatusOrigin::transport);
  EXPECT_FALSE(fail_fast->status().may_have_run());
  EXPECT_EQ(without, ChannelState::failing);
  EXPECT_EQ(ready_early, 0);
  EXPECT_EQ(ready->text(), "1");
  EXPECT_EQ(with, ChannelState::ready);
}

TEST_F(ClientReconnect, TheNextCallGoesToTheServerThatRunsNow) {
  start_generation(1);
  const auto first = begin("Who", "x");
  stop_server();
  start_generation(2);

  const auto second = begin("Who", "x");

  EXPECT_EQ(first->text(), "1");
  EXPECT_EQ(second->text(), "2");
  EXPECT_EQ(server().totals().connections_accepted, 1u);
}

TEST_F(ClientReconnect, AStopEndsOpenCallsWhichMayHaveRun) {
  Gate gate(loop());
  handle_waiting(gate);
  const auto open = begin("Wait", "x");

  stop_server();

  EXPECT_EQ(open->count, 1);
  EXPECT_EQ(open->status().code(), StatusCode::unavailable) << open->status().to_string();
  EXPECT_TRUE(open->status().may_have_run());
}

TEST_F(ClientReconnect, CallsThatWaitForReadyOutlastManyRestarts) {
  int responded = 0;

  for (int round = 0; round < 20; ++round) {
    const auto begun_without_server = begin("Who", "x", {.timeout = 1min, .wait_for_ready = true});
    start_generation(round);
    for (int i = 0; i < 400 && !begun_without_server->is_done(); ++i) advance(100ms);
    const auto begun_with_server = begin("Who", "x", {.timeout = 1min, .wait_for_ready = true});
    stop_server();

    ASSERT_EQ(begun_without_server->text(), std::to_string(round));
    ASSERT_EQ(begun_with_server->text(), std::to_string(round));
    responded += begun_without_server->count + begun_with_server->count;
  }

  EXPECT_EQ(responded, 40);
}

TEST_F(ClientReconnect, AConnectionThatIdlesIsClosedAndMadeAgain) {
  channel_options.idle_timeout = 10s;
  start_generation(1);
  begin("Who", "x");

  advance(11s);
  advance(11s);
  const std::uint64_t while_idle = server().totals().connections;
  const auto again = begin("Who", "x");

  EXPECT_EQ(while_idle, 0u);
  EXPECT_EQ(again->text(), "1");
  EXPECT_EQ(server().totals().connections_accepted, 2u);
}

TEST(ClientReconnectThreads, WaitForReadyReturnsWhetherTheServerRuns) {
  constexpr const char* address = "inproc://client-reconnect";
  ChannelOptions options;
  options.backoff.initial = 1ms;
  Channel channel(address, options);
  const ChannelState before = channel.state();

  const Status without = channel.wait_for_ready(20ms);
  Server server;
  server.listen(address);
  ASSERT_TRUE(server.start().is_ok());
  const Status with = channel.wait_for_ready(1min);

  EXPECT_EQ(before, ChannelState::idle);
  EXPECT_EQ(without.code(), StatusCode::deadline_exceeded);
  EXPECT_THAT(std::string(without.message()), HasSubstr(address));
  EXPECT_TRUE(with.is_ok()) << with.to_string();
  EXPECT_EQ(channel.state(), ChannelState::ready);
}

/// In real time, over sockets: every call must succeed, whenever it is made.
TEST(ClientReconnectThreads, IdempotentCallsSurviveRestartsOfTheServer) {
  constexpr int callers = 4;
  constexpr int calls_each = 300;
  constexpr int restarts = 10;
  std::atomic<int> responded{0};
  const auto make_server = [](const std::string& uri) {
    auto server = std::make_unique<Server>();
    server->handle<std::string, std::string>("Echo",
                                             [](const std::string& request, ServerContext&) { return request; });
    server->listen(uri);
    EXPECT_TRUE(server->start().is_ok());
    return server;
  };
  // Otherwise another program could get the port between two servers.
  const kit::HeldPort port;
  const std::string uri = port.uri();
  std::unique_ptr<Server> server = make_server(uri);
  ChannelOptions options;
  options.backoff.initial = 1ms;
  options.backoff.maximum = 1ms;
  options.max_retries = 100;
  Channel channel(uri, options);
  std::vector<std::string> failures(callers);
  std::vector<std::thread> threads;

  for (int caller = 0; caller < callers; ++caller) {
    threads.emplace_back([&, caller] {
      for (int i = 0; i < calls_each; ++i, ++responded) {
        const std::string request = std::to_string(caller) + "/" + std::to_string(i);
        const auto response = channel.call<std::string>("Echo", request, {.wait_for_ready = true, .idempotent = true});
        if (response.value_or("") != request) failures[caller] = request + ": " + response.status().to_string();
      }
    });
  }
  for (int restart = 1; restart <= restarts; ++restart) {
    while (responded < restart * callers * calls_each / (restarts + 1)) std::this_thread::yield();
    server.reset();
    server = make_server(uri);
  }
  for (std::thread& thread : threads) thread.join();

  for (const std::string& failure : failures) EXPECT_EQ(failure, "");
  EXPECT_EQ(responded, callers * calls_each);
  EXPECT_LT(server->totals().calls_ok, static_cast<std::uint64_t>(callers * calls_each))
      << "the restarts came too late";
}

}  // namespace

}  // namespace trunkline::scenario
