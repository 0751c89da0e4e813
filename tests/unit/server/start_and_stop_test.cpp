// SPDX-License-Identifier: MIT
// Server as users see it: listening, starting and stopping, on its own loops and on the user's.
#include "kit/held_port.h"
#include "net/dialer.h"
#include "unit/server/server_fixture.h"

#include <trunkline/server.h>

#include <atomic>
#include <future>
#include <string>
#include <thread>

namespace trunkline::server {

namespace {

Slice echo(const Slice& request, ServerContext&) { return request; }

/// One call from a loop of its own to a server that runs on other threads.
Status call_once(const Endpoint& endpoint, std::string_view method) {
  net::Loop loop;
  TestClient client;
  Status failed;
  std::shared_ptr<net::Dial> dial =
      net::dial(loop, endpoint, {}, [&](Result<std::unique_ptr<net::Transport>> transport) {
        if (!transport.is_ok()) {
          failed = transport.status();
        } else {
          client.start(std::move(*transport));
          client.call(method, "x");
        }
      });
  const base::TimePoint deadline = base::deadline_after(loop.now(), std::chrono::seconds(30));
  loop.run_until([&] { return !failed.is_ok() || client.response_count() > 0; }, deadline);
  const Status result = failed.is_ok() && client.response_count() > 0 ? client.only_response().status : failed;
  client.reset();
  return result;
}

TEST(StartAndStop, ServesOnThreadsOfItsOwn) {
  ServerOptions options;
  options.loops = 2;
  Server server(options);
  server.handle<Slice, Slice>("Echo", echo);
  const Endpoint tcp = server.listen("tcp://127.0.0.1:0");
  const Endpoint memory = server.listen("inproc://start-and-stop");

  ASSERT_TRUE(server.start().is_ok());
  ASSERT_TRUE(server.start().is_ok()) << "a second start does nothing";
  const Endpoint later = server.listen("tcp://127.0.0.1:0");

  EXPECT_NE(tcp.port(), 0);
  EXPECT_EQ(server.endpoints().size(), 3u);
  EXPECT_TRUE(call_once(tcp, "Echo").is_ok());
  EXPECT_TRUE(call_once(memory, "Echo").is_ok());
  EXPECT_TRUE(call_once(later, "Echo").is_ok());
  EXPECT_EQ(server.totals().calls_ok, 3u);
}

TEST(StartAndStop, StopsFromTwoThreadsAtOnceWithoutEverHavingStarted) {
  for (int round = 0; round < 10; ++round) {
    Server server;
    for (int i = 0; i < 20; ++i) server.listen("inproc://stopped-by-two-" + std::to_string(i));
    std::atomic<int> ready{0};
    const auto stop = [&] {
      ++ready;
      while (ready < 2) std::this_thread::yield();
      server.stop();
    };

    std::thread first(stop);
    std::thread second(stop);
    first.join();
    second.join();

    EXPECT_TRUE(server.endpoints().empty());
  }
}

TEST(StartAndStop, StopsTwiceWithoutHarm) {
  Server server;
  server.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server.start().is_ok());

  server.stop();
  server.stop();

  EXPECT_EQ(server.start().code(), StatusCode::failed_precondition);
  EXPECT_EQ(server.run().code(), StatusCode::failed_precondition);
  EXPECT_EQ(server.try_listen("tcp://127.0.0.1:0").status().code(), StatusCode::failed_precondition);
  EXPECT_TRUE(server.shutdown(std::chrono::seconds(1)).is_ok());
}

TEST(StartAndStop, StopsWithoutEverHavingStarted) {
  Server server;
  server.listen("tcp://127.0.0.1:0");

  server.stop();

  EXPECT_TRUE(server.endpoints().empty());
}

TEST(StartAndStop, RunsUntilStoppedFromAnotherThread) {
  Server server;
  server.handle<Slice, Slice>("Echo", echo);
  const Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
  std::thread thread([&] { EXPECT_TRUE(server.run().is_ok()); });

  const Status result = call_once(endpoint, "Echo");
  server.stop();
  thread.join();

  EXPECT_TRUE(result.is_ok()) << result.to_string();
}

TEST(StartAndStop, StopsFromAHandler) {
  ServerOptions options;
  options.loops = 2;
  Server server(options);
  server.handle<Slice, Slice>("Stop", [&server](const Slice& request, ServerContext&) {
    server.stop();
    return request;
  });
  const Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
  std::thread thread([&] { EXPECT_TRUE(server.run().is_ok()); });

  static_cast<void>(call_once(endpoint, "Stop"));
  thread.join();

  EXPECT_EQ(server.start().code(), StatusCode::failed_precondition);
}

TEST(StartAndStop, ShutsDownAndStops) {
  const kit::HeldPort port;
  Server server;
  server.handle<Slice, Slice>("Echo", echo);
  const Endpoint endpoint = server.listen(port.uri());
  ASSERT_TRUE(server.start().is_ok());
  ASSERT_TRUE(call_once(endpoint, "Echo").is_ok());

  EXPECT_TRUE(server.shutdown(std::chrono::seconds(30)).is_ok());
  EXPECT_TRUE(server.shutdown(std::chrono::seconds(30)).is_ok());
  EXPECT_EQ(call_once(endpoint, "Echo").code(), StatusCode::unavailable);
}

TEST(StartAndStop, RefusesShutdownThatWouldWaitForItself) {
  Server server;
  Status inside;
  server.handle<Slice, Empty>("Shutdown", [&](const Slice&, ServerContext&) {
    inside = server.shutdown(std::chrono::seconds(1));
    return Status::ok();
  });
  const Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server.start().is_ok());

  EXPECT_TRUE(call_once(endpoint, "Shutdown").is_ok());

  server.stop();
  EXPECT_EQ(inside.code(), StatusCode::failed_precondition);
}

TEST(StartAndStop, NamesWhatIsWrongWithAnEndpoint) {
  Server server;
  const Endpoint taken = server.listen("tcp://127.0.0.1:0");

  EXPECT_EQ(server.try_listen("tcp://").status().code(), StatusCode::invalid_argument);
  EXPECT_EQ(server.try_listen("carrier://pigeon").status().code(), StatusCode::invalid_argument);
  EXPECT_EQ(server.try_listen(taken.to_string()).status().code(), StatusCode::already_exists);
  EXPECT_THROW(server.listen(taken.to_string()), StatusError);
  EXPECT_EQ(server.reload_tls().code(), StatusCode::failed_precondition);
}

TEST(StartAndStop, ServesOnTheUsersLoop) {
  EventLoop loop;
  Server server(loop);
  server.handle<Slice, Slice>("Echo", echo);
  const Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server.start().is_ok());
  std::thread thread([&] { loop.run(); });

  const Status result = call_once(endpoint, "Echo");
  const Status drained = server.shutdown(std::chrono::seconds(30));
  loop.stop();
  thread.join();

  EXPECT_TRUE(result.is_ok()) << result.to_string();
  EXPECT_TRUE(drained.is_ok()) << drained.to_string();
}

}  // namespace

}  // namespace trunkline::server
