// SPDX-License-Identifier: MIT
// AsyncEvent: each set() ends one wait, whichever comes first.
#include "service/async_event.h"

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/use_awaitable.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <exception>
#include <thread>

namespace trunkline::service {

namespace {

class AsyncEventTest : public ::testing::Test {
 protected:
  /// Counts how often a wait ends.
  void listen() {
    asio::co_spawn(
        context_,
        [this]() -> asio::awaitable<void> {
          while (true) {
            co_await event_->wait();
            ++heard_;
          }
        },
        asio::bind_cancellation_slot(signal_.slot(), [this](const std::exception_ptr& error) { ended_ = error; }));
  }

  asio::io_context context_;
  asio::cancellation_signal signal_;
  std::shared_ptr<AsyncEvent> event_ = std::make_shared<AsyncEvent>(context_.get_executor());
  int heard_ = 0;
  std::exception_ptr ended_;
};

TEST_F(AsyncEventTest, EndsAWait) {
  listen();
  context_.poll();
  EXPECT_EQ(heard_, 0);

  event_->set();
  context_.poll();

  EXPECT_EQ(heard_, 1);
}

TEST_F(AsyncEventTest, EndsAWaitThatBeginsLater) {
  event_->set();
  event_->set();
  context_.poll();
  listen();

  context_.restart();
  context_.poll();

  EXPECT_EQ(heard_, 1);
}

TEST_F(AsyncEventTest, EndsAWaitAtItsTime) {
  bool is_over = false;
  asio::co_spawn(
      context_,
      [&]() -> asio::awaitable<void> {
        co_await event_->wait(std::chrono::steady_clock::now());
        is_over = true;
      },
      asio::detached);

  context_.run();

  EXPECT_TRUE(is_over);
}

TEST_F(AsyncEventTest, CancellationThrows) {
  listen();
  context_.poll();

  signal_.emit(asio::cancellation_type::terminal);
  context_.poll();

  EXPECT_NE(ended_, nullptr);
  EXPECT_EQ(heard_, 0);
}

TEST_F(AsyncEventTest, IsSetByAnyThread) {
  std::atomic<int> rung = 0;
  int seen = 0;
  asio::co_spawn(
      context_,
      [&]() -> asio::awaitable<void> {
        while (seen < 2000) {
          co_await event_->wait();
          seen = rung;
        }
      },
      asio::detached);
  std::thread ringer([&] {
    for (int i = 0; i < 2000; ++i) {
      ++rung;
      event_->set();
    }
  });

  context_.run();
  ringer.join();

  EXPECT_EQ(seen, 2000);
}

}  // namespace

}  // namespace trunkline::service
