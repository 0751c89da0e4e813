// SPDX-License-Identifier: MIT
// Calls that certainly have not run: they are sent again on another connection, however they were begun, and at no
// charge.
#include "unit/client/client_fixture.h"

#include <asio/co_spawn.hpp>
#include <asio/detached.hpp>
#include <asio/post.hpp>
#include <asio/use_awaitable.hpp>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace trunkline::client {

namespace {

constexpr int all_calls = 5000;
constexpr int served_calls = 1000;

class Unprocessed : public ClientFixture {
 protected:
  Unprocessed() {
    begin_connected();
    int served = 0;
    network.server(0).on_call = [served](FakeServer& server, const ServedCall& call) mutable {
      if (++served > served_calls) return;
      echo(server, call);
      if (served == served_calls) server.drain();
    };
  }
  void begin_connected() { EXPECT_EQ(begin("connect")->text(), "re:connect"); }
  void start(const CallOptions& call_options = {}) {
    channel().async_call<std::string>("Echo", std::to_string(started_++), call_options,
                                      [this](const Result<std::string>& result) {
                                        if (result) {
                                          ++succeeded;
                                        } else {
                                          failed = result.status();
                                        }
                                      });
  }
  void start_all(const CallOptions& call_options = {}) {
    for (int i = 0; i < all_calls; ++i) start(call_options);
  }

  int succeeded = 0;
  Status failed;

 private:
  int started_ = 0;
};

TEST_F(Unprocessed, CallsOfTheLoopsThreadBeyondGoawayAreSentElsewhere) {
  on_loop([&] { start_all(); });

  EXPECT_EQ(succeeded, all_calls) << failed.to_string();
  EXPECT_EQ(network.servers.size(), 2u);
  EXPECT_EQ(network.server(1).calls.size(), std::size_t{all_calls - served_calls});
}

TEST_F(Unprocessed, CallsWithADeadlineToo) {
  on_loop([&] { start_all({.timeout = 10s}); });

  EXPECT_EQ(succeeded, all_calls) << failed.to_string();
}

TEST_F(Unprocessed, CallsOfOtherThreadsToo) {
  start_all();
  settle();

  EXPECT_EQ(succeeded, all_calls) << failed.to_string();
  EXPECT_EQ(network.servers.size(), 2u);
}

TEST_F(Unprocessed, CallsOfAWindowToo) {
  const std::vector<std::string> requests(all_calls, "x");

  on_loop([&] {
    channel().call_many<std::string>("Echo", requests, 4000, [&](std::size_t, Result<std::string> result) {
      if (result) ++succeeded;
    });
  });

  EXPECT_EQ(succeeded, all_calls);
}

TEST_F(Unprocessed, CallsOfCoroutinesToo) {
  on_loop([&] {
    for (int i = 0; i < all_calls; ++i) {
      asio::co_spawn(
          event_loop->executor(),
          [&]() -> asio::awaitable<void> {
            const auto result =
                co_await channel().async_call<std::string>("Echo", std::string("x"), asio::use_awaitable);
            if (result) ++succeeded;
          },
          asio::detached);
    }
  });

  EXPECT_EQ(succeeded, all_calls);
}

TEST_F(Unprocessed, TheRetriesCostNothing) {
  on_loop([&] { start_all(); });
  int refused = 0;
  network.server(1).on_call = [&](FakeServer& server, const ServedCall& call) {
    ++refused;
    server.refuse(call.id, {StatusCode::unavailable, "busy"}, true);
  };

  const auto outcome = begin("x");
  for (int i = 0; i < 20; ++i) advance(200ms);

  EXPECT_EQ(refused, 1 + options.max_retries);
  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
}

/// Threads that block, on a channel with a loop of its own.
class UnprocessedBlocking : public ::testing::Test {
 protected:
  UnprocessedBlocking() {
    auto loop = std::make_unique<net::Loop>();
    network = std::make_unique<FakeNetwork>(*loop);
    network->on_call = [this](FakeServer& server, const ServedCall& call) {
      const bool is_first = &server == network->servers[0].get();
      if (is_first && ++served > served_calls) return;
      echo(server, call);
      if (is_first && served == served_calls) server.drain();
    };
    channel = std::make_unique<Channel>(
        ChannelCore::make(std::move(loop), {}, [this](net::Loop&) { return network->connector(); }));
  }
  /// The servers end on the loop's thread, which an asynchronous call starts if there is none.
  ~UnprocessedBlocking() override {
    std::promise<void> cleared;
    channel->async_call<std::string>("Echo", std::string("x"), [&](const Result<std::string>&) {
      asio::post(channel->executor(), [&] {
        network->servers.clear();
        cleared.set_value();
      });
    });
    cleared.get_future().wait();
  }

