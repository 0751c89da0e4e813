// SPDX-License-Identifier: MIT
// on_cancel() across threads: replacing or clearing a callback waits for one that runs.
#include "server/call_context.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

namespace trunkline::server {

namespace {

/// Calls cancel() on another thread and holds its callback until the test releases it.
class CancelCallback : public ::testing::Test {
 protected:
  ~CancelCallback() override {
    release();
    if (canceller_.joinable()) canceller_.join();
  }
  void cancel_elsewhere() {
    context_.on_cancel([this] {
      entered_.set_value();
      go_on_.get_future().wait();
      ended_ = true;
    });
    canceller_ = std::thread([this] { context_.cancel(); });
    entered_.get_future().wait();
  }
  void release() {
    if (!std::exchange(released_, true)) go_on_.set_value();
  }

  CallContext context_;
  std::promise<void> entered_;
  std::promise<void> go_on_;
  std::atomic<bool> ended_{false};
  bool released_ = false;
  std::thread canceller_;
};

TEST_F(CancelCallback, IsWaitedForWhenCleared) {
  cancel_elsewhere();
  std::atomic<bool> cleared{false};
  bool ended_before = false;

  std::thread clearing([&] {
    context_.on_cancel(nullptr);
    ended_before = ended_;
    cleared = true;
  });
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  const bool cleared_early = cleared;
  release();
  clearing.join();

  EXPECT_FALSE(cleared_early);
  EXPECT_TRUE(ended_before);
}

TEST_F(CancelCallback, IsWaitedForWhenTheHandlerReturns) {
  cancel_elsewhere();
  bool ended_before = false;

  std::thread returning([&] {
    context_.drop_callback();
    ended_before = ended_;
  });
  release();
  returning.join();

  EXPECT_TRUE(ended_before);
}

TEST_F(CancelCallback, IsNotCalledOnceTheHandlerHasReturned) {
  bool called = false;
  context_.on_cancel([&called] { called = true; });

  context_.drop_callback();
  context_.cancel();

  EXPECT_FALSE(called);
}

TEST_F(CancelCallback, MayReplaceItself) {
  int second = 0;
  context_.on_cancel([&] { context_.on_cancel([&second] { ++second; }); });

  context_.cancel();

  EXPECT_EQ(second, 1) << "the call is cancelled already, so the callback runs at once";
}

TEST_F(CancelCallback, LeavesNothingBehindWhenItThrows) {
  context_.on_cancel([] { throw std::runtime_error("callback"); });

  EXPECT_THROW(context_.cancel(), std::runtime_error);
  std::thread([this] { context_.on_cancel(nullptr); }).join();
}

}  // namespace

}  // namespace trunkline::server
