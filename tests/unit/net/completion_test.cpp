// SPDX-License-Identifier: MIT
// Completion: a handler is called in place if its executor is that of the running loop, and otherwise by its executor.
#include "net/loop.h"

#include <trunkline/detail/completion.h>

#include <gtest/gtest.h>

#include <asio/bind_executor.hpp>
#include <asio/strand.hpp>
#include <asio/thread_pool.hpp>

#include <stdexcept>
#include <string>
#include <thread>

namespace trunkline::call {
namespace {

/// Delivers to a handler bound to `executor`. True if it was called before that returned; `calls` counts all.
template <class Executor>
bool deliver(const Executor& executor, int& calls, bool is_initiating = false) {
  auto handler = asio::bind_executor(executor, [&calls](const std::string& text) {
    EXPECT_EQ(text, "value");
    ++calls;
  });
  const int before = calls;
  detail::Completion<decltype(handler)>(std::move(handler)).deliver(is_initiating, std::string("value"));
  return calls > before;
}

/// Runs a function as deferred work of a loop, outside of Asio's handlers.
class FollowUp {
 public:
  template <class Function>
  FollowUp(net::Loop& loop, Function function)
      : function_(std::move(function)), deferred_([](void* self) { static_cast<FollowUp*>(self)->function_(); }, this) {
    loop.post([this, &loop] { loop.defer(deferred_, net::DeferUntil::handler_returns); });
    while (loop.poll()) {
    }
  }

 private:
  std::function<void()> function_;
  net::DeferredTask deferred_;
};

TEST(CompletionTest, HandlersOfTheRunningLoopAreCalledInPlace) {
  net::Loop loop;
  int calls = 0;
  FollowUp(loop, [&] {
    EXPECT_TRUE(deliver(loop.context().get_executor(), calls));
    EXPECT_TRUE(deliver(asio::any_io_executor(loop.context().get_executor()), calls));
    const auto tracked = asio::prefer(loop.context().get_executor(), asio::execution::outstanding_work.tracked);
    EXPECT_TRUE(deliver(asio::any_io_executor(tracked), calls));
  });
  EXPECT_EQ(calls, 3);
}

TEST(CompletionTest, HandlersOfALoopThatIsNotRunningArePosted) {
  net::Loop loop;
  int calls = 0;
  EXPECT_FALSE(deliver(asio::any_io_executor(loop.context().get_executor()), calls));
  EXPECT_EQ(detail::running_context(), nullptr);
  loop.poll();
  EXPECT_EQ(calls, 1);
}

TEST(CompletionTest, HandlersOfAnotherLoopArePostedToIt) {
  net::Loop loop;
  net::Loop other;
  int calls = 0;
  FollowUp(loop, [&] { EXPECT_FALSE(deliver(asio::any_io_executor(other.context().get_executor()), calls)); });
  EXPECT_EQ(calls, 0);
  other.poll();
  EXPECT_EQ(calls, 1);
}

TEST(CompletionTest, TheInnermostOfNestedLoopsIsTheRunningOne) {
  net::Loop outer;
  net::Loop inner;
  int calls = 0;
  FollowUp(outer, [&] {
    FollowUp(inner, [&] {
      EXPECT_EQ(detail::running_context(), &inner.context());
      EXPECT_TRUE(deliver(inner.context().get_executor(), calls));
    });
    EXPECT_EQ(detail::running_context(), &outer.context());
    EXPECT_TRUE(deliver(outer.context().get_executor(), calls));
  });
  EXPECT_EQ(detail::running_context(), nullptr);
  EXPECT_EQ(calls, 2);
}

TEST(CompletionTest, ExecutorsWithOtherPropertiesKeepThem) {
  net::Loop loop;
  int calls = 0;
  const auto never = asio::require(loop.context().get_executor(), asio::execution::blocking.never);
  FollowUp(loop, [&] {
    EXPECT_FALSE(deliver(asio::any_io_executor(never), calls));
    EXPECT_FALSE(deliver(never, calls));
    EXPECT_FALSE(deliver(asio::any_io_executor(loop.context().get_executor()), calls, true)) << "initiating";
  });
  EXPECT_EQ(calls, 3);
}

TEST(CompletionTest, HandlersOfAStrandRunInTurn) {
  net::Loop loop;
  const auto strand = asio::make_strand(loop.context());
  int calls = 0;
  bool was_inside = false;
  FollowUp(loop, [&] {
    asio::post(strand, [&] { was_inside = deliver(asio::any_io_executor(strand), calls); });
    asio::post(strand, [&] { EXPECT_EQ(calls, 1); });
  });
  EXPECT_TRUE(was_inside) << "it runs in the strand already";
}

TEST(CompletionTest, HandlersOfAPoolRunThere) {
  net::Loop loop;
  asio::thread_pool pool(1);
  std::thread::id where;
  FollowUp(loop, [&] {
    auto handler = asio::bind_executor(pool, [&] { where = std::this_thread::get_id(); });
    detail::Completion<decltype(handler)>(std::move(handler)).deliver(false);
    pool.join();
  });
  EXPECT_NE(where, std::thread::id());
  EXPECT_NE(where, std::this_thread::get_id());
}

TEST(CompletionTest, AnExceptionOfAHandlerLeavesTheLoopAndTheNextHandlerRuns) {
  net::Loop loop;
  auto handler = asio::bind_executor(loop.context().get_executor(), [] { throw std::runtime_error("a handler's"); });
  EXPECT_THROW(FollowUp(loop, [&] { detail::Completion<decltype(handler)>(std::move(handler)).deliver(false); }),
               std::runtime_error);
  EXPECT_EQ(detail::running_context(), nullptr);
  int calls = 0;
  FollowUp(loop, [&] { EXPECT_TRUE(deliver(loop.context().get_executor(), calls)); });
}

}  // namespace
}  // namespace trunkline::call
