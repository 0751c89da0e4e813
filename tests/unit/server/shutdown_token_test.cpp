// SPDX-License-Identifier: MIT
// Where the completion handler of async_shutdown() runs, by kind of completion token.
#include <trunkline/server.h>

#include <gtest/gtest.h>

#include <asio/bind_executor.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/use_future.hpp>

#include <functional>
#include <future>
#include <thread>
#include <vector>

namespace trunkline {

namespace {

constexpr std::chrono::seconds timeout{30};

class ShutdownToken : public ::testing::Test {
 protected:
  void SetUp() override {
    server_.listen("inproc://shutdown-token");
    ASSERT_TRUE(server_.start().is_ok());
  }
  Server server_;
};

TEST_F(ShutdownToken, MayBeAFuture) {
  EXPECT_TRUE(server_.async_shutdown(timeout, asio::use_future).get().is_ok());
  EXPECT_TRUE(server_.async_shutdown(timeout, asio::use_future).get().is_ok()) << "once it is over";
  server_.stop();
  EXPECT_TRUE(server_.async_shutdown(timeout, asio::use_future).get().is_ok()) << "once the server is stopped";
}

TEST_F(ShutdownToken, MayBeAFunctionOrNone) {
  std::promise<Status> reported;
  const std::function<void(Status)> done = [&reported](Status status) { reported.set_value(std::move(status)); };

  server_.async_shutdown(timeout, nullptr);
  server_.async_shutdown(timeout, std::function<void(Status)>());
  server_.async_shutdown(timeout, done);

  EXPECT_TRUE(reported.get_future().get().is_ok());
}

TEST_F(ShutdownToken, RunsOnTheExecutorOfItsHandler) {
  asio::io_context mine;
  std::vector<std::thread::id> reported_on;
  const auto reported = [&reported_on](const Status&) { reported_on.push_back(std::this_thread::get_id()); };

  server_.async_shutdown(timeout, asio::bind_executor(mine.get_executor(), reported));
  mine.run();
  server_.stop();
  server_.async_shutdown(timeout, asio::bind_executor(mine.get_executor(), reported));
  const std::size_t reported_inside = reported_on.size();
  mine.restart();
  mine.run();

  EXPECT_EQ(reported_on, std::vector<std::thread::id>(2, std::this_thread::get_id()));
  EXPECT_EQ(reported_inside, 1u);
}

TEST_F(ShutdownToken, MayBeACoroutine) {
  asio::io_context mine;
  std::vector<Status> reported;

  asio::co_spawn(
      mine,
      [&]() -> asio::awaitable<void> {
        reported.push_back(co_await server_.async_shutdown(timeout, asio::use_awaitable));
        reported.push_back(co_await server_.async_shutdown(timeout, asio::use_awaitable));
        server_.stop();
        reported.push_back(co_await server_.async_shutdown(timeout, asio::use_awaitable));
      },
      asio::detached);
  mine.run();

  ASSERT_EQ(reported.size(), 3u);
  for (const Status& status : reported) EXPECT_TRUE(status.is_ok()) << status.to_string();
}

}  // namespace

}  // namespace trunkline
