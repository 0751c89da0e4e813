// SPDX-License-Identifier: MIT
// Handlers that hold a loop or a worker: what the others of the server notice of it.
#include "kit/own_uri.h"

#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace trunkline {

namespace {

using namespace std::chrono_literals;

class HeldLoops : public testing::Test {
 protected:
  void TearDown() override { release(); }
  void release() {
    if (!released_.exchange(true)) promise_.set_value();
  }
  void handle_both(Server& server) {
    server.handle<Slice, Slice>("Hold", [this](const Slice& request, ServerContext&) {
      holding_.set_value();
      gate_.wait();
      return request;
    });
    server.handle<Slice, Slice>("Echo", [](const Slice& request, ServerContext&) { return request; });
  }

  std::promise<void> holding_;

 private:
  std::promise<void> promise_;
  std::atomic<bool> released_{false};

 protected:
  std::shared_future<void> gate_ = promise_.get_future().share();
};

class HeldLoopsByScheme : public HeldLoops, public testing::WithParamInterface<std::string> {};

TEST_P(HeldLoopsByScheme, StopNoNewConnections) {
  ServerOptions options;
  options.loops = 2;
  Server server(options);
  handle_both(server);
  const Endpoint endpoint = server.listen(kit::own_uri(GetParam()));
  ASSERT_TRUE(server.start().is_ok());
  // The first connection goes to the first loop, which has the listener.
  Channel holder(endpoint.to_string());
  auto held = holder.submit<Slice>("Hold", Slice::from_static("x"));
  holding_.get_future().wait();

  std::vector<std::unique_ptr<Channel>> channels;
  for (int i = 0; i < 4; ++i) {
    channels.push_back(std::make_unique<Channel>(endpoint.to_string()));
    const auto response = channels.back()->call<Slice>("Echo", Slice::from_static("y"), {.timeout = 20s});
    EXPECT_TRUE(response.is_ok()) << i << ": " << response.status().to_string();
  }
  release();

  EXPECT_TRUE(held.get().is_ok());
}

INSTANTIATE_TEST_SUITE_P(Schemes, HeldLoopsByScheme,
                         testing::Values("tcp://127.0.0.1:0", "unix:@trunkline-held-loops", "inproc://held-loops"),
                         [](const auto& each) { return std::string(each.param.substr(0, each.param.find(':'))); });

TEST_F(HeldLoops, LetShutdownReturnInTime) {
  Server server;
  handle_both(server);
  const Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server.start().is_ok());
  Channel channel(endpoint.to_string());
  auto held = channel.submit<Slice>("Hold", Slice::from_static("x"));
  holding_.get_future().wait();

  const Status status = server.shutdown(100ms);
  // It has returned although the handler has not.
  release();

  EXPECT_EQ(status.code(), StatusCode::deadline_exceeded);
  server.stop();
}

TEST_F(HeldLoops, OfAWorkerLetShutdownReturnInTime) {
  Server server;
  std::atomic<bool> has_ended{false};
  server.handle_blocking<Slice, Slice>("Hold", [&](const Slice& request, ServerContext&) {
    holding_.set_value();
    gate_.wait();
    has_ended = true;
    return request;
  });
  const Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server.start().is_ok());
  Channel channel(endpoint.to_string());
  auto held = channel.submit<Slice>("Hold", Slice::from_static("x"));
  holding_.get_future().wait();

  const Status status = server.shutdown(100ms);
  const bool waited_for_handler = has_ended;
  release();

  EXPECT_EQ(status.code(), StatusCode::deadline_exceeded);
  EXPECT_FALSE(waited_for_handler);
  server.stop();
  EXPECT_TRUE(has_ended);
}

