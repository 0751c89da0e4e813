// SPDX-License-Identifier: MIT
// How streams end early: by the server, the client, the deadline, a reader that is dropped, or a lost server.
#include "scenario/both_ends.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trunkline::scenario {

namespace {

using asio::use_awaitable;
using Text = std::string;
using TextStream = ClientStream<Text, Text>;
using Serving = ServerStream<Text, Text>;
using Read = Result<std::optional<Text>>;

class StreamEnd : public BothEnds {
 protected:
  /// Reads to the end and returns how the stream ended.
  void handle_waiting_reader() {
    server().handle_stream<Text, Text>("Listen",
                                       [this](Serving& stream, ServerContext& context) -> asio::awaitable<Status> {
                                         context.on_cancel([this] { ++told; });
                                         for (;;) {
                                           const Read message = co_await stream.async_read(use_awaitable);
                                           if (message.is_ok() && message.status().is_ok() && has_text(message)) {
                                             ++received;
                                             continue;
                                           }
                                           read_end = message.status();
                                           break;
                                         }
                                         co_return Status();
                                       });
  }
  static bool has_text(const Read& message) { return message.value().has_value(); }
  static auto into(std::optional<Read>& outcome) {
    return [&outcome](Read result) { outcome = std::move(result); };
  }
  static auto into(std::optional<Status>& outcome) {
    return [&outcome](Status status) { outcome = std::move(status); };
  }
  static StatusCode code_of(const std::optional<Status>& status) {
    return status ? status->code() : StatusCode::unknown;
  }
  static StatusCode code_of(const std::optional<Read>& read) {
    return read ? read->status().code() : StatusCode::unknown;
  }

