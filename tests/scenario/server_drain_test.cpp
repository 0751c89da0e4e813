// SPDX-License-Identifier: MIT
// A server that shuts down under load: accepted calls get a response, all others are known not to have run.
#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <gtest/gtest.h>
#include <asio/post.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace trunkline {

namespace {

constexpr std::size_t calls = 10000;
constexpr std::size_t clients = 4;

/// How each call ended, on both sides.
struct Ledger {
  std::vector<std::atomic<int>> runs = std::vector<std::atomic<int>>(calls);
  std::vector<std::atomic<int>> ends = std::vector<std::atomic<int>>(calls);
  std::vector<Status> statuses = std::vector<Status>(calls);
  std::atomic<std::size_t> started{0};
  std::atomic<bool> all_sent{false};
  std::atomic<std::size_t> ended{0};
  std::promise<void> all_ended;

  void end(std::size_t index, Status status) {
    statuses[index] = std::move(status);
    ++ends[index];
    if (++ended == calls) all_ended.set_value();
  }
};

/// How many connections to a port of this host are established, according to proc(5).
int established_to(std::uint16_t port) {
  char wanted[32];
  std::snprintf(wanted, sizeof wanted, "0100007F:%04X", static_cast<unsigned>(port));
  std::ifstream table("/proc/net/tcp");
  int count = 0;
  for (std::string line; std::getline(table, line);) {
    std::istringstream fields(line);
    std::string slot, local, remote, state;
    fields >> slot >> local >> remote >> state;
    if (local == wanted && state == "01") ++count;
  }
  return count;
}

/// Connections that only the kernel has accepted when the drain begins.
class ServerDrainQueue : public ::testing::Test {
 protected:
  static constexpr int callers = 4;

  ServerDrainQueue() {
    options.transport.reuse_port = true;
    server.emplace(loop, options);
    handle_echo(*server);
    endpoint = server->listen("tcp://127.0.0.1:0").to_string();
    EXPECT_TRUE(server->start().is_ok());
  }

