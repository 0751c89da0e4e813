// SPDX-License-Identifier: MIT
// The end of a client's stream: metadata, the status behind the last message, limits, and failed writes.
#include "unit/client/client_fixture.h"

namespace trunkline::client {

namespace {

using Text = std::string;
using TextStream = ClientStream<Text, Text>;
using Read = Result<std::optional<Text>>;

class StreamEnds : public ClientFixture {
 protected:
  StreamEnds() { network.on_call = nullptr; }
  void open() {
    on_loop([&] { stream.emplace(channel().stream<Text, Text>("Talk")); });
  }
  FakeServer& server() { return network.server(0); }
  session::CallId id() { return server().calls.back().id; }
  Status write_last(const Text& text) {
    std::optional<Status> outcome;
    on_loop([&] { stream->async_write_last(text, [&](Status status) { outcome = std::move(status); }); });
    return outcome.value_or(Status(StatusCode::unknown, "not done"));
  }
  Status close_writes() {
    std::optional<Status> outcome;
    on_loop([&] { stream->async_close_writes([&](Status status) { outcome = std::move(status); }); });
    return outcome.value_or(Status(StatusCode::unknown, "not done"));
  }
  std::optional<TextStream> stream;
};

TEST_F(StreamEnds, MetadataOfAnEndWithAMessageIsTrailing) {
  open();
  const Metadata trailing{{"late", "1"}};

  on_loop([&] { server().respond(id(), "last", &trailing); });

  EXPECT_EQ(stream->trailing().get("late"), "1");
  EXPECT_TRUE(stream->leading().empty());
}

struct Refusal final : Interceptor {
  Status on_start(CallInfo&) override { return {StatusCode::permission_denied, "no"}; }
};

TEST_F(StreamEnds, AStreamThatWasNotSentHasNotRun) {
  std::vector<Status> ends;
  const auto end_of = [&](const CallOptions& call_options, bool is_cancelled) {
    on_loop([&] { stream.emplace(channel().stream<Text, Text>("Talk", call_options)); });
    on_loop([&] { stream->async_finish([&](Status status) { ends.push_back(std::move(status)); }); });
    if (is_cancelled) on_loop([&] { stream->cancel(); });
  };

  end_of({.compressor = "no such"}, false);
  end_of({.timeout = -1s}, false);
  network.is_slow = true;
  end_of({}, true);
  stream.reset();
  destroy_channel();
  options.interceptors = {std::make_shared<Refusal>()};
  end_of({}, false);

  ASSERT_EQ(ends.size(), 4u);
  EXPECT_EQ(ends[0].code(), StatusCode::invalid_argument);
  EXPECT_EQ(ends[1].code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(ends[2].code(), StatusCode::cancelled);
  EXPECT_EQ(ends[3].code(), StatusCode::permission_denied);
  for (const Status& status : ends) EXPECT_FALSE(status.may_have_run()) << status.to_string();
}

TEST_F(StreamEnds, AStreamThatWasSentMayHaveRun) {
  open();
  std::optional<Status> end;
  on_loop([&] { stream->async_finish([&](Status status) { end = std::move(status); }); });

  on_loop([&] { stream->cancel(); });

  ASSERT_TRUE(end);
  EXPECT_TRUE(end->may_have_run());
}

TEST_F(StreamEnds, AStreamWhoseRequestIsTooLongForTheServerHasNotRun) {
  std::optional<Status> end;
  const Text text(ConnectionLimits().max_message_bytes + 1, 'x');
  on_loop([&] { EXPECT_TRUE(channel().wait_for_ready(1s)); });

  on_loop([&] { stream.emplace(channel().server_stream<Text>("Talk", text)); });
  on_loop([&] { stream->async_finish([&](Status status) { end = std::move(status); }); });

  ASSERT_TRUE(end);
  EXPECT_EQ(end->code(), StatusCode::resource_exhausted);
  EXPECT_FALSE(end->may_have_run());
}

TEST_F(StreamEnds, StreamsObeyMaxPendingCalls) {
  options.max_pending_calls = 0;
  network.is_slow = true;
  open();
  std::optional<Status> finished;

  on_loop([&] { stream->async_finish([&](Status status) { finished = std::move(status); }); });

  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->code(), StatusCode::resource_exhausted);
}

TEST_F(StreamEnds, AStreamWithItsRequestIsClosedBeforeAndAfterItHasAConnection) {
  network.is_slow = true;
  on_loop([&] { stream.emplace(channel().server_stream<Text>("Talk", Text("x"))); });
  const Status before = close_writes();
  const Status refused_before = write_last("y");

  on_loop([&] { network.make_connections(); });
  const Status after = close_writes();
  const Status refused_after = write_last("y");

  EXPECT_TRUE(before.is_ok());
  EXPECT_TRUE(after.is_ok());
  EXPECT_EQ(refused_before.code(), StatusCode::failed_precondition);
  EXPECT_EQ(refused_after.code(), StatusCode::failed_precondition);
}

TEST_F(StreamEnds, AWriteThatFailsEndsTheCallWithItsError) {
  open();
  std::optional<Status> finished;

  const Status failed = write_last(Text(ConnectionLimits().max_message_bytes + 1, 'x'));
  const Status small = write_last("fits");
  on_loop([&] { stream->async_finish([&](Status status) { finished = std::move(status); }); });

  EXPECT_EQ(failed.code(), StatusCode::resource_exhausted);
  EXPECT_EQ(small.code(), StatusCode::resource_exhausted);
  ASSERT_TRUE(finished);
  EXPECT_EQ(finished->code(), StatusCode::resource_exhausted);
  EXPECT_THAT(std::string(finished->message()), HasSubstr("call Talk: send message: size 67108865 exceeds"));
  EXPECT_EQ(network.server(0).cancelled.size(), 1u);
}

}  // namespace

}  // namespace trunkline::client
