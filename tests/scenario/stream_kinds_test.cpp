// SPDX-License-Identifier: MIT
// Client, server and bidirectional streams between a channel and a server: all messages arrive in order, then the end.
#include "scenario/both_ends.h"

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace trunkline::scenario {

namespace {

using asio::use_awaitable;
using Text = std::string;
using TextStream = ClientStream<Text, Text>;
using Serving = ServerStream<Text, Text>;

/// `size` bytes that distinguish message `number` from all others.
Text content(std::size_t number, std::size_t size) {
  Text text(size, '\0');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + (number * 7 + i / 13) % 26);
  return text;
}

class StreamKinds : public BothEnds {
 protected:
  void handle_echo_stream() {
    server().handle_stream<Text, Text>("Echo", [](Serving& stream, ServerContext&) -> asio::awaitable<Status> {
      for (;;) {
        const auto message = co_await stream.async_read(use_awaitable);
        if (!message.is_ok()) co_return message.status();
        const std::optional<Text>& text = message.value();
        if (!text) co_return Status();
        const Status written = co_await stream.async_write(*text, use_awaitable);
        if (!written.is_ok()) co_return written;
      }
    });
  }
  /// Writes `count` messages, then ends this side.
  asio::awaitable<void> write_all(TextStream& stream, std::size_t count, std::size_t size) {
    for (std::size_t i = 0; i < count; ++i) {
      const Text message = content(i, size);
      const Status written = co_await stream.async_write(message, use_awaitable);
      EXPECT_TRUE(written.is_ok()) << written.to_string();
    }
    const Status closed = co_await stream.async_close_writes(use_awaitable);
    EXPECT_TRUE(closed.is_ok()) << closed.to_string();
  }
  /// Reads to the end and counts the messages, which must be those of write_all().
  asio::awaitable<void> read_all(TextStream& stream, std::size_t size) {
    for (;; ++read) {
      const auto message = co_await stream.async_read(use_awaitable);
      EXPECT_TRUE(message.is_ok()) << message.status().to_string();
      if (!message.is_ok() || !message.value().has_value()) break;
      EXPECT_TRUE(*message.value() == content(read, size)) << "message " << read << " is wrong or out of order";
    }
    finished = co_await stream.async_finish(use_awaitable);
  }

  std::size_t read = 0;
  std::optional<Status> finished;
};

TEST_F(StreamKinds, AClientStreamIsReadToItsEndAndHasOneResponse) {
  server().handle_client_stream<Text, Text>(
      "Join", [](ServerReader<Text>& reader, Text& response, ServerContext& context) -> asio::awaitable<Status> {
        for (;;) {
          const auto message = co_await reader.async_read(use_awaitable);
          if (!message.is_ok()) co_return message.status();
          if (!message.value().has_value()) break;
          response += *message.value() + ";";
        }
        context.add_trailing_metadata("joined", "yes");
        co_return Status();
      });
  TextStream stream = channel().client_stream<Text, Text>("Join");
  std::vector<Text> answers;

  spawn([&]() -> asio::awaitable<void> {
    co_await write_all(stream, 3, 2);
    for (;;) {
      const auto answer = co_await stream.async_read(use_awaitable);
      if (!answer.is_ok() || !answer.value().has_value()) break;
      answers.push_back(*answer.value());
    }
    finished = co_await stream.async_finish(use_awaitable);
  });

  EXPECT_THAT(answers, ElementsAre(content(0, 2) + ";" + content(1, 2) + ";" + content(2, 2) + ";"));
  ASSERT_TRUE(finished.has_value());
  EXPECT_TRUE(finished->is_ok()) << finished->to_string();
  EXPECT_EQ(stream.trailing().get("joined"), "yes");
}

TEST_F(StreamKinds, AServerStreamSendsItsMessagesThenItsStatus) {
  server().handle_server_stream<Text, Text>(
      "Count", [](const Text& request, ServerWriter<Text>& writer, ServerContext& context) -> asio::awaitable<Status> {
        for (std::size_t i = 0; i < std::stoul(request); ++i) {
          const Text message = content(i, 5);
          const Status written = co_await writer.async_write(message, use_awaitable);
          if (!written.is_ok()) co_return written;
        }
        context.add_trailing_metadata("counted", request);
        co_return Status(StatusCode::out_of_range, "that is all");
      });
  TextStream stream = channel().server_stream<Text>("Count", Text("4"));
  std::optional<Status> end;

  spawn([&]() -> asio::awaitable<void> {
    for (;; ++read) {
      const auto message = co_await stream.async_read(use_awaitable);
      end = message.status();
      if (!message.is_ok() || !message.value().has_value()) break;
      EXPECT_EQ(*message.value(), content(read, 5));
    }
    finished = co_await stream.async_finish(use_awaitable);
  });

  EXPECT_EQ(read, 4u);
  ASSERT_TRUE(end && finished);
  EXPECT_EQ(*end, Status(StatusCode::out_of_range, "that is all")) << "the reader gets the status, too";
  EXPECT_EQ(*finished, *end);
  EXPECT_EQ(stream.trailing().get("counted"), "4");
}

TEST_F(StreamKinds, LeadingMetadataComesBeforeTheFirstMessageAndTrailingWithTheStatus) {
  Gate gate(loop());
  server().handle_stream<Text, Text>("Talk", [&](Serving& stream, ServerContext& context) -> asio::awaitable<Status> {
    context.add_leading_metadata("hello", Text(context.metadata().get("name").value_or("nobody")));
    const Text first = "first";
    const Status written = co_await stream.async_write(first, use_awaitable);
    co_await gate.pass();
    context.add_trailing_metadata("bye", "now");
    co_return written;
  });
  const CallOptions options{.metadata = {{"name", "Ann"}}};
  TextStream stream = channel().stream<Text, Text>("Talk", options);
  std::optional<Result<std::optional<Text>>> message;

  stream.async_read([&](Result<std::optional<Text>> result) { message = std::move(result); });
  settle();
  const Metadata leading = stream.leading();
  const Metadata trailing_early = stream.trailing();
  stream.async_finish([&](Status status) { finished = std::move(status); });
  gate.open();
  settle();

  ASSERT_TRUE(message && message->is_ok());
  EXPECT_EQ(message->value(), "first");
  EXPECT_EQ(leading, (Metadata{{"hello", "Ann"}}));
  EXPECT_TRUE(trailing_early.empty());
  ASSERT_TRUE(finished.has_value());
  EXPECT_TRUE(finished->is_ok()) << finished->to_string();
  EXPECT_EQ(stream.trailing(), (Metadata{{"bye", "now"}}));
}

TEST_F(StreamKinds, TheServerGoesOnAfterTheClientsEnd) {
  std::vector<Text> log;
  server().handle_stream<Text, Text>("Late", [&](Serving& stream, ServerContext&) -> asio::awaitable<Status> {
    for (;;) {
      const auto message = co_await stream.async_read(use_awaitable);
      if (!message.is_ok()) co_return message.status();
      log.push_back(message.value().value_or("end"));
      if (!message.value().has_value()) break;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      const Text late = content(i, 4);
      const Status written = co_await stream.async_write(late, use_awaitable);
      if (!written.is_ok()) co_return written;
    }
    co_return Status();
  });
  TextStream stream = channel().stream<Text, Text>("Late");

  spawn([&]() -> asio::awaitable<void> {
    co_await write_all(stream, 2, 1);
    co_await read_all(stream, 4);
  });

  EXPECT_THAT(log, ElementsAre(content(0, 1), content(1, 1), "end"));
  EXPECT_EQ(read, 3u);
  ASSERT_TRUE(finished.has_value());
  EXPECT_TRUE(finished->is_ok()) << finished->to_string();
}

TEST_F(StreamKinds, AUnaryMethodMayBeCalledAsAStream) {
  handle_echo();
  TextStream stream = channel().stream<Text, Text>("Echo");

  spawn([&] { return read_all(stream, 9); });
  spawn([&] { return write_all(stream, 1, 9); });

  EXPECT_EQ(read, 1u);
  ASSERT_TRUE(finished.has_value());
  EXPECT_TRUE(finished->is_ok()) << finished->to_string();
}

TEST_F(StreamKinds, AThousandMessagesComeBackInOrder) {
  handle_echo_stream();
  TextStream stream = channel().stream<Text, Text>("Echo");

  spawn([&] { return read_all(stream, 100); });
  spawn([&] { return write_all(stream, 1000, 100); });

  EXPECT_EQ(read, 1000u);
  ASSERT_TRUE(finished.has_value());
  EXPECT_TRUE(finished->is_ok()) << finished->to_string();
}

TEST_F(StreamKinds, MessagesLongerThanAChunkComeBackWhole) {
  channel_options.limits.chunk_bytes = 4096;
  server_options.limits.chunk_bytes = 1024;
  handle_echo_stream();
  TextStream stream = channel().stream<Text, Text>("Echo");

  spawn([&] { return read_all(stream, 300001); });
  spawn([&] { return write_all(stream, 10, 300001); });

  EXPECT_EQ(read, 10u);
  ASSERT_TRUE(finished.has_value());
  EXPECT_TRUE(finished->is_ok()) << finished->to_string();
}

TEST_F(StreamKinds, OneMessageLongerThanAllCreditsComesBackWhole) {
  channel_options.limits.call_credit_bytes = 64 << 10;
  channel_options.limits.connection_credit_bytes = 1 << 20;
  server_options.limits = channel_options.limits;
  handle_echo_stream();
  TextStream stream = channel().stream<Text, Text>("Echo");

  spawn([&] { return read_all(stream, 5000000); });
  spawn([&] { return write_all(stream, 1, 5000000); });

  EXPECT_EQ(read, 1u);
  ASSERT_TRUE(finished.has_value());
  EXPECT_TRUE(finished->is_ok()) << finished->to_string();
}

TEST_F(StreamKinds, ManyStreamsDoNotMix) {
  handle_echo_stream();
  constexpr std::size_t streams = 50;
  std::vector<TextStream> open;
  std::vector<std::size_t> wrong(streams);
  std::vector<std::size_t> right(streams);
  for (std::size_t i = 0; i < streams; ++i) open.push_back(channel().stream<Text, Text>("Echo"));

  for (std::size_t i = 0; i < streams; ++i) {
    spawn([&, i]() -> asio::awaitable<void> {
      for (std::size_t round = 0; round < 20; ++round) {
        const Text message = content(i * 100 + round, 1 + i);
        static_cast<void>(co_await open[i].async_write(message, use_awaitable));
        const auto answer = co_await open[i].async_read(use_awaitable);
        ++(answer.is_ok() && answer.value() == message ? right : wrong)[i];
      }
    });
  }

  EXPECT_EQ(right, std::vector<std::size_t>(streams, 20));
  EXPECT_EQ(wrong, std::vector<std::size_t>(streams, 0));
  EXPECT_EQ(server().totals().open_calls, streams);
  EXPECT_EQ(server().totals().connections_accepted, is_over_http1() ? streams : 1u);
}

TEST(StreamKindsThreads, BlockingEndsCarryAThousandMessagesInOrder) {
  Server server;
  server.handle_stream<Text, Text>("Echo", [](Serving& stream, ServerContext&) {
    Status status;
    for (const Text& message : stream.messages(status)) {
      Status written = stream.write(message);
      if (!written.is_ok()) return written;
    }
    return status;
  });
  const Endpoint endpoint = server.listen("inproc://stream-kinds");
  ASSERT_TRUE(server.start().is_ok());
  Channel channel(endpoint.to_string());
  TextStream stream = channel.stream<Text, Text>("Echo");
  std::size_t written = 0;
  std::size_t read = 0;
  std::thread writer([&] {
    while (written < 1000 && stream.write(content(written, 1000)).is_ok()) ++written;
    EXPECT_TRUE(stream.close_writes().is_ok());
  });

  Status status(StatusCode::unknown, "not read");
  for (const Text& message : stream.messages(status)) {
    if (message == content(read, 1000)) ++read;
  }
  writer.join();

  EXPECT_TRUE(status.is_ok()) << status.to_string();
  EXPECT_EQ(written, 1000u);
  EXPECT_EQ(read, 1000u);
  EXPECT_TRUE(stream.finish().is_ok());
}

}  // namespace

}  // namespace trunkline::scenario
