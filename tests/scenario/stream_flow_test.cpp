// SPDX-License-Identifier: MIT
// Streams with a slow reader: the writer waits, so that the memory between them is bounded.
#include "scenario/both_ends.h"

#include <optional>
#include <string>

namespace trunkline::scenario {

namespace {

using asio::use_awaitable;
using Text = std::string;
using TextStream = ClientStream<Text, Text>;
using Read = Result<std::optional<Text>>;

constexpr std::size_t message_bytes = 1000;
constexpr std::size_t messages = 5000;
/// The reader's credit, the bytes that may be written ahead of it, those that may wait for the socket, and the link.
constexpr std::size_t most_bytes_between = (64 << 10) + (64 << 10) + (128 << 10) + (256 << 10) + 2 * message_bytes;
static_assert(messages * message_bytes > 5 * most_bytes_between);

class StreamFlow : public BothEnds {
 protected:
  StreamFlow() {
    channel_options.limits.call_credit_bytes = 64 << 10;
    channel_options.limits.max_unsent_bytes = 128 << 10;
    server_options.limits = channel_options.limits;
  }
  static Text numbered(std::size_t number) {
    Text text = std::to_string(number);
    text.resize(message_bytes, '.');
    return text;
  }
  /// Writes all messages, or until one cannot be written.
  template <class Stream>
  asio::awaitable<Status> write_all(Stream& stream) {
    for (; written < messages; ++written) {
      const Text message = numbered(written);
      Status status = co_await stream.async_write(message, use_awaitable);
      if (!status.is_ok()) co_return status;
    }
    co_return Status();
  }
  /// Reads at most `count` further messages, which must be in order.
  template <class Stream>
  asio::awaitable<void> read_some(Stream& stream, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const Read message = co_await stream.async_read(use_awaitable);
      EXPECT_TRUE(message.is_ok()) << message.status().to_string();
      if (!message.is_ok() || !message.value().has_value()) co_return;
      EXPECT_TRUE(*message.value() == numbered(read)) << "message " << read;
      ++read;
    }
  }

  std::size_t written = 0;
  std::size_t read = 0;
};

TEST_F(StreamFlow, TheServersWriterWaitsForTheClientsReader) {
  handle_echo();
  server().handle_server_stream<Text, Text>(
      "Flood", [this](const Text&, ServerWriter<Text>& writer, ServerContext&) { return write_all(writer); });
  TextStream stream = channel().server_stream<Text>("Flood", Text("go"));
  std::optional<Status> finished;
  settle();

  const std::size_t written_unread = written;
  const auto meanwhile = begin("Echo", "not held up");
  spawn([&] { return read_some(stream, 1000); });
  const std::size_t written_ahead = written - read;
  spawn([&] { return read_some(stream, messages); });
  stream.async_finish([&](Status status) { finished = std::move(status); });
  settle();

  EXPECT_GE(written_unread, (64u << 10) / message_bytes);
  EXPECT_LE(written_unread * message_bytes, most_bytes_between);
  EXPECT_LE(written_ahead * message_bytes, most_bytes_between);
  EXPECT_EQ(meanwhile->text(), "not held up");
  EXPECT_EQ(read, messages);
  ASSERT_TRUE(finished.has_value());
  EXPECT_TRUE(finished->is_ok()) << finished->to_string();
}

TEST_F(StreamFlow, TheClientsWriterWaitsForTheServersReader) {
  Gate gate(loop());
  handle_echo();
  server().handle_client_stream<Text, Text>(
      "Drink", [&](ServerReader<Text>& reader, Text& response, ServerContext&) -> asio::awaitable<Status> {
        co_await gate.pass();
        co_await read_some(reader, messages + 1);
        response = std::to_string(read);
        co_return Status();
      });
  TextStream stream = channel().client_stream<Text, Text>("Drink");
  std::optional<Read> answer;
  stream.async_read([&](Read result) { answer = std::move(result); });

  spawn([&]() -> asio::awaitable<void> {
    const Status status = co_await write_all(stream);
    EXPECT_TRUE(status.is_ok()) << status.to_string();
    static_cast<void>(co_await stream.async_close_writes(use_awaitable));
  });
  const std::size_t written_unread = written;
  const auto meanwhile = begin("Echo", "not held up");
  gate.open();
  settle();

  EXPECT_GE(written_unread, (64u << 10) / message_bytes);
  // Over HTTP/1.1 the server also reads ahead.
  EXPECT_LE(written_unread * message_bytes, most_bytes_between + (is_over_http1() ? 64u << 10 : 0u));
  EXPECT_EQ(meanwhile->text(), "not held up");
  EXPECT_EQ(written, messages);
  ASSERT_TRUE(answer && answer->is_ok());
  EXPECT_EQ(answer->value_or(std::nullopt), std::to_string(messages));
}

TEST_F(StreamFlow, OneSlowReaderDoesNotHoldUpAnotherStream) {
  server().handle_server_stream<Text, Text>(
      "Flood", [this](const Text&, ServerWriter<Text>& writer, ServerContext&) -> asio::awaitable<Status> {
        for (std::size_t i = 0; i < messages; ++i) {
          const Text message = numbered(i);
          const Status status = co_await writer.async_write(message, use_awaitable);
          if (!status.is_ok()) co_return status;
        }
        co_return Status();
      });
  TextStream neglected = channel().server_stream<Text>("Flood", Text("go"));
  TextStream wanted = channel().server_stream<Text>("Flood", Text("go"));
  settle();

  spawn([&] { return read_some(wanted, messages); });

  EXPECT_EQ(read, messages);
  EXPECT_EQ(server().totals().open_calls, 1u) << "the stream that nobody reads";
}

}  // namespace

}  // namespace trunkline::scenario
