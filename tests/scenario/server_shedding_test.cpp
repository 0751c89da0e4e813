// SPDX-License-Identifier: MIT
// More calls than a server accepts: the rest is refused before any work is done.
#include <trunkline/channel.h>
#include <trunkline/interceptor.h>
#include <trunkline/server.h>

#include <gtest/gtest.h>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/post.hpp>
#include <asio/read.hpp>
#include <asio/write.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>

namespace trunkline {

namespace {

constexpr std::size_t limit = 10;
constexpr std::size_t calls = 1000;

class ServerShedding : public ::testing::Test {
 protected:
  /// Adds a method whose handlers wait until open_ is set.
  auto held() {
    return [this](const Slice& request, ServerContext& context) -> asio::awaitable<Slice> {
      ++runs_;
      while (!open_) co_await asio::post(context.executor(), asio::use_awaitable);
      co_return request;
    };
  }
  /// Begins all calls at once, and releases the handlers when the other calls have been refused.
  void call_all(Channel& channel) {
    std::promise<void> done;
    std::atomic<std::size_t> ended{0};
    for (std::size_t i = 0; i < calls; ++i) {
      channel.async_call<Slice>(channel.method("Hold"), Slice::from_static("x"), {}, [&](Result<Slice> answer) {
        if (answer.is_ok()) {
          ++answered_;
        } else if (answer.status().code() == StatusCode::resource_exhausted && !answer.status().may_have_run()) {
          ++refused_;
        }
        if (refused_ == calls - limit) open_ = true;
        if (++ended == calls) done.set_value();
      });
    }
    done.get_future().wait();
  }

  std::atomic<std::size_t> runs_{0};
  std::atomic<std::size_t> answered_{0};
  std::atomic<std::size_t> refused_{0};
  std::atomic<bool> open_{false};
};

TEST_F(ServerShedding, RefusesOverMaxConcurrentCalls) {
  ServerOptions options;
  options.max_concurrent_calls = limit;
  Server server(options);
  server.handle<Slice, Slice>("Hold", held());
  const Endpoint endpoint = server.listen("inproc://server-shedding");
  ASSERT_TRUE(server.start().is_ok());
  Channel channel(endpoint.to_string());

  call_all(channel);

  EXPECT_EQ(answered_, limit);
  EXPECT_EQ(refused_, calls - limit);
  EXPECT_EQ(runs_, limit) << "work was done for calls that were refused";
  EXPECT_EQ(server.totals().calls_refused, calls - limit);
  EXPECT_TRUE(channel.call<Slice>(channel.method("Hold"), Slice::from_static("x")).is_ok())
      << "the server did not recover";
}

TEST_F(ServerShedding, RefusesOverTheMethodsLimitAlone) {
  Server server;
  server.handle<Slice, Slice>("Hold", held(), {.max_concurrent_calls = limit});
  server.handle<Slice, Slice>("Free", [](const Slice& request, ServerContext&) { return request; });
  const Endpoint endpoint = server.listen("inproc://server-shedding-method");
  ASSERT_TRUE(server.start().is_ok());
  Channel channel(endpoint.to_string());

  call_all(channel);
  const auto free = channel.call<Slice>(channel.method("Free"), Slice::from_static("y"));

  EXPECT_EQ(answered_, limit);
  EXPECT_EQ(runs_, limit);
  EXPECT_TRUE(free.is_ok());
}

TEST_F(ServerShedding, RefusesBlockingCallsOverTheQueue) {
  ServerOptions options;
  options.worker_threads = 1;
  options.max_queued_blocking_calls = limit - 1;
  Server server(options);
  std::promise<void> gate;
  std::shared_future<void> opened = gate.get_future().share();
  server.handle_blocking<Slice, Slice>("Hold", [&](const Slice& request, ServerContext&) {
    ++runs_;
    while (!open_) std::this_thread::yield();
    return request;
  });
  const Endpoint endpoint = server.listen("inproc://server-shedding-blocking");
  ASSERT_TRUE(server.start().is_ok());
  Channel channel(endpoint.to_string());

  call_all(channel);

  EXPECT_EQ(answered_, limit);
  EXPECT_EQ(refused_, calls - limit);
  EXPECT_EQ(runs_, limit);
}

TEST_F(ServerShedding, KnowsThePriorityOfARequestOverHttpThatComesInParts) {
  ServerOptions options;
  options.max_concurrent_calls = 4;
  options.overload.priority_metadata = "priority";
  options.overload.default_priority = "sheddable";
  // They are asked as soon as the head has come.
  struct Heads : Interceptor {
    Status on_start(CallInfo&) override { return ++seen, Status(); }
    std::atomic<int> seen{0};
  };
  const auto heads = std::make_shared<Heads>();
  options.interceptors.push_back(heads);
  Server server(options);
  server.handle<Slice, Slice>("Hold", held());
  server.handle<Slice, Slice>("Echo", [](const Slice& request, ServerContext&) { return request; });
  const Endpoint endpoint = server.listen("tcp://127.0.0.1:0");
  ASSERT_TRUE(server.start().is_ok());
  Channel channel(endpoint.to_string());
  const CallOptions critical{.metadata = {{"priority", "critical"}}};
  std::atomic<int> ended{0};
  // With these, calls of the default priority are shed.
  for (int i = 0; i < 3; ++i) {
    channel.async_call<Slice>(channel.method("Hold"), Slice::from_static("x"), critical,
                              [&](Result<Slice>) { ++ended; });
  }
  while (runs_ < 3) std::this_thread::yield();
  asio::io_context context;
  asio::ip::tcp::socket socket(context);
  socket.connect({asio::ip::make_address("127.0.0.1"), endpoint.port()});
  const std::string head =
      "POST /Echo HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Type: application/octet-stream\r\n"
      "Content-Length: 4\r\nPriority: critical\r\n\r\n";

  asio::write(socket, asio::buffer(head));
  const auto too_late = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (heads->seen < 4 && std::chrono::steady_clock::now() < too_late) std::this_thread::yield();
  const int seen = heads->seen;
  asio::write(socket, asio::buffer("body", 4));
  std::string response;
  asio::error_code end;
  asio::read(socket, asio::dynamic_buffer(response), end);
  open_ = true;
  while (ended < 3) std::this_thread::yield();

  EXPECT_EQ(seen, 4) << "the head has not been taken by itself";
  EXPECT_EQ(response.substr(0, 12), "HTTP/1.1 200");
}

}  // namespace

}  // namespace trunkline
