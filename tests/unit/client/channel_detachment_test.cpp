// SPDX-License-Identifier: MIT
// Handlers, streams and other threads during and after the destruction of a channel with a loop of its own.
#include "unit/client/own_loop.h"

#include <asio/bind_executor.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <thread>

namespace trunkline::client {

namespace {

using ChannelDetachment = OwnLoop;

TEST_F(ChannelDetachment, InAHandlerEachOperationCompletesOnTheThreadThatBeganIt) {
  for (int round = 0; round < 50; ++round) {
    auto channel = make();
    TextStream first = channel->stream<Text, Text>("Talk");
    TextStream second = channel->stream<Text, Text>("Talk");
    second.cancel();
    std::atomic<bool> go{false};
    std::atomic<bool> stop{false};
    std::atomic<long> begun{0};
    std::atomic<long> ended{0};
    std::vector<std::thread> users;
    for (int i = 0; i < 2; ++i) {
      users.emplace_back([&] {
        while (!go) std::this_thread::yield();
        while (!stop) {
          ++begun;
          second.async_finish([&](const Status&) { ++ended; });
        }
      });
    }
    std::promise<void> over;
    first.async_finish([&](const Status&) {
      channel.reset();
      go = true;
      while (begun < 100) std::this_thread::yield();
      over.set_value();
    });

    first.cancel();

    over.get_future().get();
    stop = true;
    for (std::thread& user : users) user.join();
    ASSERT_EQ(begun, ended);
  }
}

TEST_F(ChannelDetachment, HandlersRunOnTheThreadThatBeganTheOperation) {
  auto channel = make();
  TextStream first = channel->stream<Text, Text>("Talk");
  TextStream second = channel->stream<Text, Text>("Talk");
  channel.reset();
  std::atomic<int> elsewhere{0};
  const auto use = [&](TextStream& stream) {
    for (int i = 0; i < 5000; ++i) {
      const auto here = std::this_thread::get_id();
      bool ended = false;
      stream.async_finish([&](const Status&) {
        ended = true;
        if (std::this_thread::get_id() != here) ++elsewhere;
      });
      if (!ended) ++elsewhere;
    }
  };

  std::thread other([&] { use(second); });
  use(first);
  other.join();

  EXPECT_EQ(elsewhere, 0);
}

TEST_F(ChannelDetachment, HandlersWithAnExecutorAreNotCalledInsideTheInitiatingFunction) {
  auto channel = make();
  TextStream stream = channel->stream<Text, Text>("Talk");
  channel.reset();
  asio::io_context context;
  bool inside = false;
  bool called = false;
  bool called_inside = false;
  int rounds = 0;

  asio::post(context, [&] {
    inside = true;
    stream.async_finish(asio::bind_executor(context, [&](const Status&) {
      called = true;
      called_inside = inside;
    }));
    inside = false;
  });
  asio::co_spawn(
      context,
      [&]() -> asio::awaitable<void> {
        for (; rounds < 20000; ++rounds) static_cast<void>(co_await stream.async_finish(asio::use_awaitable));
      },
      asio::detached);
  context.run();

  EXPECT_TRUE(called);
  EXPECT_FALSE(called_inside);
  EXPECT_EQ(rounds, 20000) << "the stack did not overflow";
}

TEST_F(ChannelDetachment, CallsThatHandlersBeginInTheMeantimeEnd) {
  for (int round = 0; round < 50; ++round) {
    auto channel = make();
    const auto executor = channel->executor();
    int begun = 0;
    int ended = 0;
    const std::function<void(int)> attempt = [&, raw = channel.get()](int left) {
      ++begun;
      raw->async_call<Text>("Echo", Text("x"), [&, left](const Result<Text>& result) {
        ++ended;
        if (!result && left > 0) asio::post(executor, [&, left] { attempt(left - 1); });
      });
    };
    std::promise<void> started;
    asio::post(executor, [&] {
      for (int i = 0; i < 20; ++i) attempt(3);
      started.set_value();
    });
    started.get_future().get();

    channel.reset();

    ASSERT_EQ(begun, 80);
    ASSERT_EQ(ended, 80);
  }
}

/// Work that posts itself again whenever it runs.
struct EndlessWork {
  static void post(const std::shared_ptr<EndlessWork>& self) {
    asio::post(self->executor, [self] {
      if (self->is_gone) ++self->runs_after;
      post(self);
    });
  }
  asio::any_io_executor executor;
  std::atomic<bool> is_gone{false};
  std::atomic<int> runs_after{0};
};

/// Begins a call, posts itself again and throws whenever it runs. Begins another call when it is destroyed.
struct UnrulyWork {
  ~UnrulyWork() { begin(); }
  static void post(const std::shared_ptr<UnrulyWork>& self) {
    asio::post(self->executor, [self] {
      post(self);
      self->begin();
      throw std::runtime_error("against its contract");
    });
  }
  void begin() {
    ++begun;
    channel.async_call<Text>("Echo", Text("x"), [&count = ended](const Result<Text>&) { ++count; });
  }

  Channel& channel;
  int& begun;
  int& ended;
  asio::any_io_executor executor = channel.executor();
};

TEST_F(ChannelDetachment, CallsEndAlsoIfTheCodeThatBeganThemThrowsOrIsDropped) {
  auto channel = make();
  int begun = 0;
  int ended = 0;
  UnrulyWork::post(std::shared_ptr<UnrulyWork>(new UnrulyWork{*channel, begun, ended}));

  channel.reset();

  EXPECT_GT(begun, 1);
  EXPECT_EQ(ended, begun);
}

TEST_F(ChannelDetachment, OnItsOwnThreadRunsNoFurtherHandlers) {
  auto channel = make();
  const std::shared_ptr<EndlessWork> work(new EndlessWork{channel->executor()});
  std::promise<void> gone;

  asio::post(work->executor, [&, work] {
    EndlessWork::post(work);
    channel.reset();
    work->is_gone = true;
    gone.set_value();
  });

  gone.get_future().get();
  const auto until = std::chrono::steady_clock::now() + too_long;
  while ((!core.expired() || work.use_count() > 1) && std::chrono::steady_clock::now() < until)
    std::this_thread::yield();
  EXPECT_TRUE(core.expired());
  EXPECT_EQ(work.use_count(), 1);
  EXPECT_EQ(work->runs_after, 0);
}

TEST_F(ChannelDetachment, HandlersOfManyCallsMayBlockInACall) {
  constexpr int count = 20000;
  auto channel = make();
  int ended = 0;
  Status nested;
  for (int i = 0; i < count; ++i) {
    channel->async_call<Text>("Echo", Text("x"), [&, i, raw = channel.get()](const Result<Text>&) {
      ++ended;
      if (i == count - 10) nested = raw->call<Text>("Echo", Text("y")).status();
    });
  }

  channel.reset();

  EXPECT_EQ(ended, count);
  EXPECT_EQ(nested.code(), StatusCode::failed_precondition) << nested.to_string();
}

}  // namespace

}  // namespace trunkline::client
