// SPDX-License-Identifier: MIT
// Loop: work that is deferred until a handler returns, and how a nested run goes on with it.
#include "net/loop.h"

#include <gmock/gmock.h>
#include <asio/post.hpp>
#include <asio/steady_timer.hpp>

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace trunkline::net {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class LoopDeferral : public testing::Test {
 protected:
  struct Step {
    explicit Step(std::function<void()> what) : work(std::move(what)) {}
    std::function<void()> work;
    DeferredTask deferred{[](void* self) { static_cast<Step*>(self)->work(); }, this};
  };

  Step step(const std::string& name) {
    return Step([this, name] { order_.push_back(name); });
  }
  void poll() {
    while (loop_.poll()) {
    }
  }

  Loop loop_;
  std::vector<std::string> order_;
};

TEST_F(LoopDeferral, WorkAfterAHandlerRunsBeforeTheNextHandler) {
  Step last = step("last");
  Step first = step("first");
  asio::post(loop_.context(), [&] {
    loop_.defer(last.deferred, DeferUntil::before_poll);
    loop_.defer(first.deferred, DeferUntil::handler_returns);
  });
  asio::post(loop_.context(), [&] { order_.push_back("handler"); });

  poll();

  EXPECT_THAT(order_, ElementsAre("first", "last", "handler"));
}

TEST_F(LoopDeferral, WhatThatWorkDefersRunsBeforeThePoll) {
  Step second = step("second");
  Step last = step("last");
  Step first([&] {
    order_.push_back("first");
    loop_.defer(second.deferred);
  });
  asio::post(loop_.context(), [&] {
    loop_.defer(first.deferred, DeferUntil::handler_returns);
    loop_.defer(last.deferred, DeferUntil::before_poll);
  });
  asio::post(loop_.context(), [&] { order_.push_back("handler"); });

  poll();

  EXPECT_THAT(order_, ElementsAre("first", "second", "last", "handler"));
}

TEST_F(LoopDeferral, AChainOfWorkAlternatesWithHandlers) {
  int runs = 0;
  bool has_handler_run = false;
  Step again([&] {
    ++runs;
    if (!has_handler_run) loop_.defer(again.deferred, DeferUntil::handler_returns);
  });
  asio::post(loop_.context(), [&] { loop_.defer(again.deferred, DeferUntil::handler_returns); });
  asio::post(loop_.context(), [&] { has_handler_run = true; });

  poll();

  EXPECT_TRUE(has_handler_run);
  EXPECT_GE(runs, 2);
}

TEST_F(LoopDeferral, GoesOnBehindWorkThatThrew) {
  Step throwing([] { throw std::runtime_error("from the user"); });
  Step next = step("next");
  Step last = step("last");
  asio::post(loop_.context(), [&] {
    loop_.defer(throwing.deferred, DeferUntil::handler_returns);
    loop_.defer(next.deferred, DeferUntil::handler_returns);
    loop_.defer(last.deferred, DeferUntil::before_poll);
  });

  EXPECT_THROW(poll(), std::runtime_error);
  poll();

  EXPECT_THAT(order_, ElementsAre("next", "last"));
}

TEST_F(LoopDeferral, ANestedRunGoesOnWithTheWork) {
  Step next = step("next");
  Step last = step("last");
  Step nesting([&] {
    order_.push_back("begins");
    EXPECT_TRUE(loop_.run_until([&] { return order_.size() == 3; }, loop_.now() + 10s));
    order_.push_back("ends");
  });
  asio::post(loop_.context(), [&] {
    loop_.defer(nesting.deferred, DeferUntil::handler_returns);
    loop_.defer(next.deferred, DeferUntil::handler_returns);
    loop_.defer(last.deferred, DeferUntil::before_poll);
  });

  poll();

  EXPECT_THAT(order_, ElementsAre("begins", "next", "last", "ends"));
}

TEST(NestedRun, RunsWhatItsOwnTimersDefer) {
  Loop loop;
  struct Later {
    Loop& loop;
    bool done = false;
    DeferredTask deferred{[](void* self) { static_cast<Later*>(self)->done = true; }, this};
  } later{.loop = loop};
  base::Timer timer(
      [](base::Timer&, void* self, base::TimePoint) {
        auto& waiting = *static_cast<Later*>(self);
        waiting.loop.defer(waiting.deferred);
      },
      &later);
  bool was_served = false;
  asio::post(loop.context(), [&] {
    loop.timers().schedule(timer, loop.now() + 1ms);
    was_served = loop.run_until([&] { return later.done; }, loop.now() + 10s);
    loop.stop();
  });

  loop.run();

  EXPECT_TRUE(was_served);
}

TEST(NestedRun, RunsWhatItsOwnTimersPost) {
  Loop loop;
  bool done = false;
  struct Posting {
    Loop& loop;
    bool& done;
  } posting{loop, done};
  base::Timer timer(
      [](base::Timer&, void* self, base::TimePoint) {
        auto& from = *static_cast<Posting*>(self);
        from.loop.post([&from] { from.done = true; });
      },
      &posting);
  bool was_served = false;
  asio::post(loop.context(), [&] {
    loop.timers().schedule(timer, loop.now() + 1ms);
    was_served = loop.run_until([&] { return done; }, loop.now() + 10s);
    loop.stop();
  });

  loop.run();

  EXPECT_TRUE(was_served);
}

TEST(NestedRun, RunsHoweverMuchIsPostedInIt) {
  Loop loop;
  int runs = 0;
  std::function<void()> again = [&] {
    if (++runs < 1000) asio::post(loop.context(), again);
  };
  struct Later {
    Loop& loop;
    int left = 1000;
    DeferredTask deferred{[](void* self) {
                            auto& waiting = *static_cast<Later*>(self);
                            if (--waiting.left > 0) waiting.loop.defer(waiting.deferred);
                          },
                          this};
  } later{.loop = loop};
  bool was_served = false;
  asio::post(loop.context(), [&] {
    asio::post(loop.context(), again);
    loop.defer(later.deferred);
    was_served = loop.run_until([&] { return runs == 1000 && later.left == 0; }, loop.now() + 10s);
    loop.stop();
  });

  loop.run();

  EXPECT_TRUE(was_served);
}

TEST(Loop, KnowsWhetherItWasIdle) {
  Loop loop;
  bool after_a_wait = false;
  bool after_work = true;
  base::Duration length = 1ms;
  asio::steady_timer timer(loop.context());
  std::function<void()> wait = [&] {
    timer.expires_after(length);
    timer.async_wait([&](const std::error_code&) {
      after_a_wait = loop.was_idle();
      // A busy machine may let the time pass before the loop waits for it.
      if (!after_a_wait && length < 10s) return length *= 2, wait();
      asio::post(loop.context(), [&] {
        after_work = loop.was_idle();
        loop.stop();
      });
    });
  };
  wait();

  loop.run();

  EXPECT_TRUE(after_a_wait);
  EXPECT_FALSE(after_work);
}

}  // namespace
}  // namespace trunkline::net