  void handle_echo(Server& of) {
    of.handle<std::string, std::string>("Echo",
                                        [this](const std::string& text, ServerContext&) { return ++runs, text; });
  }
  /// Nothing runs the server's loop meanwhile.
  void begin_calls() {
    for (int i = 0; i < callers; ++i) {
      results.push_back(std::async(std::launch::async, [this] {
        Channel channel(endpoint);
        return channel.call<std::string>("Echo", std::string("x"), {.timeout = std::chrono::minutes(2)});
      }));
    }
    const auto port = static_cast<std::uint16_t>(std::stoi(endpoint.substr(endpoint.rfind(':') + 1)));
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (established_to(port) < callers && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
  }
  Status drain() {
    std::optional<Status> drained;
    server->async_shutdown(std::chrono::minutes(1), [&](Status status) {
      drained = std::move(status);
      loop.stop();
    });
    loop.run();
    return drained.value_or(Status(StatusCode::unknown, "not drained"));
  }

  ServerOptions options;
  EventLoop loop;
  std::atomic<int> runs{0};
  std::optional<Server> server;
  std::string endpoint;
  std::vector<std::future<Result<std::string>>> results;
};

TEST_F(ServerDrainQueue, TheirCallsAreServedOrKnownNotToHaveRun) {
  begin_calls();

  const Status drained = drain();

  EXPECT_TRUE(drained.is_ok()) << drained.to_string();
  int with_response = 0;
  for (auto& result : results) {
    const Result<std::string> told = result.get();
    if (told.is_ok()) ++with_response;
    EXPECT_TRUE(told.is_ok() || !told.status().may_have_run()) << told.status().to_string();
  }
  EXPECT_EQ(with_response, runs);
  EXPECT_EQ(server->totals().connections_accepted, 4u);
}

TEST_F(ServerDrainQueue, TheirCallsAreServedByTheServerThatTakesOver) {
  begin_calls();
  Server next(options);
  handle_echo(next);
  next.listen(endpoint);
  ASSERT_TRUE(next.start().is_ok());

  const Status drained = drain();

  EXPECT_TRUE(drained.is_ok()) << drained.to_string();
  for (auto& result : results) {
    const Result<std::string> told = result.get();
    EXPECT_EQ(told.value_or(""), "x") << told.status().to_string();
  }
  EXPECT_EQ(runs, callers);
  EXPECT_EQ(server->totals().connections_accepted, 4u);
}

class ServerDrain : public ::testing::TestWithParam<const char*> {};

TEST_P(ServerDrain, LosesNoAcceptedCallAndRunsNoneTwice) {
  Ledger ledger;
  std::promise<Status> drained;
  ServerOptions options;
  options.loops = 2;
  Server server(options);
  server.handle<std::string, std::string>(
      "Work", [&](const std::string& request, ServerContext& context) -> asio::awaitable<std::string> {
        ++ledger.runs[std::stoul(request)];
        if (++ledger.started == calls / 4) {
          // The handler holds up this loop, so that the drain begins before the loop has read all calls.
          while (!ledger.all_sent) std::this_thread::yield();
          server.async_shutdown(std::chrono::minutes(2), [&](Status status) { drained.set_value(std::move(status)); });
        }
        for (int hop = 0; hop < 20; ++hop) co_await asio::post(context.executor(), asio::use_awaitable);
        co_return request;
      });
  const Endpoint endpoint = server.listen(GetParam());
  ASSERT_TRUE(server.start().is_ok());
  std::vector<std::unique_ptr<Channel>> channels;
  for (std::size_t i = 0; i < clients; ++i) {
    ChannelOptions channel_options;
    channel_options.max_retries = 0;
    channels.push_back(std::make_unique<Channel>(endpoint.to_string(), channel_options));
    ASSERT_TRUE(channels.back()->wait_for_ready(std::chrono::minutes(1)).is_ok());
  }

  for (std::size_t i = 0; i < calls; ++i) {
    Channel& channel = *channels[i % clients];
    channel.async_call<std::string>(
        channel.method("Work"), std::to_string(i), {}, [&ledger, i](Result<std::string> answer) {
          const bool right = !answer.is_ok() || *answer == std::to_string(i);
          ledger.end(i, right ? answer.status() : Status(StatusCode::data_loss, "wrong answer"));
        });
  }
  ledger.all_sent = true;
  ledger.all_ended.get_future().wait();
  const Status shutdown = drained.get_future().get();
  server.stop();

  EXPECT_TRUE(shutdown.is_ok()) << shutdown.to_string();
  std::size_t with_response = 0;
  for (std::size_t i = 0; i < calls; ++i) {
    ASSERT_EQ(ledger.ends[i], 1) << "call " << i;
    if (ledger.statuses[i].is_ok()) {
      ++with_response;
      ASSERT_EQ(ledger.runs[i], 1) << "call " << i;
    } else {
      ASSERT_EQ(ledger.runs[i], 0) << "call " << i << " ran, and ended with " << ledger.statuses[i].to_string();
      ASSERT_FALSE(ledger.statuses[i].may_have_run()) << "call " << i << ": " << ledger.statuses[i].to_string();
    }
  }
  EXPECT_GE(with_response, calls / 4);
  EXPECT_LT(with_response, calls) << "no call was refused, so the test proves little";
  EXPECT_EQ(with_response, ledger.started);
  EXPECT_EQ(server.totals().calls_ok, with_response);
  EXPECT_EQ(server.totals().open_calls, 0u);
}

INSTANTIATE_TEST_SUITE_P(Transports, ServerDrain, ::testing::Values("inproc://server-drain", "tcp://127.0.0.1:0"),
                         [](const auto& given) {
                           return std::string(given.param).substr(0, 3) == "tcp" ? "tcp" : "inproc";
                         });

}  // namespace

}  // namespace trunkline
