// SPDX-License-Identifier: MIT
// Streams that nobody reads delay neither short calls nor readers of other streams of their connection.
#include "scenario/both_ends.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trunkline::scenario {

namespace {

using asio::use_awaitable;
using Text = std::string;
using TextStream = ClientStream<Text, Text>;
using Read = Result<std::optional<Text>>;

/// Each stream is longer than its credit, and all of them together than that of the connection.
class UnreadStreams : public BothEnds, public ::testing::WithParamInterface<std::size_t> {
 protected:
  static constexpr std::size_t call_credit = 64 << 10;
  static constexpr std::size_t written_ahead = 64 << 10;

  UnreadStreams() {
    for (ConnectionLimits* const limits : {&channel_options.limits, &server_options.limits}) {
      limits->call_credit_bytes = call_credit;
      limits->connection_credit_bytes = 1 << 20;
    }
    server_options.max_memory_bytes = channel_options.max_memory_bytes = 1u << 30;
  }
  std::size_t message_bytes() const { return GetParam(); }
  /// Enough to use up the connection's credit, and with what their writers have written ahead, and the memory of
  /// that, what may be unsent; fewer of those that have very many messages.
  int streams() const { return message_bytes() <= 16 ? 20 : 300; }
  /// Empty messages cost no credit natively: so many that they would have used up the connection's.
  std::size_t messages() const { return message_bytes() == 0 ? 5000 : (call_credit + written_ahead) / message_bytes(); }
  /// A call of a few bytes ends at once.
  void expect_short_calls_pass() {
    for (int i = 0; i < 20; ++i) {
      const auto echo = begin("Echo", std::string(100, 'e'));
      ASSERT_EQ(echo->count, 1);
      ASSERT_TRUE(echo->status().is_ok()) << echo->status().to_string();
    }
  }
};

TEST_P(UnreadStreams, OfHandlersLetShortCallsPass) {
  std::vector<std::unique_ptr<Gate>> gates;
  std::vector<std::size_t> counts;
  handle_echo();
  server().handle_client_stream<Text, Text>(
      "Later", [&](ServerReader<Text>& reader, Text& response, ServerContext&) -> asio::awaitable<Status> {
        co_await gates.emplace_back(std::make_unique<Gate>(loop()))->pass();
        std::size_t count = 0;
        while (true) {
          Read message = co_await reader.async_read(use_awaitable);
          if (!message.is_ok()) co_return message.status();
          if (!message->has_value()) break;
          ++count;
        }
        response = std::to_string(count);
        co_return Status();
      });
  const Text message(message_bytes(), 'm');
  std::vector<std::unique_ptr<TextStream>> open;
  std::vector<std::optional<Read>> responses(static_cast<std::size_t>(streams()));
  for (int i = 0; i < streams(); ++i) {
    open.push_back(std::make_unique<TextStream>(channel().client_stream<Text, Text>("Later")));
    spawn([this, &message, &stream = *open.back()]() -> asio::awaitable<void> {
      for (std::size_t k = 0; k < messages(); ++k) {
        if (!(co_await stream.async_write(message, use_awaitable)).is_ok()) co_return;
      }
      static_cast<void>(co_await stream.async_close_writes(use_awaitable));
    });
  }
  ASSERT_EQ(gates.size(), static_cast<std::size_t>(streams()));

  expect_short_calls_pass();
  // Natively each message has a record of 16 bytes; what else a connection and its calls take is less than the rest.
  const std::size_t records = message_bytes() == 0 ? 0 : call_credit / message_bytes() * 16;
  EXPECT_LE(server().totals().memory_used_bytes,
            static_cast<std::size_t>(streams()) * (2 * call_credit + message_bytes() + records + (64u << 10)));

  // The readers go on one by one, the last stream first, and others are still unread.
  for (int i = streams() - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    on_loop([&] { open[at]->async_read([&responses, at](Read read) { responses[at] = std::move(read); }); });
    on_loop([&] { gates[at]->open(); });
    ASSERT_TRUE(responses[at] && responses[at]->is_ok()) << "stream " << i;
    ASSERT_EQ(responses[at]->value(), std::to_string(messages()));
  }
}

TEST_P(UnreadStreams, OfAClientLetShortCallsPass) {
  handle_echo();
  server().handle_server_stream<Text, Text>(
      "Flood", [this](const Text&, ServerWriter<Text>& writer, ServerContext&) -> asio::awaitable<Status> {
        const Text message(message_bytes(), 'm');
        for (std::size_t i = 0; i < messages(); ++i) {
          Status status = co_await writer.async_write(message, use_awaitable);
          if (!status.is_ok()) co_return status;
        }
        co_return Status();
      });
  std::vector<std::unique_ptr<TextStream>> open;
  for (int i = 0; i < streams(); ++i) {
    open.push_back(std::make_unique<TextStream>(channel().server_stream<Text>("Flood", Text("go"))));
    settle();
  }

  expect_short_calls_pass();

  for (int i = streams() - 1; i >= 0; --i) {
    std::size_t count = 0;
    spawn([&, &stream = *open[static_cast<std::size_t>(i)]]() -> asio::awaitable<void> {
      while (true) {
        const Read message = co_await stream.async_read(use_awaitable);
        if (!message.is_ok() || !message->has_value()) co_return;
        ++count;
      }
    });
    ASSERT_EQ(count, messages()) << "stream " << i;
  }
}

/// A unary method gets its request once the client has ended its side; until then it delays no other call either.
TEST_P(UnreadStreams, OfUnaryMethodsLetShortCallsPass) {
  handle_echo();
  std::vector<std::unique_ptr<TextStream>> open;
  for (int i = 0; i < 40; ++i) {
    open.push_back(std::make_unique<TextStream>(channel().client_stream<Text, Text>("Echo")));
    on_loop([&] { open.back()->async_write(Text(message_bytes(), 'x'), [](Status) {}); });
  }

  expect_short_calls_pass();
}

INSTANTIATE_TEST_SUITE_P(MessageBytes, UnreadStreams, ::testing::Values(0u, 16u, 1000u, 8192u, 65536u));

/// Each message is longer than the credit of its call, and a few of them are as much as a connection may leave unread.
class UnreadLongMessages : public BothEnds {
 protected:
  static constexpr std::size_t message_bytes = 512 << 10;
  static constexpr int messages = 3;
  static constexpr int streams = 12;

