// SPDX-License-Identifier: MIT
// Operations of streams that are given up: a read leaves its message for the next one, and the call goes on.
#include "scenario/both_ends.h"

#include <trunkline/plain.h>

#include <asio/bind_cancellation_slot.hpp>
#include <asio/bind_executor.hpp>
#include <asio/cancellation_signal.hpp>
#include <asio/experimental/awaitable_operators.hpp>
#include <asio/experimental/channel.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace trunkline::scenario {

namespace {

using namespace asio::experimental::awaitable_operators;
using asio::use_awaitable;
using Text = std::string;
using TextStream = ClientStream<Text, Text>;
using Serving = ServerStream<Text, Text>;
using Read = Result<std::optional<Text>>;

/// Rings in place of a timer, so that the test decides about the turn of the loop in which it does.
using Bell = asio::experimental::channel<void(asio::error_code, int)>;

class StreamGiveUp : public BothEnds {
 protected:
  static auto into(std::optional<Read>& read) {
    return [&read](Read result) { read = std::move(result); };
  }
  static auto into(std::optional<Status>& status) {
    return [&status](Status result) { status = std::move(result); };
  }
  /// Reads with `read || bell` until the end of the stream, and counts the messages, which must be numbered.
  template <class Stream>
  asio::awaitable<Status> read_or_bell(Stream& stream, Bell& bell) {
    while (true) {
      auto first = co_await (stream.async_read(use_awaitable) || bell.async_receive(use_awaitable));
      if (first.index() == 1) {
        ++given_up;
        continue;
      }
      const Read& message = std::get<0>(first);
      if (!message.is_ok()) co_return message.status();
      if (!message->has_value()) co_return Status();
      if (**message != std::to_string(read)) ++lost;
      ++read;
    }
  }
  /// Runs `first` and `second` in turns of the loop that lie up to three apart, in either order.
  void race(const std::function<void()>& first, const std::function<void()>& second) {
    const auto turns = [this] { return static_cast<int>(random_() % 4); };
    after(turns(), first);
    after(turns(), second);
    settle();
  }

  int read = 0;
  int lost = 0;
  int given_up = 0;

 private:
  void after(int turns, const std::function<void()>& work) {
    event_loop->post([this, turns, work] { turns == 0 ? work() : after(turns - 1, work); });
  }