  int told = 0;
  int received = 0;
  std::optional<Status> read_end;
};

TEST_F(StreamEnd, AnErrorOfTheServerEndsTheClientsReadsAndWrites) {
  server().handle_stream<Text, Text>("Refuse", [](Serving& stream, ServerContext&) -> asio::awaitable<Status> {
    static_cast<void>(co_await stream.async_read(use_awaitable));
    co_return Status(StatusCode::failed_precondition, "enough");
  });
  TextStream stream = channel().stream<Text, Text>("Refuse");
  std::optional<Read> pending_read;
  std::optional<Read> late_read;
  std::optional<Status> late_write;
  std::optional<Status> finished;

  stream.async_read(into(pending_read));
  settle();
  stream.async_write("x", [](const Status&) {});
  settle();
  stream.async_read(into(late_read));
  stream.async_write("y", into(late_write));
  stream.async_finish(into(finished));
  settle();

  const Status expected(StatusCode::failed_precondition, "enough");
  ASSERT_TRUE(pending_read && late_read && late_write && finished);
  EXPECT_EQ(pending_read->status(), expected);
  EXPECT_EQ(late_read->status(), expected);
  EXPECT_EQ(*late_write, expected);
  EXPECT_EQ(*finished, expected);
}

TEST_F(StreamEnd, AnEarlyOkOfTheServerEndsReadsAndFailsWrites) {
  server().handle_stream<Text, Text>("Brief", [](Serving& stream, ServerContext&) -> asio::awaitable<Status> {
    const Text only = "only";
    co_return co_await stream.async_write(only, use_awaitable);
  });
  TextStream stream = channel().stream<Text, Text>("Brief");
  std::optional<Status> write;
  std::optional<Read> first;
  std::optional<Read> second;
  std::optional<Status> finished;
  settle();

  stream.async_write("x", into(write));
  stream.async_read(into(first));
  settle();
  stream.async_read(into(second));
  stream.async_finish(into(finished));
  settle();

  ASSERT_TRUE(first && second && finished);
  EXPECT_EQ(code_of(write), StatusCode::cancelled);
  EXPECT_EQ(first->value_or(std::nullopt), "only");
  ASSERT_TRUE(second->is_ok()) << second->status().to_string();
  EXPECT_FALSE(has_text(*second));
  EXPECT_TRUE(finished->is_ok()) << finished->to_string();
}

TEST_F(StreamEnd, CancellationByTheClientEndsBothSides) {
  handle_waiting_reader();
  TextStream stream = channel().stream<Text, Text>("Listen");
  std::optional<Read> read;
  std::optional<Status> finished;
  stream.async_read(into(read));
  stream.async_finish(into(finished));
  stream.async_write("x", [](const Status&) {});
  settle();

  stream.cancel();
  settle();

  EXPECT_EQ(code_of(read), StatusCode::cancelled);
  EXPECT_EQ(code_of(finished), StatusCode::cancelled);
  EXPECT_EQ(received, 1);
  EXPECT_EQ(code_of(read_end), handlers_code_if_cancelled());
  EXPECT_EQ(told, 1);
  EXPECT_EQ(server().totals().calls_cancelled, 1u);
  EXPECT_EQ(server().totals().open_calls, 0u);
}

TEST_F(StreamEnd, CancelEndsTheOperationsThatAreUnderWay) {
  handle_waiting_reader();
  TextStream stream = channel().stream<Text, Text>("Listen");
  std::optional<Read> read;
  std::optional<Status> finished;
  stream.async_read(into(read));
  stream.async_finish(into(finished));
  settle();

  stream.cancel();
  settle();

  EXPECT_EQ(code_of(read), StatusCode::cancelled);
  EXPECT_EQ(code_of(finished), StatusCode::cancelled);
  EXPECT_EQ(code_of(read_end), handlers_code_if_cancelled());
}

TEST_F(StreamEnd, ItsDeadlineEndsBothSides) {
  handle_waiting_reader();
  std::optional<TextStream> opened;
  on_loop([&] { opened.emplace(channel().stream<Text, Text>("Listen", {.timeout = 20s})); });
  TextStream& stream = *opened;
  std::optional<Read> read;
  std::optional<Status> finished;
  stream.async_read(into(read));
  stream.async_finish(into(finished));
  settle();

  advance(20s - 1ms);
  const bool early = read || finished || read_end;
  advance(1ms);

  EXPECT_FALSE(early);
  EXPECT_EQ(code_of(read), StatusCode::deadline_exceeded);
  EXPECT_EQ(code_of(finished), StatusCode::deadline_exceeded);
  EXPECT_EQ(code_of(read_end), StatusCode::deadline_exceeded);
  EXPECT_EQ(told, 1);
}

TEST_F(StreamEnd, DroppingItEndsTheServersWriterAndReturnsCredit) {
  channel_options.limits.connection_credit_bytes = 1 << 20;
  channel_options.limits.call_credit_bytes = 1 << 20;
  handle_echo();
  std::optional<Status> write_end;
  server().handle_server_stream<Text, Text>(
      "Flood", [&](const Text&, ServerWriter<Text>& writer, ServerContext&) -> asio::awaitable<Status> {
        const Text message(10000, 'x');
        for (;;) {
          Status written = co_await writer.async_write(message, use_awaitable);
          if (written.is_ok()) continue;
          write_end = written;
          co_return written;
        }
      });

  for (int round = 0; round < 20; ++round) {
    write_end.reset();
    std::optional<TextStream> stream(channel().server_stream<Text>("Flood", Text("go")));
    std::optional<Read> read;
    settle();
    stream->async_read(into(read));
    settle();
    ASSERT_TRUE(read && read->is_ok());
    ASSERT_FALSE(write_end.has_value()) << "the writer waits for room";
    stream.reset();
    settle();
    EXPECT_EQ(code_of(write_end), handlers_code_if_cancelled());
  }
  const auto after = begin("Echo", Text(900000, 'y'));

  EXPECT_EQ(after->text(), Text(900000, 'y')) << "the connection's credit is all there";
  EXPECT_EQ(server().totals().connections_accepted, is_over_http1() ? 21u : 1u);
  EXPECT_EQ(server().totals().open_calls, 0u);
}

TEST_F(StreamEnd, WritesAfterTheEndOfThisSideFail) {
  handle_waiting_reader();
  TextStream stream = channel().stream<Text, Text>("Listen");
  std::optional<Status> last;
  std::optional<Status> after_last;
  std::optional<Status> close_again;
  std::optional<Status> finished;
  std::optional<Status> after_all;

  stream.async_write_last("x", into(last));
  stream.async_write("y", into(after_last));
  stream.async_close_writes(into(close_again));
  stream.async_finish(into(finished));
  settle();
  stream.async_write("z", into(after_all));
  settle();

  ASSERT_TRUE(last && after_last && close_again && finished && after_all);
  EXPECT_TRUE(last->is_ok()) << last->to_string();
  EXPECT_EQ(after_last->code(), StatusCode::failed_precondition);
  EXPECT_TRUE(close_again->is_ok()) << close_again->to_string();
  EXPECT_TRUE(finished->is_ok()) << finished->to_string();
  EXPECT_EQ(after_all->code(), StatusCode::cancelled);
  EXPECT_EQ(received, 1);
  EXPECT_EQ(code_of(read_end), StatusCode::ok);
}

TEST_F(StreamEnd, TheServersWriterFailsWhenItsCallerHasGone) {
  std::vector<StatusCode> ends;
  server().handle_stream<Text, Text>("Slow", [&](Serving& stream, ServerContext& context) -> asio::awaitable<Status> {
    co_await asio::this_coro::throw_if_cancelled(false);
    context.on_cancel([&] { ends.push_back(StatusCode::ok); });
    const Read none = co_await stream.async_read(use_awaitable);
    ends.push_back(none.status().code());
    const Text late = "late";
    const Status written = co_await stream.async_write(late, use_awaitable);
    ends.push_back(written.code());
    co_return written;
  });
  std::optional<TextStream> stream(channel().stream<Text, Text>("Slow"));
  settle();

  stream.reset();
  settle();

  const StatusCode code = handlers_code_if_cancelled();
  EXPECT_THAT(ends, ElementsAre(StatusCode::ok, code, code));
  EXPECT_EQ(server().totals().open_calls, 0u);
}

TEST_F(StreamEnd, AStoppedServerEndsItAfterTheMessagesThatArrived) {
  server().handle_stream<Text, Text>("Talk", [](Serving& stream, ServerContext&) -> asio::awaitable<Status> {
    const Text message = "message";
    static_cast<void>(co_await stream.async_write(message, use_awaitable));
    co_return (co_await stream.async_read(use_awaitable)).status();
  });
  TextStream stream = channel().stream<Text, Text>("Talk");
  std::optional<Read> first;
  std::optional<Read> second;
  std::optional<Status> finished;
  settle();

  stop_server();
  stream.async_read(into(first));
  settle();
  stream.async_read(into(second));
  stream.async_finish(into(finished));
  settle();

  ASSERT_TRUE(first && first->is_ok());
  EXPECT_EQ(first->value_or(std::nullopt), "message");
  EXPECT_EQ(code_of(second), StatusCode::unavailable);
  EXPECT_EQ(code_of(finished), StatusCode::unavailable);
}

TEST_F(StreamEnd, AShutdownLetsItGoOnToItsEnd) {
  handle_waiting_reader();
  TextStream stream = channel().stream<Text, Text>("Listen");
  std::optional<Status> drained;
  std::optional<Status> finished;
  settle();

  on_loop([&] { server().async_shutdown(1min, [&](Status status) { drained = std::move(status); }); });
  stream.async_write("after the shutdown began", [](const Status&) {});
  settle();
  const bool drained_early = drained.has_value();
  stream.async_close_writes([](const Status&) {});
  stream.async_finish(into(finished));
  settle();

  EXPECT_FALSE(drained_early);
  EXPECT_EQ(received, 1);
  EXPECT_EQ(finished, Status());
  EXPECT_EQ(drained, Status());
}

TEST_F(StreamEnd, AMessageOverTheServersLimitEndsTheCall) {
  server_options.limits.max_message_bytes = 1000;
  handle_waiting_reader();
  TextStream stream = channel().stream<Text, Text>("Listen");
  std::optional<Status> too_long;
  std::optional<Status> longest;
  std::optional<Status> finished;
  settle();

  stream.async_write(Text(1001, 'x'), into(too_long));
  settle();
  stream.async_write_last(Text(1000, 'x'), into(longest));
  stream.async_finish(into(finished));
  settle();

  // Over gRPC a client does not know the server's limit, and learns of it once the message has been sent.
  EXPECT_EQ(code_of(too_long), is_over_http() ? StatusCode::ok : StatusCode::resource_exhausted);
  EXPECT_EQ(code_of(longest), StatusCode::resource_exhausted);
  EXPECT_EQ(code_of(finished), StatusCode::resource_exhausted);
  EXPECT_EQ(received, 0);
}

TEST_F(StreamEnd, OfAnUnknownMethodFailsEveryOperation) {
  server();
  TextStream stream = channel().stream<Text, Text>("Nothing");
  std::optional<Read> read;
  std::optional<Status> finished;

  stream.async_read(into(read));
  stream.async_finish(into(finished));
  settle();

  EXPECT_EQ(code_of(read), StatusCode::unimplemented);
  ASSERT_TRUE(finished.has_value());
  EXPECT_EQ(finished->code(), StatusCode::unimplemented);
  EXPECT_EQ(finished->may_have_run(), may_have_run_if_refused());
}

}  // namespace

}  // namespace trunkline::scenario
