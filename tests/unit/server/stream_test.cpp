// SPDX-License-Identifier: MIT
// Streaming handlers of each kind, awaiting and blocking.
#include "unit/server/server_fixture.h"

#include <trunkline/detail/stream_handler.h>

#include <asio/redirect_error.hpp>
#include <asio/steady_timer.hpp>
#include <asio/this_coro.hpp>

#include <atomic>
#include <stdexcept>

namespace trunkline::server {

namespace {

using Text = std::string;
using Writer = ServerWriter<Text>;
using Reader = ServerReader<Text>;
using Both = ServerStream<Text, Text>;

class Streams : public ServerFixture {
 protected:
  template <template <class, class, class> class Handler, class Function>
  void add(std::string_view name, Function function) {
    server().methods().add(name, std::make_unique<Handler<Text, Text, Function>>(std::move(function)), {});
  }
  static session::CallStart open() { return {.method = {}, .end = false}; }
};

asio::awaitable<Status> count_down(const Text& request, Writer& writer, ServerContext& context) {
  context.add_leading_metadata("from", request);
  for (int i = std::stoi(request); i > 0; --i) {
    Status sent = co_await writer.async_write(std::to_string(i), asio::use_awaitable);
    if (!sent.is_ok()) co_return sent;
  }
  context.add_trailing_metadata("done", "yes");
  co_return Status::ok();
}

TEST_F(Streams, ServerStreamSendsMessagesThenStatus) {
  add<detail::ServerStreamHandler>("Count", count_down);
  TestClient& client = connect();

  const session::CallId id = client.call("Count", "3");
  settle();

  EXPECT_EQ(client.messages(id), (std::vector<Text>{"3", "2", "1"}));
  EXPECT_TRUE(client.response(id).status.is_ok()) << client.response(id).status.to_string();
  EXPECT_EQ(client.response(id).leading.get("from"), "3");
  EXPECT_EQ(client.response(id).trailing.get("done"), "yes");
  EXPECT_EQ(server().totals().calls_ok, 1u);
}

TEST_F(Streams, ServerStreamWithASecondRequestIsEndedAsUnimplementedBeforeItsHandlerRuns) {
  bool has_run = false;
  add<detail::ServerStreamHandler>("Wait", [&](const Text&, Writer&, ServerContext&) -> asio::awaitable<Status> {
    has_run = true;
    co_return Status::ok();
  });
  TestClient& client = connect();

  const session::CallId id = client.call("Wait", "a", "bytes", open());
  settle();
  client.send(id, "b", false);
  settle();

  EXPECT_EQ(client.response(id).status,
            Status(StatusCode::unimplemented,
                   "call Wait: the method is server_stream, and was called with a stream of requests, as a "
                   "client_stream or bidirectional method is"));
  EXPECT_FALSE(has_run);
  EXPECT_EQ(server().totals().open_calls, 0u);
}

TEST_F(Streams, AMessageThatWaitsForTheClientIsCounted) {
  constexpr std::size_t size = 1 << 20;
  add<detail::ServerStreamHandler>("Flood", [](const Text&, Writer& writer, ServerContext&) -> asio::awaitable<Status> {
    Status sent;
    while (sent.is_ok()) sent = co_await writer.async_write(Text(size, 'x'), asio::use_awaitable);
    co_return sent;
  });
  TestClient& client = connect();
  client.hold_messages();

  const session::CallId id = client.call("Flood", "x");
  settle();

  // Of the second one the session holds what has no credit. The handler waits with the third.
  EXPECT_GT(server().totals().memory_used_bytes, size + size / 4);
  client.cancel(id);
  settle();
  EXPECT_EQ(server().totals().memory_used_bytes, 0u);
}

TEST_F(Streams, ServerStreamKeepsItsRequestCountedUntilItsHandlerEnds) {
  constexpr std::size_t size = 1 << 20;
  std::vector<asio::steady_timer*> waiting;
  add<detail::ServerStreamHandler>(
      "Wait", [&](const Text& request, Writer&, ServerContext&) -> asio::awaitable<Status> {
        EXPECT_EQ(request.size(), size);
        co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
        asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::hours(1000));
        waiting.push_back(&timer);
        std::error_code ignored;
        co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
        co_return Status::ok();
      });
  TestClient& client = connect();
  const session::CallId whole = client.call("Wait", Text(size, 'x'));
  const session::CallId late = client.call("Wait", "", "", open());
  settle();
  client.send(late, Text(size, 'x'), true);
  settle();
  const std::size_t while_they_run = server().totals().memory_used_bytes;