  std::mt19937 random_{7};
};

class StreamGiveUpRaces : public StreamGiveUp, public ::testing::WithParamInterface<int> {};

TEST_P(StreamGiveUpRaces, AHandlersReadThatRacesWithABellLosesNoMessage) {
  const int count = GetParam();
  std::optional<Bell> bell;
  std::optional<Status> served;
  server().handle_stream<Text, Text>("Count", [&](Serving& stream, ServerContext&) -> asio::awaitable<Status> {
    bell.emplace(co_await asio::this_coro::executor, 1);
    served = co_await read_or_bell(stream, *bell);
    co_return *served;
  });
  TextStream stream = channel().stream<Text, Text>("Count");
  settle();
  ASSERT_TRUE(bell.has_value());

  for (int i = 0; i < count; ++i) {
    std::optional<Status> written;
    const Text message = std::to_string(i);
    race([&] { stream.async_write(message, into(written)); }, [&] { bell->try_send(asio::error_code(), 0); });
    ASSERT_TRUE(written && written->is_ok());
  }
  std::optional<Status> finished;
  on_loop([&] { stream.async_close_writes([](const Status&) {}); });
  on_loop([&] { stream.async_finish(into(finished)); });

  EXPECT_EQ(read, count);
  EXPECT_EQ(lost, 0);
  EXPECT_GT(given_up, count / 10) << "the bell hardly ever came first";
  EXPECT_TRUE(served && served->is_ok());
  EXPECT_TRUE(finished && finished->is_ok());
}

TEST_P(StreamGiveUpRaces, AClientsReadThatRacesWithABellLosesNoMessage) {
  const int count = GetParam();
  Bell bell(event_loop->executor(), 1);
  std::optional<Bell> next;
  server().handle_stream<Text, Text>("Tell", [&](Serving& stream, ServerContext&) -> asio::awaitable<Status> {
    next.emplace(co_await asio::this_coro::executor, 1);
    for (int i = 0; i < count; ++i) {
      static_cast<void>(co_await next->async_receive(use_awaitable));
      const Text message = std::to_string(i);
      if (Status status = co_await stream.async_write(message, use_awaitable); !status.is_ok()) co_return status;
    }
    co_return Status();
  });
  TextStream stream = channel().stream<Text, Text>("Tell");
  settle();
  ASSERT_TRUE(next.has_value());
  std::optional<Status> ended;
  spawn([&]() -> asio::awaitable<void> { ended = co_await read_or_bell(stream, bell); });

  for (int i = 0; i < count; ++i) {
    race([&] { next->try_send(asio::error_code(), 0); }, [&] { bell.try_send(asio::error_code(), 0); });
  }

  EXPECT_EQ(read, count);
  EXPECT_EQ(lost, 0);
  EXPECT_GT(given_up, count / 10);
  EXPECT_TRUE(ended && ended->is_ok());
}
INSTANTIATE_TEST_SUITE_P(Races, StreamGiveUpRaces, ::testing::Values(1000, 10000));

TEST_F(StreamGiveUp, AClientsReadLeavesTheCallAsItIs) {
  server().handle_stream<Text, Text>("Echo", [](Serving& stream, ServerContext&) -> asio::awaitable<Status> {
    while (true) {
      Read message = co_await stream.async_read(use_awaitable);
      if (!message.is_ok()) co_return message.status();
      if (!message->has_value()) co_return Status();
      if (Status status = co_await stream.async_write(**message, use_awaitable); !status.is_ok()) co_return status;
    }
  });
  TextStream stream = channel().stream<Text, Text>("Echo");
  asio::cancellation_signal signal;
  std::optional<Read> given_up_read;
  on_loop([&] { stream.async_read(asio::bind_cancellation_slot(signal.slot(), into(given_up_read))); });

  on_loop([&] { signal.emit(asio::cancellation_type::partial); });

  ASSERT_TRUE(given_up_read.has_value());
  EXPECT_EQ(given_up_read->status().code(), StatusCode::cancelled);
  std::optional<Status> written;
  std::optional<Read> next;
  on_loop([&] { stream.async_write(Text("x"), into(written)); });
  on_loop([&] { stream.async_read(into(next)); });
  EXPECT_TRUE(written && written->is_ok());
  ASSERT_TRUE(next && next->is_ok());
  EXPECT_EQ(next->value(), "x");
}

TEST_F(StreamGiveUp, AMessageGoesBackIfItsHandlerHasNotRun) {
  asio::io_context elsewhere;
  std::optional<Read> first;
  std::optional<Read> second;
  server().handle_server_stream<Text, Text>(
      "Two", [](const Text&, ServerWriter<Text>& writer, ServerContext&) -> asio::awaitable<Status> {
        static_cast<void>(co_await writer.async_write(Text("one"), use_awaitable));
        co_return co_await writer.async_write(Text("two"), use_awaitable);
      });
  TextStream stream = channel().server_stream<Text>("Two", Text("go"));
  asio::cancellation_signal signal;
  on_loop([&] {
    stream.async_read(asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(elsewhere, into(first))));
  });

  // The message has come, and its handler waits for its own executor.
  signal.emit(asio::cancellation_type::terminal);
  settle();
  elsewhere.run();
  on_loop([&] { stream.async_read(into(second)); });

  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->status().code(), StatusCode::cancelled);
  ASSERT_TRUE(second && second->is_ok());
  EXPECT_EQ(second->value(), "one");
}

TEST_F(StreamGiveUp, AMessageThatCannotBeDecodedGoesBackToo) {
  asio::io_context elsewhere;
  std::optional<Result<std::optional<int>>> first;
  std::optional<Result<std::optional<int>>> second;
  server().handle_server_stream<Text, Text>(
      "One", [](const Text&, ServerWriter<Text>& writer, ServerContext&) -> asio::awaitable<Status> {
        co_return co_await writer.async_write(Text("no number"), use_awaitable);
      });
  ClientStream<Text, int> stream = channel().server_stream<int>("One", Text("go"));
  asio::cancellation_signal signal;
  on_loop([&] {
    stream.async_read(asio::bind_cancellation_slot(
        signal.slot(), asio::bind_executor(elsewhere, [&](Result<std::optional<int>> read) { first = read; })));
  });

  signal.emit(asio::cancellation_type::terminal);
  settle();
  elsewhere.run();
  on_loop([&] { stream.async_read([&](Result<std::optional<int>> read) { second = read; }); });

  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->status().code(), StatusCode::cancelled);
  ASSERT_TRUE(second.has_value());
  EXPECT_FALSE(second->is_ok());
  EXPECT_NE(second->status().code(), StatusCode::cancelled);
}