TEST(OwnLoop, CannotBeWaitedForByAHandler) {
  for (const std::string uri : {"tcp://127.0.0.1:0", "tcp://:0", "inproc://own-loop"}) {
    std::string own;
    Status seen;
    Server server;
    server.handle<Slice, Slice>("Echo", [](const Slice& request, ServerContext&) { return request; });
    server.handle<Slice, Slice>("Ask", [&](const Slice& request, ServerContext&) {
      Channel channel(own);
      seen = channel.call<Slice>("Echo", request).status();
      return request;
    });
    server.handle_blocking<Slice, Slice>("AskFromAWorker", [&](const Slice& request, ServerContext&) {
      Channel channel(own);
      return channel.call<Slice>("Echo", request);
    });
    Endpoint endpoint = server.listen(uri);
    own = endpoint.host() == Endpoint::every_address ? "tcp://localhost:" + std::to_string(endpoint.port())
                                                     : endpoint.to_string();
    ASSERT_TRUE(server.start().is_ok());
    Channel channel(own);

    ASSERT_TRUE(channel.call<Slice>("Ask", Slice::from_static("x"), {.timeout = 20s}).is_ok());
    const auto from_worker = channel.call<Slice>("AskFromAWorker", Slice::from_static("x"), {.timeout = 20s});

    EXPECT_EQ(seen.code(), StatusCode::failed_precondition) << seen.to_string();
    EXPECT_FALSE(seen.may_have_run());
    EXPECT_TRUE(from_worker.is_ok()) << from_worker.status().to_string();
  }
}

/// How long the shutdown of a server takes whose client does nothing between its calls.
std::chrono::nanoseconds shutdown_beside_idle_client() {
  Server server;
  server.handle<Slice, Slice>("Echo", [](const Slice& request, ServerContext&) { return request; });
  const Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
  EXPECT_TRUE(server.start().is_ok());
  // Nobody runs the channel's loop between blocking calls.
  Channel channel(endpoint.to_string());
  EXPECT_TRUE(channel.call<Slice>("Echo", Slice::from_static("x")).is_ok());

  const auto start = std::chrono::steady_clock::now();
  const Status status = server.shutdown(30s);
  EXPECT_TRUE(status.is_ok()) << status.to_string();
  return std::chrono::steady_clock::now() - start;
}

TEST(IdleClient, OfBlockingCallsDoesNotDelayAShutdown) {
  // A connection lingers for a second where it waits for its peer. A busy machine may take as long, but not each time.
  auto shortest = shutdown_beside_idle_client();
  for (int more = 9; more > 0 && shortest >= 900ms; --more)
    shortest = std::min(shortest, shutdown_beside_idle_client());

  EXPECT_LT(shortest, 900ms);
}

TEST(EveryAddress, IsListenedOnWithoutAHost) {
  for (const std::string uri : {"tcp://:0", "tcp://*:0"}) {
    Server server;
    server.handle<Slice, Slice>("Echo", [](const Slice& request, ServerContext&) { return request; });
    const Endpoint endpoint = server.listen(uri);
    ASSERT_TRUE(server.start().is_ok());
    EXPECT_EQ(endpoint.host(), Endpoint::every_address);

    for (const std::string host : {"127.0.0.1", "127.0.0.2"}) {
      Channel channel("tcp://" + host + ":" + std::to_string(endpoint.port()));
      const auto response = channel.call<Slice>("Echo", Slice::from_static("x"), {.timeout = 20s});
      EXPECT_TRUE(response.is_ok()) << uri << " at " << host << ": " << response.status().to_string();
    }
  }
}

TEST(ThreadNames, SayWhatAThreadDoes) {
  const auto name = [] {
    char text[16] = {};
    ::pthread_getname_np(::pthread_self(), text, sizeof(text));
    return std::string(text);
  };
  ServerOptions options;
  options.worker_threads = 1;
  Server server(options);
  server.handle<Empty, std::string>("Loop", [&](const Empty&, ServerContext&) { return name(); });
  server.handle_blocking<Empty, std::string>("Worker", [&](const Empty&, ServerContext&) { return name(); });
  const Endpoint endpoint = server.listen("inproc://thread-names");
  ASSERT_TRUE(server.start().is_ok());
  Channel channel(endpoint.to_string());

  EXPECT_EQ(channel.call<std::string>("Loop", Empty()).value(), "trunk-loop-0");
  EXPECT_EQ(channel.call<std::string>("Worker", Empty()).value(), "trunk-worker-0");
}

}  // namespace

}  // namespace trunkline
