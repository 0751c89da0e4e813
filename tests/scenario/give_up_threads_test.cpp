// SPDX-License-Identifier: MIT
// Reads that are given up on threads of their own, while the loops of the channel and the server run on others.
#include <trunkline/channel.h>
#include <trunkline/plain.h>
#include <trunkline/server.h>

#include <gtest/gtest.h>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/experimental/awaitable_operators.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

namespace trunkline::scenario {

namespace {

using namespace asio::experimental::awaitable_operators;
using asio::use_awaitable;

constexpr int streams = 4;
constexpr int messages = 300;

class GiveUpThreads : public testing::TestWithParam<const char*> {
 protected:
  GiveUpThreads() {
    server.handle_stream<int, int>(
        "Count", [this](ServerStream<int, int>& stream, ServerContext&) { return read_impatiently(stream); });
    server.handle_stream<int, int>(
        "Tell", [this](ServerStream<int, int>& stream, ServerContext&) -> asio::awaitable<Status> {
          co_await until_one_is_given_up();
          for (int i = 0; i < messages; ++i)
            if (Status status = co_await stream.async_write(i, use_awaitable); !status.is_ok()) co_return status;
          co_return Status();
        });
    const Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
    EXPECT_TRUE(server.start().is_ok());
    target = GetParam() + endpoint.to_string().substr(3);
  }
  /// Runs `work` for each stream, on two threads of the test's own.
  template <class Work>
  void run(Work work) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 2; ++thread) {
      threads.emplace_back([&work] {
        asio::io_context context;
        for (int i = 0; i < streams / 2; ++i) asio::co_spawn(context, work(), asio::detached);
        context.run();
      });
    }
    for (std::thread& thread : threads) thread.join();
  }

  /// Waits until some read has been given up, because nothing is sent before.
  asio::awaitable<void> until_one_is_given_up() {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    while (given_up == 0) {
      timer.expires_after(std::chrono::milliseconds(1));
      co_await timer.async_wait(use_awaitable);
    }
  }

  /// Reads until the end of the stream, and gives up each read that takes longer than a moment.
  template <class Stream>
  asio::awaitable<Status> read_impatiently(Stream& stream) {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    for (int next = 0;;) {
      timer.expires_after(std::chrono::microseconds(50));
      auto first = co_await (stream.async_read(use_awaitable) || timer.async_wait(use_awaitable));
      if (first.index() == 1) {
        ++given_up;
        continue;
      }
      Result<std::optional<int>>& message = std::get<0>(first);
      if (!message.is_ok()) co_return message.status();
      if (!message->has_value()) break;
      if (**message != next++) ++out_of_order;
      ++read;
    }
    ++ends;
    co_return Status();
  }

  std::atomic<int> read = 0;
  std::atomic<int> given_up = 0;
  std::atomic<int> out_of_order = 0;
  std::atomic<int> ends = 0;
  Server server;
  std::string target;
};

TEST_P(GiveUpThreads, AHandlerLosesNoMessage) {
  Channel channel(target);
  std::atomic<int> ended = 0;

  run([&]() -> asio::awaitable<void> {
    ClientStream<int, int> stream = channel.stream<int, int>("Count");
    co_await until_one_is_given_up();
    for (int i = 0; i < messages; ++i) EXPECT_TRUE((co_await stream.async_write(i, use_awaitable)).is_ok());
    EXPECT_TRUE((co_await stream.async_close_writes(use_awaitable)).is_ok());
    EXPECT_TRUE((co_await stream.async_finish(use_awaitable)).is_ok());
    ++ended;
  });

  EXPECT_EQ(ended, streams);
  EXPECT_EQ(read, streams * messages);
  EXPECT_EQ(out_of_order, 0);
  EXPECT_EQ(ends, streams);
}

TEST_P(GiveUpThreads, AClientLosesNoMessage) {
  Channel channel(target);

  run([&]() -> asio::awaitable<void> {
    ClientStream<int, int> stream = channel.stream<int, int>("Tell");
    EXPECT_TRUE((co_await stream.async_close_writes(use_awaitable)).is_ok());
    EXPECT_TRUE((co_await read_impatiently(stream)).is_ok());
    EXPECT_TRUE((co_await stream.async_finish(use_awaitable)).is_ok());
  });

  EXPECT_EQ(read, streams * messages);
  EXPECT_EQ(out_of_order, 0);
  EXPECT_EQ(ends, streams);
}

INSTANTIATE_TEST_SUITE_P(Protocols, GiveUpThreads, testing::Values("tcp", "grpc"),
                         [](const auto& of) { return std::string(of.param); });

}  // namespace

}  // namespace trunkline::scenario