/// The slot of a read that has ended may emit at any time.
TEST_F(StreamGiveUp, ASlotOfAnEarlierReadChangesNothing) {
  asio::io_context elsewhere;
  std::optional<Read> first;
  std::optional<Read> second;
  std::optional<Read> third;
  server().handle_server_stream<Text, Text>(
      "Two", [](const Text&, ServerWriter<Text>& writer, ServerContext&) -> asio::awaitable<Status> {
        static_cast<void>(co_await writer.async_write(Text("one"), use_awaitable));
        co_return co_await writer.async_write(Text("two"), use_awaitable);
      });
  TextStream stream = channel().server_stream<Text>("Two", Text("go"));
  asio::cancellation_signal earlier;
  asio::cancellation_signal signal;
  on_loop([&] { stream.async_read(asio::bind_cancellation_slot(earlier.slot(), into(first))); });
  on_loop([&] {
    stream.async_read(asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(elsewhere, into(second))));
  });

  signal.emit(asio::cancellation_type::terminal);
  earlier.emit(asio::cancellation_type::terminal);
  settle();
  elsewhere.run();
  on_loop([&] { stream.async_read(into(third)); });

  ASSERT_TRUE(first && first->is_ok());
  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->status().code(), StatusCode::cancelled);
  ASSERT_TRUE(third && third->is_ok());
  EXPECT_EQ(third->value(), "two");
}

TEST_F(StreamGiveUp, AMessageGoesBackIfItsHandlerNeverRuns) {
  std::optional<Read> second;
  server().handle_server_stream<Text, Text>(
      "One", [](const Text&, ServerWriter<Text>& writer, ServerContext&) -> asio::awaitable<Status> {
        co_return co_await writer.async_write(Text("one"), use_awaitable);
      });
  TextStream stream = channel().server_stream<Text>("One", Text("go"));
  asio::cancellation_signal signal;
  {
    asio::io_context destroyed;
    on_loop([&] {
      stream.async_read(asio::bind_cancellation_slot(
          signal.slot(), asio::bind_executor(destroyed, [](Read) { ADD_FAILURE() << "its executor has not run"; })));
    });
  }

  on_loop([&] { stream.async_read(into(second)); });

  ASSERT_TRUE(second && second->is_ok());
  EXPECT_EQ(second->value(), "one");
}

/// The server and its loop end while the handler of a read, which has its message, waits in another executor. The
/// executor then runs it, or ends without.
TEST(StreamGiveUpAtEnd, AServersMessageOutlivesTheServer) {
  for (const bool runs : {true, false}) {
    std::optional<Read> read;
    asio::cancellation_signal signal;
    auto elsewhere = std::make_unique<asio::io_context>();
    auto server = std::make_unique<Server>();
    server->handle_stream<Text, Text>("Keep", [&](Serving& stream, ServerContext& context) -> asio::awaitable<Status> {
      stream.async_read(asio::bind_cancellation_slot(
          signal.slot(), asio::bind_executor(*elsewhere, [&read](Read message) { read = std::move(message); })));
      asio::steady_timer never(context.executor(), asio::steady_timer::time_point::max());
      co_await never.async_wait(use_awaitable);
      co_return Status();
    });
    const Endpoint endpoint = server->listen("tcp://127.0.0.1:0");
    ASSERT_TRUE(server->start().is_ok());
    Channel channel(endpoint.to_string());
    TextStream stream = channel.stream<Text, Text>("Keep");
    ASSERT_TRUE(stream.write("one").is_ok());
    // The server has handled the message, and ended the turn in which it did, once it has answered two further calls.
    for (int i = 0; i < 2; ++i) {
      EXPECT_EQ(channel.call<Text>("Nothing", Text()).status().code(), StatusCode::unimplemented);
    }

    server.reset();
    signal.emit(asio::cancellation_type::total);
    if (runs) elsewhere->run();
    elsewhere.reset();

    ASSERT_EQ(read.has_value(), runs);
    if (runs) {
      EXPECT_EQ(read->status().code(), StatusCode::cancelled);
    }
  }
}

