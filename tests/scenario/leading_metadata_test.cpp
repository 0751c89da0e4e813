// SPDX-License-Identifier: MIT
// Leading metadata that a handler sends before it has anything else to say.
#include "scenario/both_ends.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::scenario {

namespace {

using Text = std::string;
using TextStream = ClientStream<Text, Text>;
using Serving = ServerStream<Text, Text>;
using Read = Result<std::optional<Text>>;

class LeadingMetadata : public BothEnds {
 protected:
  LeadingMetadata() {
    server_options.log = [this](const LogRecord& record) { logged.emplace_back(record.message); };
  }
  /// Runs `first`, sends the leading metadata, waits for the gate, runs `second`, and responds with "text".
  template <class First, class Second>
  void handle_two_steps(First first, Second second) {
    server().handle_stream<Text, Text>(
        "Talk", [this, first, second](Serving& stream, ServerContext& context) -> asio::awaitable<Status> {
          first(context);
          context.send_leading_metadata();
          co_await gate.pass();
          second(context);
          co_return co_await stream.async_write("text", asio::use_awaitable);
        });
  }
  void open() {
    on_loop([&] {
      stream.emplace(channel().stream<Text, Text>("Talk"));
      stream->async_close_writes([](const Status&) {});
      stream->async_await_leading([this](Status status) { awaited = std::move(status); });
    });
  }
  /// Opens the gate, and reads to the end of the call.
  void finish() {
    gate.open();
    on_loop([&] { stream->async_read([this](Read result) { read = result ? result->value_or("end") : "error"; }); });
    on_loop([&] { stream->async_finish([this](Status status) { finished = std::move(status); }); });
  }

  Gate gate{loop()};
  std::optional<TextStream> stream;
  std::optional<Status> awaited;
  std::optional<Status> finished;
  Text read;
  std::vector<std::string> logged;
};

void add_nothing(ServerContext&) {}

TEST_F(LeadingMetadata, ArrivesBeforeTheFirstMessage) {
  handle_two_steps([](ServerContext& context) { context.add_leading_metadata("early", "1"); }, add_nothing);

  open();
  const bool is_early = awaited.has_value();
  const std::string early{stream->leading().get("early").value_or("-")};
  finish();

  EXPECT_TRUE(is_early);
  EXPECT_EQ(early, "1");
  EXPECT_EQ(read, "text");
  ASSERT_TRUE(finished);
  EXPECT_TRUE(finished->is_ok()) << finished->to_string();
}

TEST_F(LeadingMetadata, ThatIsEmptyIsNoticedOverGrpcOnly) {
  handle_two_steps(add_nothing, add_nothing);

  open();
  const bool is_early = awaited.has_value();
  finish();

  EXPECT_EQ(is_early, is_over_http());
  ASSERT_TRUE(awaited);
  EXPECT_TRUE(awaited->is_ok()) << awaited->to_string();
  EXPECT_TRUE(stream->leading().empty());
  EXPECT_EQ(read, "text");
}

TEST_F(LeadingMetadata, IsSentOnceAndWhatComesLaterIsDropped) {
  handle_two_steps([](ServerContext& context) { context.add_leading_metadata("early", "1"); },
                   [](ServerContext& context) {
                     context.add_leading_metadata("late", "1");
                     context.send_leading_metadata();
                   });

  open();
  finish();

  EXPECT_EQ(stream->leading().get("early"), "1");
  EXPECT_FALSE(stream->leading().get("late"));
  EXPECT_EQ(read, "text");
  ASSERT_TRUE(finished);
  EXPECT_TRUE(finished->is_ok()) << finished->to_string();
}

TEST_F(LeadingMetadata, AfterTheFirstMessageIsDropped) {
  server().handle_stream<Text, Text>("Talk", [](Serving& serving, ServerContext& context) -> asio::awaitable<Status> {
    context.add_leading_metadata("early", "1");
    Status sent = co_await serving.async_write("text", asio::use_awaitable);
    context.add_leading_metadata("late", "1");
    context.send_leading_metadata();
    co_return sent;
  });

  open();
  finish();

  EXPECT_EQ(stream->leading().get("early"), "1");
  EXPECT_FALSE(stream->leading().get("late"));
  EXPECT_FALSE(stream->trailing().get("late"));
  EXPECT_EQ(read, "text");
  ASSERT_TRUE(finished);
  EXPECT_TRUE(finished->is_ok()) << finished->to_string();
}

TEST_F(LeadingMetadata, OverTheClientsLimitIsDroppedAndLogged) {
  handle_two_steps([](ServerContext& context) { context.add_leading_metadata("large", std::string(40000, 'x')); },
                   add_nothing);

  open();
  const bool is_early = awaited.has_value();
  finish();

  EXPECT_FALSE(is_early);
  EXPECT_TRUE(stream->leading().empty());
  EXPECT_EQ(read, "text");
  ASSERT_TRUE(finished);
  EXPECT_TRUE(finished->is_ok()) << finished->to_string();
  EXPECT_THAT(logged, ElementsAre(HasSubstr("exceeds")));
}

TEST_F(LeadingMetadata, ThatTheProtocolCannotCarryEndsTheCall) {
  if (!is_over_http()) GTEST_SKIP() << "the native protocol carries all";
  const auto add = [](ServerContext& context) { context.add_leading_metadata("user", "caf\xc3\xa9"); };
  server().handle<Text, Text>("Echo", [add](const Text& request, ServerContext& context) {
    add(context);
    return request;
  });
  server().handle<Text, Text>("Fail", [add](const Text&, ServerContext& context) -> Result<Text> {
    add(context);
    return Status(StatusCode::not_found, "no such user");
  });
  server().handle_stream<Text, Text>("Talk", [add](Serving&, ServerContext& context) -> asio::awaitable<Status> {
    add(context);
    co_return Status();
  });

  open();
  finish();

  EXPECT_EQ(begin("Echo", "x")->status().code(), StatusCode::internal);
  EXPECT_EQ(begin("Fail", "x")->status().code(), StatusCode::not_found) << "the handler's status says more";
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->code(), StatusCode::internal) << finished->to_string();
  EXPECT_THAT(logged, testing::Contains(HasSubstr("user")));
}

TEST_F(LeadingMetadata, OfACallWithOneResponseComesWithIt) {
  server().handle<Text, Text>("Echo", [](const Text& request, ServerContext& context) {
    context.add_leading_metadata("early", "1");
    context.send_leading_metadata();
    context.add_leading_metadata("late", "1");
    return request;
  });

  on_loop([&] {
    stream.emplace(channel().stream<Text, Text>("Echo"));
    stream->async_write_last("text", [](const Status&) {});
  });
  finish();

  EXPECT_EQ(stream->leading().get("early"), "1");
  EXPECT_FALSE(stream->leading().get("late"));
  EXPECT_EQ(read, "text");
}

}  // namespace

}  // namespace trunkline::scenario
