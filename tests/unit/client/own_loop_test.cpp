// SPDX-License-Identifier: MIT
// Channels with a loop of their own, and streams that outlive them on other threads.
#include "unit/client/own_loop.h"
#include "kit/refused_threads.h"

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/io_context.hpp>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/use_future.hpp>

#include <atomic>
#include <functional>
#include <stdexcept>
#include <thread>

namespace trunkline::client {

namespace {

TEST_F(OwnLoop, AStreamBeginsWithoutBeingReadOrWritten) {
  const auto channel = make();

  const auto stream = channel->stream<Text, Text>("Talk");

  EXPECT_EQ(asked.get_future().wait_for(too_long), std::future_status::ready);
}

TEST_F(OwnLoop, AWindowIsAbandonedBehindItsCallsThatTheLastLeaderHasNotBegun) {
  /// Fails the first call.
  struct Watch : Interceptor {
    Status on_start(CallInfo&) override {
      const int number = starts++;
      if (number == 1) before_second_call();
      return number == 0 ? Status(StatusCode::aborted, "the first") : Status();
    }
    void on_finish(CallInfo&, Status&) override { ++finishes; }
    std::function<void()> before_second_call;
    std::atomic<int> starts{0};
    std::atomic<int> finishes{0};
  };
  const auto watch = std::make_shared<Watch>();
  options.interceptors.push_back(watch);
  const auto channel = make();
  const std::shared_ptr<ChannelCore> parts = core.lock();
  BlockedCall leading;
  std::atomic<bool> leads{false};
  std::atomic<bool> hands_over{false};
  std::atomic<bool> has_left{false};
  std::thread leader([&] {
    parts->driver().drive(leading, [&] { leads = true; });
    has_left = true;
  });
  while (!leads) std::this_thread::yield();
  // The leader begins the first call only. The others stay in the loop's queue.
  watch->before_second_call = [&] {
    while (watch->finishes == 0) std::this_thread::yield();
    std::promise<void> is_inside;
    parts->loop().post([&] {
      is_inside.set_value();
      while (!hands_over) std::this_thread::yield();
      parts->driver().finish(leading);
    });
    is_inside.get_future().wait();
  };
  const std::vector<Text> requests{"a", "b", "c"};
  const auto sink = [&](std::size_t, const Result<Text>&) {
    hands_over = true;
    while (!has_left) std::this_thread::yield();
    throw std::runtime_error("enough");
  };

  EXPECT_THROW(channel->call_many<Text>("Echo", requests, 3, sink), std::runtime_error);
  leader.join();
  parts->loop().poll();

  EXPECT_EQ(watch->starts, 3);
  EXPECT_EQ(watch->finishes, 3);
  EXPECT_FALSE(parts->invoker().has_work_left()) << "a call of the window has begun after its end";
}

TEST_F(OwnLoop, AsynchronousOperationsThatRaceTheDestructorEnd) {
  for (int round = 0; round < 200; ++round) {
    auto channel = make();
    TextStream stream = channel->stream<Text, Text>("Talk");
    std::atomic<int> ended{0};
    std::thread user([&] {
      while (ended < 60) {
        std::promise<Status> outcome;
        stream.async_finish(into(outcome));
        stream.cancel();
        EXPECT_EQ(outcome.get_future().get().code(), StatusCode::cancelled);
        ++ended;
      }
    });

    while (ended < 1 + round % 40) std::this_thread::yield();
    channel.reset();
    user.join();
  }
}

TEST_F(OwnLoop, BlockingOperationsThatRaceTheDestructorEnd) {
  for (int round = 0; round < 200; ++round) {
    auto channel = make();
    TextStream stream = channel->stream<Text, Text>("Talk");
    stream.cancel();
    std::atomic<int> ended{0};
    std::thread user([&] {
      while (ended < 60) {
        EXPECT_EQ(stream.read().status().code(), StatusCode::cancelled);
        ++ended;
      }
    });

    while (ended < 1 + round % 40) std::this_thread::yield();
    channel.reset();
    user.join();
  }
}

TEST_F(OwnLoop, AHandlerAfterTheChannelMayWaitForAnotherThreadsOperation) {
  auto channel = make();
  TextStream stream = channel->stream<Text, Text>("Talk");
  TextStream other = channel->stream<Text, Text>("Talk");
  channel.reset();
  std::promise<Status> outcome;
  auto ended = outcome.get_future();
  std::future_status seen = std::future_status::timeout;

  std::promise<void> entered;
  std::thread second([&] {
    entered.get_future().get();
    other.async_finish(into(outcome));
  });
  stream.async_finish([&](const Status&) {
    entered.set_value();
    seen = ended.wait_for(too_long);
  });
  second.join();

  EXPECT_EQ(seen, std::future_status::ready);
}

TEST_F(OwnLoop, AHandlerThatThrowsAfterTheChannelIsLogged) {
  auto channel = make();
  TextStream stream = channel->stream<Text, Text>("Talk");
  channel.reset();

  stream.async_finish([](const Status&) { throw std::runtime_error("against its contract"); });

  ASSERT_EQ(log.size(), 1u);
  EXPECT_THAT(log[0], ::testing::HasSubstr("against its contract"));
}

asio::awaitable<void> hold_a_stream(Channel& channel, std::promise<void>& waits, std::shared_ptr<int>) {
  const TextStream stream = channel.stream<Text, Text>("Talk");
  asio::steady_timer timer(co_await asio::this_coro::executor, 1h);
  waits.set_value();
  co_await timer.async_wait(asio::use_awaitable);
}

TEST_F(OwnLoop, ACoroutineThatOwnsAStreamGoesWithTheChannel) {
  auto channel = make();
  auto held = std::make_shared<int>();
  std::promise<void> waits;
  asio::co_spawn(channel->executor(), hold_a_stream(*channel, waits, held), asio::detached);
  waits.get_future().get();

  channel.reset();

  EXPECT_EQ(held.use_count(), 1);
  EXPECT_TRUE(core.expired());
}

TEST_F(OwnLoop, ACoroutineThatOwnsAStreamGoesWithAChannelThatItsOwnThreadDestroys) {
  auto channel = make();
  auto held = std::make_shared<int>();
  std::promise<void> waits;
  asio::co_spawn(channel->executor(), hold_a_stream(*channel, waits, held), asio::detached);
  waits.get_future().get();

  std::promise<void> gone;
  asio::post(channel->executor(), [&] {
    channel.reset();
    gone.set_value();
  });
  gone.get_future().get();

  const auto until = std::chrono::steady_clock::now() + too_long;
  while (!core.expired() && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  EXPECT_TRUE(core.expired());
  EXPECT_EQ(held.use_count(), 1);
}

TEST_F(OwnLoop, CallsFailIfTheSystemRefusesAThread) {
  const auto channel = make();
  const kit::RefusedThreads refused;
  std::optional<Result<Text>> by_callback;
  Status by_coroutine;
  asio::io_context context;

  channel->async_call<Text>("Echo", Text("x"), {}, [&](Result<Text> result) { by_callback = std::move(result); });
  auto by_future = channel->submit<Text>("Echo", Text("x"));
  asio::co_spawn(
      context,
      [&]() -> asio::awaitable<void> {
        const Text text("x");
        by_coroutine = (co_await channel->async_call<Text>("Echo", text, {}, asio::use_awaitable)).status();
      },
      asio::detached);
  context.run();
  const Status one_way = channel->call_oneway("Echo", Text("x"));

  ASSERT_TRUE(by_callback);
  for (const Status& status : {by_callback->status(), by_future.get().status(), by_coroutine, one_way}) {
    EXPECT_EQ(status.code(), StatusCode::resource_exhausted);
    EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("call Echo: start thread: the system refuses one"));
    EXPECT_FALSE(status.may_have_run());
  }
  EXPECT_THROW(static_cast<void>(channel->executor()), StatusError);
}

TEST_F(OwnLoop, StreamsFailIfTheSystemRefusesAThread) {
  const auto channel = make();
  const kit::RefusedThreads refused;
  std::optional<Status> by_callback;
  Status by_coroutine;
  asio::io_context context;

  {
    TextStream stream = channel->stream<Text, Text>("Talk");
    stream.async_finish([&](Status status) { by_callback = std::move(status); });
    asio::co_spawn(
        context, [&]() -> asio::awaitable<void> { by_coroutine = co_await stream.async_finish(asio::use_awaitable); },
        asio::detached);
    context.run();
  }
  const Status ready = channel->wait_for_ready(0s);

  ASSERT_TRUE(by_callback);
  EXPECT_EQ(by_callback->code(), StatusCode::resource_exhausted);
  EXPECT_EQ(by_coroutine.code(), StatusCode::resource_exhausted);
  EXPECT_TRUE(by_callback->may_have_run()) << "it may have been sent before, by a thread that waits";
  EXPECT_EQ(ready.code(), StatusCode::deadline_exceeded);
}

TEST_F(OwnLoop, AnOperationThatWasRefusedCannotBeCancelled) {
  const auto channel = make();
  std::promise<Status> outcome;
  auto ended = outcome.get_future();
  asio::cancellation_signal signal;
  std::optional<TextStream> stream;
  {
    const kit::RefusedThreads refused;
    stream.emplace(channel->stream<Text, Text>("Talk"));
    stream->async_finish(asio::bind_cancellation_slot(signal.slot(), [&](const Status&) {
      signal.emit(asio::cancellation_type::terminal);
      static_cast<void>(channel->wait_for_ready(0s));  // runs the loop
    }));
  }

  stream->async_finish(into(outcome));
  static_cast<void>(channel->wait_for_ready(0s));

  EXPECT_EQ(ended.wait_for(0s), std::future_status::timeout) << "the stream is still there";
  stream->cancel();
  EXPECT_EQ(ended.get().code(), StatusCode::cancelled);
}

TEST_F(OwnLoop, IsAnIoObjectWithAnExecutor) {
  const auto channel = make();
  std::promise<void> ran;

  static_assert(std::is_same_v<Channel::executor_type, asio::any_io_executor>);
  const Channel::executor_type executor = channel->get_executor();
  asio::post(executor, [&] { ran.set_value(); });

  EXPECT_EQ(ran.get_future().wait_for(too_long), std::future_status::ready);
}

}  // namespace

}  // namespace trunkline::client
