// SPDX-License-Identifier: MIT
// Lifetimes of streams: after the channel, released early, assigned over, cancelled through slots.
#include "unit/client/client_fixture.h"

#include <asio/bind_cancellation_slot.hpp>
#include <asio/cancellation_signal.hpp>

namespace trunkline::client {

namespace {

using Text = std::string;
using TextStream = ClientStream<Text, Text>;
using Read = Result<std::optional<Text>>;

class StreamLifetime : public ClientFixture {
 protected:
  StreamLifetime() { network.on_call = nullptr; }
  TextStream open(const CallOptions& call_options = {}) {
    std::optional<TextStream> stream;
    on_loop([&] { stream.emplace(channel().stream<Text, Text>("Talk", call_options)); });
    return std::move(*stream);
  }
  FakeServer& server() { return network.server(0); }
  session::CallId id() { return server().calls.back().id; }
  static auto into(std::optional<Read>& outcome) {
    return [&outcome](Read result) { outcome = std::move(result); };
  }
  static auto into(std::optional<Status>& outcome) {
    return [&outcome](Status status) { outcome = std::move(status); };
  }
};

TEST_F(StreamLifetime, AsynchronousOperationsCompleteAfterTheChannel) {
  TextStream stream = open();
  on_loop([&] { destroy_channel(); });
  std::optional<Read> read;
  std::optional<Status> written;
  std::optional<Status> finished;

  stream.async_read(into(read));
  stream.async_write("x", into(written));
  stream.async_finish(into(finished));

  ASSERT_TRUE(read && written && finished);
  EXPECT_EQ(read->status().code(), StatusCode::cancelled);
  EXPECT_EQ(written->code(), StatusCode::cancelled);
  EXPECT_EQ(finished->code(), StatusCode::cancelled);
}

TEST_F(StreamLifetime, CallsThatHandlersBeginDuringDestructionEnd) {
  constexpr int count = 2000;
  std::vector<TextStream> streams;
  for (int i = 0; i < count; ++i) streams.push_back(open());
  int begun = 0;
  int ended = 0;
  for (TextStream& stream : streams) {
    stream.async_finish([&, &on = channel()](const Status&) {
      ++begun;
      on.async_call<Text>("Echo", Text("x"), [&](const Result<Text>&) { ++ended; });
    });
  }
  settle();

  destroy_channel();

  EXPECT_EQ(begun, count);
  EXPECT_EQ(ended, count);
}

TEST_F(StreamLifetime, HandlersReadWhatIsHeldOneAfterTheOther) {
  constexpr int count = 100000;
  options.limits.call_credit_bytes = 256u << 20;
  options.limits.connection_credit_bytes = 256u << 20;
  TextStream stream = open();
  on_loop([&] {
    for (int i = 0; i < count; ++i) server().send(id(), "x");
  });
  on_loop([&] { destroy_channel(); });
  int read = 0;
  bool inside = false;
  std::optional<Status> end;
  const std::function<void(const Read&)> read_on = [&](const Read& result) {
    ASSERT_FALSE(std::exchange(inside, true)) << "after " << read << " messages";
    if (result) {
      ++read;
      stream.async_read(read_on);
    } else {
      end = result.status();
    }
    inside = false;
  };

  stream.async_read(read_on);

  EXPECT_EQ(read, count);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->code(), StatusCode::cancelled);
}

TEST_F(StreamLifetime, BlockingInAHandlerFirstCompletesWhatItHasBegun) {
  TextStream stream = open();
  on_loop([&] { destroy_channel(); });
  std::string order;

  stream.async_finish([&](const Status&) {
    order += "outer ";
    stream.async_finish([&](const Status&) { order += "inner "; });
    order += "blocks ";
    static_cast<void>(stream.finish());
    order += "done";
  });

  EXPECT_EQ(order, "outer blocks inner done");
}

TEST_F(StreamLifetime, AStreamReleasedBeforeItsLaunchNeverReachesTheServer) {
  std::optional<TextStream> stream(channel().stream<Text, Text>("Talk"));
  event_loop->post([&] { stream.reset(); });

  settle();

  EXPECT_TRUE(network.servers.empty() || server().calls.empty());
}

TEST_F(StreamLifetime, AssigningAnotherReleasesTheOldCall) {
  TextStream stream = open();
  const session::CallId old = id();
  TextStream other = open();

  on_loop([&] { stream = std::move(other); });

  EXPECT_EQ(server().cancelled, std::vector<session::CallId>{old});
}

TEST_F(StreamLifetime, ResponseInfoIsNotTouchedAfterTheStreamIsReleased) {
  auto info = std::make_unique<ResponseInfo>();
  std::optional<TextStream> stream(open({.response_info = info.get()}));

  stream.reset();
  info->peer = "untouched";
  settle();

  EXPECT_EQ(info->peer, "untouched");
  EXPECT_EQ(server().cancelled.size(), 1u);
}

TEST_F(StreamLifetime, ResponseInfoIsFilledInWhenTheUserCancelsTheCall) {
  ResponseInfo info;
  TextStream stream = open({.response_info = &info});
  on_loop([&] { server().send_leading(id(), {{"early", "1"}}); });

  on_loop([&] { stream.cancel(); });

  EXPECT_EQ(info.leading.get("early"), "1");
}

TEST_F(StreamLifetime, ASlotGivesUpOneOperation) {
  TextStream stream = open();
  asio::cancellation_signal signal;
  std::optional<Read> read;
  on_loop([&] { stream.async_read(asio::bind_cancellation_slot(signal.slot(), into(read))); });

  on_loop([&] { signal.emit(asio::cancellation_type::terminal); });

  ASSERT_TRUE(read);
  EXPECT_EQ(read->status().code(), StatusCode::cancelled);
  EXPECT_TRUE(server().cancelled.empty());
}

TEST_F(StreamLifetime, ASlotOfAnOperationThatIsCompleteDoesNothing) {
  TextStream stream = open();
  asio::cancellation_signal signal;
  std::optional<Read> read;
  on_loop([&] { stream.async_read(asio::bind_cancellation_slot(signal.slot(), into(read))); });
  on_loop([&] { server().send(id(), "one"); });
  ASSERT_TRUE(read && read->is_ok());

  on_loop([&] { signal.emit(asio::cancellation_type::terminal); });

  EXPECT_TRUE(server().cancelled.empty());
}

TEST_F(StreamLifetime, AUnaryCallCancelledWhileItsLaunchIsQueuedEndsCancelled) {
  asio::cancellation_signal signal;
  std::optional<Result<Text>> outcome;
  Channel& on = channel();
  event_loop->post([&] { signal.emit(asio::cancellation_type::terminal); });

  on.async_call<Text>("Talk", Text("x"), {}, asio::bind_cancellation_slot(signal.slot(), [&](Result<Text> result) {
                        outcome = std::move(result);
                      }));
  settle();

  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->status().code(), StatusCode::cancelled);
}

}  // namespace

}  // namespace trunkline::client