  std::unique_ptr<FakeNetwork> network;
  std::unique_ptr<Channel> channel;
  int served = 0;
};

TEST_F(UnprocessedBlocking, NoCallOfManyThreadsFails) {
  std::atomic<int> succeeded{0};
  std::vector<std::thread> threads;

  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int call = 0; call < all_calls / 8; ++call) {
        if (channel->call<std::string>("Echo", std::string("x"))) ++succeeded;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(succeeded, all_calls);
  EXPECT_EQ(network->servers.size(), 2u);
}

TEST_F(UnprocessedBlocking, NoCallOfAWindowFails) {
  const std::vector<std::string> requests(all_calls, "x");
  int succeeded = 0;

  channel->call_many<std::string>("Echo", requests, 4000, [&](std::size_t, Result<std::string> result) {
    if (result) ++succeeded;
  });

  EXPECT_EQ(succeeded, all_calls);
  EXPECT_EQ(network->servers.size(), 2u);
}

/// These choose their options first.
using UnprocessedCalls = ClientFixture;

TEST_F(UnprocessedCalls, MaxRetriesDoesNotCountThem) {
  options.max_retries = 0;
  begin("connect");
  network.server(0).on_call = [](FakeServer& server, const ServedCall& call) {
    server.drain();
    server.refuse(call.id, {StatusCode::unavailable, "shutting down"}, true);
  };

  const auto outcome = begin("x");
  advance(1s);

  EXPECT_EQ(outcome->text(), "re:x");
}

TEST_F(UnprocessedCalls, RequestsUpToMaxRetainedRequestBytesAreHeld) {
  options.max_retained_request_bytes = 100;
  const std::string held(100, 'h');
  const std::string too_long(101, 'l');
  begin("connect");
  network.server(0).on_call = [](FakeServer& server, const ServedCall& call) {
    server.drain();
    server.refuse(call.id, {StatusCode::unavailable, "shutting down"}, true);
  };

  const auto kept = begin(held);
  ASSERT_EQ(network.servers.size(), 2u);
  network.server(1).on_call = network.server(0).on_call;
  const auto dropped = begin(too_long);

  EXPECT_EQ(kept->text(), "re:" + held);
  EXPECT_EQ(dropped->status().code(), StatusCode::unavailable);
  EXPECT_FALSE(dropped->status().may_have_run());
}

TEST_F(UnprocessedCalls, RequestsOfAnyLengthAreSentAgainAsTheyWere) {
  begin("connect");
  network.server(0).on_call = [](FakeServer& server, const ServedCall& call) {
    server.drain();
    server.refuse(call.id, {StatusCode::unavailable, "shutting down"}, true);
  };
  std::vector<std::string> expected;
  std::vector<std::string> received(6);

  on_loop([&] {
    for (const std::size_t size : {0u, 1u, 47u, 48u, 49u, 1024u}) {
      const std::string request(size, static_cast<char>('a' + expected.size()));
      channel().async_call<std::string>("Echo", request, [&, index = expected.size()](Result<std::string> result) {
        received[index] = result ? *std::move(result) : result.status().to_string();
      });
      expected.push_back("re:" + request);
    }
  });

  EXPECT_EQ(received, expected);
  EXPECT_EQ(network.servers.size(), 2u);
}

TEST_F(UnprocessedCalls, OneThatMeetsGoawayAgainPausesAndEndsWithItsDeadline) {
  network.on_call = [](FakeServer& server, const ServedCall& call) {
    server.drain();
    server.refuse(call.id, {StatusCode::unavailable, "shutting down"}, true);
  };

  const auto outcome = begin("x", {.timeout = 10s});
  const std::size_t at_once = network.servers.size();
  for (int i = 0; i < 110; ++i) advance(100ms);

  EXPECT_EQ(at_once, 2u);
  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::deadline_exceeded);
  EXPECT_FALSE(outcome->status().may_have_run());
  EXPECT_LE(network.servers.size(), 12u);
}

TEST_F(UnprocessedCalls, OnesOfAConnectionThatEndedWithAnErrorAreCharged) {
  options.max_retries = 0;
  begin("connect");
  network.server(0).on_call = [](FakeServer& server, const ServedCall&) {
    server.close({StatusCode::internal, "a bad frame"});
  };
  std::vector<Status> ended;

  on_loop([&] {
    for (int i = 0; i < 2; ++i) {
      channel().async_call<std::string>("Echo", std::string("x"), {},
                                        [&](const Result<std::string>& result) { ended.push_back(result.status()); });
    }
  });

  ASSERT_EQ(ended.size(), 2u);
  EXPECT_EQ(ended[0].code(), StatusCode::unavailable);
  EXPECT_EQ(ended[1].code(), StatusCode::unavailable);
  EXPECT_EQ(network.servers.size(), 1u);
}

TEST_F(UnprocessedCalls, NoCallIsWrittenBeforeTheHello) {
  network.closes_at_once = 1;

  const auto outcome = begin("x");

  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_FALSE(outcome->status().may_have_run());
  EXPECT_THAT(std::string(outcome->status().message()), HasSubstr("hello"));
}

TEST_F(UnprocessedCalls, WaitForReadyOutlastsAPeerThatAcceptsAndCloses) {
  network.closes_at_once = 1000;
  const auto plain = begin("plain", {.timeout = 6s, .wait_for_ready = true});
  const auto idempotent = begin("idempotent", {.timeout = 6s, .wait_for_ready = true, .idempotent = true});

  for (int i = 0; i < 50; ++i) advance(100ms);
  const int early = plain->count + idempotent->count;
  network.closes_at_once = 0;
  for (int i = 0; i < 9; ++i) advance(100ms);

  EXPECT_EQ(early, 0);
  EXPECT_EQ(plain->text(), "re:plain");
  EXPECT_EQ(idempotent->text(), "re:idempotent");
}

TEST_F(UnprocessedCalls, EarlyCallsAreWrittenBeforeTheHelloAndMayHaveRun) {
  options.early_calls = true;
  network.is_mute = true;
  options.limits.handshake_timeout = 2s;

  const auto outcome = begin("x");
  const std::size_t open = core->invoker().source().open_calls();
  advance(2s);
  advance(1s);
  advance(1s);

  EXPECT_EQ(open, 1u);
  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_TRUE(outcome->status().may_have_run());
}

}  // namespace

}  // namespace trunkline::client
