// SPDX-License-Identifier: MIT
// ServerContext::disconnect(): connections that a handler drops, as calls on either side see it. And close() of a
// channel without calls to cut off.
#include "scenario/both_ends.h"

#include <optional>
#include <string>
#include <vector>

namespace trunkline::scenario {

namespace {

using Text = std::string;

class Disconnect : public BothEnds {
 protected:
  void handle_drop() {
    server().handle<std::string, std::string>("Drop", [this](const std::string& request, ServerContext& context) {
      ++runs;
      context.disconnect();
      return request;
    });
  }

  int runs = 0;
};

TEST_F(Disconnect, EndsTheClientsCallsWithUnavailable) {
  handle_echo();
  Gate gate(loop());
  handle_waiting(gate);
  handle_drop();
  const auto waiting = begin("Wait", "x");

  begin("Drop", "x");

  ASSERT_TRUE(waiting->is_done());
  EXPECT_EQ(waiting->status().code(), StatusCode::unavailable) << waiting->status().to_string();
  EXPECT_TRUE(waiting->status().may_have_run());
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(server().totals().connections, 0u);
}

TEST_F(Disconnect, LaterCallsGetANewConnection) {
  handle_echo();
  handle_drop();
  begin("Drop", "x");

  const auto after = begin("Echo", "again");
  advance(1s);

  ASSERT_TRUE(after->is_done());
  EXPECT_TRUE(after->status().is_ok()) << after->status().to_string();
}

TEST_F(Disconnect, CancelsTheHandlerThatCallsIt) {
  Gate gate(loop());
  std::optional<bool> is_cancelled;
  server().handle<std::string, std::string>(
      "Drop", [&](const std::string& request, ServerContext& context) -> asio::awaitable<std::string> {
        context.on_cancel([&] { is_cancelled = context.is_cancelled(); });
        context.disconnect();
        co_await gate.pass();
        co_return request;
      });

  const auto call = begin("Drop", "x");

  EXPECT_EQ(is_cancelled, std::optional(true));
  ASSERT_TRUE(call->is_done());
  EXPECT_EQ(call->status().code(), StatusCode::unavailable);
}

TEST_F(Disconnect, DeliversWhatWasSentBefore) {
  Gate gate(loop());
  server().handle_server_stream<Text, Text>(
      "Two", [&](const Text& request, ServerWriter<Text>& writer, ServerContext& context) -> asio::awaitable<Status> {
        for (const char* end : {"1", "2"}) {
          const Text message = request + end;
          const Status written = co_await writer.async_write(message, asio::use_awaitable);
          if (!written.is_ok()) co_return written;
        }
        context.disconnect();
        co_await gate.pass();
        co_return Status();
      });
  ClientStream<Text, Text> stream = channel().server_stream<Text>("Two", Text("x"));
  std::vector<Text> read;
  Status end;

  spawn([&]() -> asio::awaitable<void> {
    for (;;) {
      const auto message = co_await stream.async_read(asio::use_awaitable);
      end = message.status();
      if (!message.is_ok() || !message.value().has_value()) break;
      read.push_back(*message.value());
    }
  });

  EXPECT_THAT(read, ElementsAre("x1", "x2"));
  EXPECT_EQ(end.code(), StatusCode::unavailable) << end.to_string();
}

using ChannelClose = BothEnds;

TEST_F(ChannelClose, IsOkWithoutATimeoutIfNoCallIsOpen) {
  handle_echo();
  begin("Echo", "connects");
  Status status(StatusCode::unknown, "not closed");

  block_on_loop([&] { status = channel().close(0ms); });

  EXPECT_TRUE(status.is_ok()) << status.to_string();
}

TEST_F(ChannelClose, ReportsHowManyCallsItHasCutOff) {
  Gate gate(loop());
  handle_waiting(gate);
  const auto waiting = begin("Wait", "x");
  Status status;

  block_on_loop([&] { status = channel().close(0ms); });

  EXPECT_EQ(status.code(), StatusCode::deadline_exceeded);
  EXPECT_THAT(std::string(status.message()), HasSubstr("1 calls were cancelled"));
  EXPECT_EQ(waiting->status().code(), StatusCode::cancelled);
}

}  // namespace

}  // namespace trunkline::scenario