TEST_F(StreamGiveUp, ASecondReadHasToWaitForTheHandlerOfTheFirst) {
  asio::io_context elsewhere;
  std::optional<Read> first;
  std::optional<Read> second;
  server().handle_server_stream<Text, Text>(
      "One", [](const Text&, ServerWriter<Text>& writer, ServerContext&) -> asio::awaitable<Status> {
        co_return co_await writer.async_write(Text("one"), use_awaitable);
      });
  TextStream stream = channel().server_stream<Text>("One", Text("go"));
  asio::cancellation_signal signal;
  on_loop([&] {
    stream.async_read(asio::bind_cancellation_slot(signal.slot(), asio::bind_executor(elsewhere, into(first))));
  });

  on_loop([&] { stream.async_read(into(second)); });

  ASSERT_TRUE(second.has_value());
  EXPECT_EQ(second->status().code(), StatusCode::failed_precondition);
  elsewhere.run();
  ASSERT_TRUE(first && first->is_ok());
  EXPECT_EQ(first->value(), "one");
}

TEST_F(StreamGiveUp, TheEndOfAStreamIsThereForEachRead) {
  server().handle_server_stream<Text, Text>(
      "Nothing",
      [](const Text&, ServerWriter<Text>&, ServerContext&) -> asio::awaitable<Status> { co_return Status(); });
  TextStream stream = channel().server_stream<Text>("Nothing", Text("go"));
  settle();

  for (int i = 0; i < 3; ++i) {
    asio::cancellation_signal signal;
    std::optional<Read> read_of_end;
    on_loop([&] {
      stream.async_read(asio::bind_cancellation_slot(signal.slot(), into(read_of_end)));
      signal.emit(asio::cancellation_type::total);
    });
    ASSERT_TRUE(read_of_end.has_value());
  }
  std::optional<Read> last;
  on_loop([&] { stream.async_read(into(last)); });

  ASSERT_TRUE(last && last->is_ok());
  EXPECT_FALSE(last->value().has_value());
}

TEST_F(StreamGiveUp, AWriteThatWaitsForRoomIsNotSent) {
  channel_options.limits.call_credit_bytes = server_options.limits.call_credit_bytes = 64 << 10;
  std::vector<Text> got;
  Gate gate(loop());
  server().handle_client_stream<Text, Text>(
      "Collect", [&](ServerReader<Text>& reader, Text& response, ServerContext&) -> asio::awaitable<Status> {
        co_await gate.pass();
        while (true) {
          Read message = co_await reader.async_read(use_awaitable);
          if (!message.is_ok()) co_return message.status();
          if (!message->has_value()) break;
          got.push_back(message->value().substr(0, 1));
        }
        response = std::to_string(got.size());
        co_return Status();
      });
  TextStream stream = channel().client_stream<Text, Text>("Collect");
  const Text filler(60 << 10, 'f');
  int filled = 0;
  asio::cancellation_signal signal;
  std::optional<Status> last;
  // Writes until one waits.
  while (true) {
    last.reset();
    on_loop([&] { stream.async_write(filler, asio::bind_cancellation_slot(signal.slot(), into(last))); });
    if (!last.has_value()) break;
    ASSERT_TRUE(last->is_ok());
    ASSERT_LT(++filled, 1000);
  }

  on_loop([&] { signal.emit(asio::cancellation_type::terminal); });
  ASSERT_TRUE(last.has_value());
  EXPECT_EQ(last->code(), StatusCode::cancelled);
  gate.open();
  settle();
  std::optional<Status> written;
  std::optional<Read> response;
  on_loop([&] { stream.async_write(Text("x"), into(written)); });
  on_loop([&] { stream.async_close_writes([](const Status&) {}); });
  on_loop([&] { stream.async_read(into(response)); });

  EXPECT_TRUE(written && written->is_ok());
  ASSERT_TRUE(response && response->is_ok());
  EXPECT_EQ(response->value(), std::to_string(filled + 1));
  EXPECT_EQ(got.back(), "x");
}

}  // namespace

}  // namespace trunkline::scenario
