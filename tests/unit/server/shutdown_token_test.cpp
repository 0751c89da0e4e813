// SPDX-License-Identifier: MIT
// Who is told of the end of async_shutdown(), and where, by kind of completion token.
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
  std::promise<Status> told;
  const std::function<void(Status)> done = [&told](Status status) { told.set_value(std::move(status)); };

  server_.async_shutdown(timeout, nullptr);
  server_.async_shutdown(timeout, std::function<void(Status)>());
  server_.async_shutdown(timeout, done);

  EXPECT_TRUE(told.get_future().get().is_ok());
}

TEST_F(ShutdownToken, RunsOnTheExecutorOfItsHandler) {
  asio::io_context mine;
  std::vector<std::thread::id> told_on;
  const auto told = [&told_on](const Status&) { told_on.push_back(std::this_thread::get_id()); };

  server_.async_shutdown(timeout, asio::bind_executor(mine.get_executor(), told));
  mine.run();
  server_.stop();
  server_.async_shutdown(timeout, asio::bind_executor(mine.get_executor(), told));
  const std::size_t told_inside = told_on.size();
  mine.restart();
  mine.run();

  EXPECT_EQ(told_on, std::vector<std::thread::id>(2, std::this_thread::get_id()));
  EXPECT_EQ(told_inside, 1u);
}

TEST_F(ShutdownToken, MayBeACoroutine) {
  asio::io_context mine;
  std::vector<Status> told;

  asio::co_spawn(
      mine,
      [&]() -> asio::awaitable<void> {
        told.push_back(co_await server_.async_shutdown(timeout, asio::use_awaitable));
        told.push_back(co_await server_.async_shutdown(timeout, asio::use_awaitable));
        server_.stop();
        told.push_back(co_await server_.async_shutdown(timeout, asio::use_awaitable));
      },
      asio::detached);
  mine.run();

  ASSERT_EQ(told.size(), 3u);
  for (const Status& status : told) EXPECT_TRUE(status.is_ok()) << status.to_string();
}

}  // namespace

}  // namespace trunkline