  UnreadLongMessages() {
    for (ConnectionLimits* const limits : {&channel_options.limits, &server_options.limits}) {
      limits->call_credit_bytes = 64 << 10;
      limits->connection_credit_bytes = 1 << 20;
      limits->max_message_bytes = message_bytes;
      limits->max_unread_bytes = 2 * message_bytes;
    }
    server_options.max_memory_bytes = channel_options.max_memory_bytes = 1u << 30;
  }
  /// Calls of a few bytes, with metadata, and long ones go on, whatever is unread.
  void expect_calls_pass() {
    std::vector<std::shared_ptr<Outcome>> calls;
    const Metadata metadata{{"a", std::string(100, 'm')}};
    for (int i = 0; i < 5; ++i) calls.push_back(begin("Echo", std::string(100, 'e'), {.metadata = metadata}));
    for (int i = 0; i < 5; ++i) calls.push_back(begin("Echo", std::string(message_bytes - 100, 'e')));
    settle();
    for (const auto& call : calls) {
      ASSERT_EQ(call->count, 1);
      ASSERT_TRUE(call->status().is_ok()) << call->status().to_string();
    }
  }
};

TEST_F(UnreadLongMessages, OfHandlersLetCallsPass) {
  std::vector<std::unique_ptr<Gate>> gates;
  handle_echo();
  server().handle_client_stream<Text, Text>(
      "Later", [&](ServerReader<Text>& reader, Text& response, ServerContext&) -> asio::awaitable<Status> {
        co_await gates.emplace_back(std::make_unique<Gate>(loop()))->pass();
        int count = 0;
        while (true) {
          const Read message = co_await reader.async_read(use_awaitable);
          if (!message.is_ok()) co_return message.status();
          if (!message->has_value()) break;
          ++count;
        }
        response = std::to_string(count);
        co_return Status();
      });
  const Text message(message_bytes, 'm');
  std::vector<std::unique_ptr<TextStream>> open;
  std::vector<std::optional<Read>> responses(streams);
  for (int i = 0; i < streams; ++i) {
    open.push_back(std::make_unique<TextStream>(channel().client_stream<Text, Text>("Later")));
    spawn([&message, &stream = *open.back()]() -> asio::awaitable<void> {
      for (int k = 0; k < messages; ++k) {
        if (!(co_await stream.async_write(message, use_awaitable)).is_ok()) co_return;
      }
      static_cast<void>(co_await stream.async_close_writes(use_awaitable));
    });
  }
  settle();
  ASSERT_EQ(gates.size(), static_cast<std::size_t>(streams));

  expect_calls_pass();
  EXPECT_LE(server().totals().memory_used_bytes,
            static_cast<std::size_t>(streams) * (message_bytes + (256u << 10)) + 2 * message_bytes);

  for (int i = streams - 1; i >= 0; --i) {
    const auto at = static_cast<std::size_t>(i);
    on_loop([&] { open[at]->async_read([&responses, at](Read read) { responses[at] = std::move(read); }); });
    on_loop([&] { gates[at]->open(); });
    settle();
    ASSERT_TRUE(responses[at] && responses[at]->is_ok()) << "stream " << i;
    ASSERT_EQ(responses[at]->value(), std::to_string(messages));
  }
}

TEST_F(UnreadLongMessages, OfAClientLetCallsPass) {
  handle_echo();
  server().handle_server_stream<Text, Text>(
      "Flood", [](const Text&, ServerWriter<Text>& writer, ServerContext&) -> asio::awaitable<Status> {
        const Text message(message_bytes, 'm');
        for (int i = 0; i < messages; ++i) {
          Status status = co_await writer.async_write(message, use_awaitable);
          if (!status.is_ok()) co_return status;
        }
        co_return Status();
      });
  std::vector<std::unique_ptr<TextStream>> open;
  for (int i = 0; i < streams; ++i) {
    open.push_back(std::make_unique<TextStream>(channel().server_stream<Text>("Flood", Text("go"))));
    settle();
  }

  expect_calls_pass();

  for (int i = streams - 1; i >= 0; --i) {
    int count = 0;
    spawn([&, &stream = *open[static_cast<std::size_t>(i)]]() -> asio::awaitable<void> {
      while (true) {
        const Read message = co_await stream.async_read(use_awaitable);
        if (!message.is_ok() || !message->has_value()) co_return;
        ++count;
      }
    });
    settle();
    ASSERT_EQ(count, messages) << "stream " << i;
  }
}

}  // namespace

}  // namespace trunkline::scenario