  client.cancel(whole);
  client.cancel(late);
  settle();
  const std::size_t after_cancel = server().totals().memory_used_bytes;
  ASSERT_EQ(waiting.size(), 2u);
  for (asio::steady_timer* timer : waiting) timer->cancel();
  settle();

  EXPECT_GE(while_they_run, 2 * size);
  EXPECT_GE(after_cancel, 2 * size);
  EXPECT_EQ(server().totals().memory_used_bytes, 0u);
}

TEST_F(Streams, ServerStreamEndsWithAnError) {
  add<detail::ServerStreamHandler>("Fail", [](const Text&, Writer& writer, ServerContext&) -> asio::awaitable<Status> {
    static_cast<void>(co_await writer.async_write("only", asio::use_awaitable));
    co_return Status(StatusCode::data_loss, "fail: half of it");
  });
  TestClient& client = connect();

  const session::CallId id = client.call("Fail", "x");
  settle();

  EXPECT_EQ(client.messages(id), std::vector<Text>{"only"});
  EXPECT_EQ(client.response(id).status.code(), StatusCode::data_loss);
}

TEST_F(Streams, ClientStreamReadsToTheEndAndRespondsOnce) {
  add<detail::ClientStreamHandler>("Join",
                                   [](Reader& reader, Text& response, ServerContext&) -> asio::awaitable<Status> {
                                     while (true) {
                                       auto next = co_await reader.async_read(asio::use_awaitable);
                                       if (!next.is_ok()) co_return next.status();
                                       if (!next->has_value()) co_return Status::ok();
                                       response += **next + ";";
                                     }
                                   });
  TestClient& client = connect();

  const session::CallId id = client.call("Join", "a", "bytes", open());
  client.send(id, "b", false);
  settle();
  EXPECT_FALSE(client.has(id));
  client.send(id, "c", true);
  settle();

  EXPECT_TRUE(client.response(id).status.is_ok());
  EXPECT_EQ(client.messages(id), std::vector<Text>{"a;b;c;"});
}

TEST_F(Streams, BothWaysEchoes) {
  add<detail::StreamHandler>("Chat", [](Both& stream, ServerContext&) -> asio::awaitable<Status> {
    while (true) {
      auto next = co_await stream.async_read(asio::use_awaitable);
      if (!next.is_ok()) co_return next.status();
      if (!next->has_value()) co_return Status::ok();
      static_cast<void>(co_await stream.async_write("re: " + **next, asio::use_awaitable));
    }
  });
  TestClient& client = connect();

  const session::CallId id = client.call("Chat", "", "", open());
  for (int i = 0; i < 3; ++i) {
    client.send(id, std::to_string(i), false);
    settle();
    ASSERT_EQ(client.messages(id).back(), "re: " + std::to_string(i));
  }
  client.send(id, "last", true);
  settle();

  EXPECT_EQ(client.messages(id).size(), 4u);
  EXPECT_TRUE(client.response(id).status.is_ok());
}

TEST_F(Streams, EndsWithItsHandlerEvenIfTheClientHasNotEnded) {
  add<detail::StreamHandler>("Bye", [](Both&, ServerContext&) -> asio::awaitable<Status> { co_return Status::ok(); });
  TestClient& client = connect();

  const session::CallId id = client.call("Bye", "x", "bytes", open());
  settle();

  EXPECT_TRUE(client.response(id).status.is_ok());
  EXPECT_EQ(server().totals().open_calls, 0u);
}

TEST_F(Streams, CancellationEndsReadsAndWrites) {
  Status read_end;
  add<detail::StreamHandler>("Wait", [&read_end](Both& stream, ServerContext&) -> asio::awaitable<Status> {
    auto next = co_await stream.async_read(asio::use_awaitable);
    read_end = next.status();
    co_return read_end;
  });
  TestClient& client = connect();

  const session::CallId id = client.call("Wait", "", "", open());
  settle();
  client.cancel(id);
  settle();

  EXPECT_EQ(read_end.code(), StatusCode::cancelled);
  EXPECT_EQ(server().totals().open_calls, 0u);
  EXPECT_EQ(server().totals().calls_cancelled, 1u);
}

TEST_F(Streams, DeadlineEndsReads) {
  add<detail::StreamHandler>("Wait", [](Both& stream, ServerContext&) -> asio::awaitable<Status> {
    co_return (co_await stream.async_read(asio::use_awaitable)).status();
  });
  TestClient& client = connect();
  session::CallStart start = open();
  start.deadline = clock_.now() + std::chrono::seconds(5);

  const session::CallId id = client.call("Wait", "", "", start);
  settle();
  advance(std::chrono::seconds(6));

  EXPECT_EQ(client.response(id).status.code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(server().totals().open_calls, 0u);
}

TEST_F(Streams, ExceptionEndsJustThisCall) {
  add<detail::StreamHandler>("Throw", [](Both& stream, ServerContext&) -> asio::awaitable<Status> {
    static_cast<void>(co_await stream.async_read(asio::use_awaitable));
    throw std::runtime_error("secret");
  });
  add<detail::ServerStreamHandler>("Count", count_down);
  TestClient& client = connect();

  const session::CallId id = client.call("Throw", "x", "bytes", open());
  const session::CallId other = client.call("Count", "2");
  settle();

  EXPECT_EQ(client.response(id).status.message(), "handler of Throw threw an exception");
  EXPECT_EQ(client.messages(other).size(), 2u);
}

TEST_F(Streams, BlockingFormsRunOnWorkers) {
  add<detail::StreamHandler>("Chat", [](Both& stream, ServerContext&) -> Status {
    Status status;
    for (Text& message : stream.messages(status)) {
      if (Status sent = stream.write("re: " + message); !sent.is_ok()) return sent;
    }
    return status;
  });
  add<detail::ServerStreamHandler>("Twice", [](const Text& request, Writer& writer, ServerContext&) -> Status {
    static_cast<void>(writer.write(request));
    return writer.write(request);
  });
  add<detail::ClientStreamHandler>("Join", [](Reader& reader, Text& response, ServerContext&) -> Status {
    Status status;
    for (const Text& message : reader.messages(status)) response += message;
    return status;
  });
  TestClient& client = connect();

  const session::CallId chat = client.call("Chat", "a", "bytes", open());
  client.send(chat, "b", true);
  const session::CallId twice = client.call("Twice", "x");
  const session::CallId join = client.call("Join", "1", "bytes", open());
  client.send(join, "2", true);
  settle_until([&] { return client.response_count() == 3; });

  EXPECT_EQ(client.messages(chat), (std::vector<Text>{"re: a", "re: b"}));
  EXPECT_EQ(client.messages(twice), (std::vector<Text>{"x", "x"}));
  EXPECT_EQ(client.messages(join), std::vector<Text>{"12"});
}

TEST_F(Streams, StopFreesBlockedHandlers) {
  std::atomic<int> state{0};
  add<detail::StreamHandler>("Wait", [&state](Both& stream, ServerContext&) -> Status {
    state = 1;
    const auto first = stream.read();
    const auto again = stream.read();
    state = first.is_ok() || again.is_ok() ? 3 : 2;
    return Status::ok();
  });
  TestClient& client = connect();
  client.call("Wait", "", "", open());
  settle_until([&] { return state == 1; });

  server().stop();

  EXPECT_EQ(state, 2);
}

TEST_F(Streams, WaitsForASlowReader) {
  // 16 MiB to a client that does not read them: the handler must not get far ahead.
  int written = 0;
  add<detail::ServerStreamHandler>("Flood",
                                   [&written](const Text&, Writer& writer, ServerContext&) -> asio::awaitable<Status> {
                                     const Text block(64 << 10, 'x');
                                     for (; written < 256; ++written) {
                                       Status sent = co_await writer.async_write(block, asio::use_awaitable);
                                       if (!sent.is_ok()) co_return sent;
                                     }
                                     co_return Status::ok();
                                   });
  auto [near, far] = make_link();
  server().accept_transport(std::move(far));
  TestClient& client = *clients_.emplace_back(std::make_unique<TestClient>());
  client.hold_messages();
  client.start(std::move(near));
  settle();

  const session::CallId id = client.call("Flood", "x");
  settle();
  const int early = written;
  client.release_messages();
  settle();

  EXPECT_LT(early, 64);
  EXPECT_EQ(written, 256);
  EXPECT_EQ(client.messages(id).size(), 256u);
  EXPECT_TRUE(client.response(id).status.is_ok());
}

}  // namespace

}  // namespace trunkline::server
