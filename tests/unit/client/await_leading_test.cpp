// SPDX-License-Identifier: MIT
// Waiting for a stream's leading metadata: what completes it, beside reads, across a retry, and at the end of a call.
#include "unit/client/client_fixture.h"

#include <optional>
#include <string>

namespace trunkline::client {

namespace {

using Text = std::string;
using TextStream = ClientStream<Text, Text>;

class AwaitLeading : public ClientFixture {
 protected:
  AwaitLeading() { network.on_call = nullptr; }

  void open(const CallOptions& call_options = {}) {
    on_loop([&] { stream.emplace(channel().stream<Text, Text>("Talk", call_options)); });
  }
  FakeServer& server() { return *network.servers.back(); }
  session::CallId id() { return server().calls.back().id; }
  /// What the wait has come to; empty while it lasts.
  std::shared_ptr<std::optional<Status>> await_leading() {
    auto outcome = std::make_shared<std::optional<Status>>();
    on_loop([&] { stream->async_await_leading([outcome](Status status) { *outcome = std::move(status); }); });
    return outcome;
  }
  void begin_read() {
    on_loop([&] {
      stream->async_read([this](Result<std::optional<Text>> result) {
        ++reads;
        read = result ? result->value_or("end") : result.status().to_string();
      });
    });
  }

  const Metadata leading{{"early", "1"}};
  std::optional<TextStream> stream;
  int reads = 0;
  Text read;
};

TEST_F(AwaitLeading, CompletesWithTheMetadataAndLeavesAReadWaiting) {
  open();
  begin_read();
  const auto waiting = await_leading();
  const bool waited = !waiting->has_value();

  on_loop([&] { server().send_leading(id(), leading); });

  EXPECT_TRUE(waited);
  ASSERT_TRUE(waiting->has_value());
  EXPECT_TRUE((*waiting)->is_ok()) << (*waiting)->to_string();
  EXPECT_EQ(stream->leading().get("early"), "1");
  EXPECT_EQ(reads, 0);
  on_loop([&] { server().send(id(), "first"); });
  EXPECT_EQ(read, "first");
}

TEST_F(AwaitLeading, CompletesWithAMessageThatStaysUnread) {
  open();
  const auto waiting = await_leading();

  on_loop([&] { server().send(id(), "first"); });
  begin_read();

  ASSERT_TRUE(waiting->has_value());
  EXPECT_TRUE((*waiting)->is_ok());
  EXPECT_TRUE(stream->leading().empty());
  EXPECT_EQ(read, "first");
}

TEST_F(AwaitLeading, CompletesAtOnceAfterwards) {
  open();
  on_loop([&] { server().send_leading(id(), leading); });

  const auto first = await_leading();
  const auto second = await_leading();

  ASSERT_TRUE(first->has_value() && second->has_value());
  EXPECT_TRUE((*first)->is_ok() && (*second)->is_ok());
  EXPECT_EQ(stream->leading().get("early"), "1");
}

TEST_F(AwaitLeading, OfACallThatTheServerEndsHasItsError) {
  open();
  const auto waiting = await_leading();

  on_loop([&] { server().refuse(id(), {StatusCode::not_found, "no such room"}, false); });
  const auto late = await_leading();

  ASSERT_TRUE(waiting->has_value() && late->has_value());
  EXPECT_EQ((*waiting)->code(), StatusCode::not_found);
  EXPECT_EQ((*late)->code(), StatusCode::not_found);
}

TEST_F(AwaitLeading, OfACallThatEndsWellWithoutAMessageSucceeds) {
  open();
  const auto waiting = await_leading();

  on_loop([&] { server().refuse(id(), Status(), false); });

  ASSERT_TRUE(waiting->has_value());
  EXPECT_TRUE((*waiting)->is_ok()) << (*waiting)->to_string();
  EXPECT_TRUE(stream->leading().empty());
}

TEST_F(AwaitLeading, OfACallThatIsCancelledEndsWithCancelled) {
  open();
  const auto waiting = await_leading();

  on_loop([&] { stream->cancel(); });

  ASSERT_TRUE(waiting->has_value());
  EXPECT_EQ((*waiting)->code(), StatusCode::cancelled);
}

TEST_F(AwaitLeading, EndsWithTheDeadlineOfItsCall) {
  open({.timeout = 1s});
  const auto waiting = await_leading();
  const bool waited = !waiting->has_value();

  advance(2s);

  EXPECT_TRUE(waited);
  ASSERT_TRUE(waiting->has_value());
  EXPECT_EQ((*waiting)->code(), StatusCode::deadline_exceeded);
}

TEST_F(AwaitLeading, IsOneAtATime) {
  open();
  const auto first = await_leading();

  const auto second = await_leading();

  EXPECT_FALSE(first->has_value());
  ASSERT_TRUE(second->has_value());
  EXPECT_EQ((*second)->code(), StatusCode::failed_precondition);
  EXPECT_EQ((*second)->message(), "await leading metadata: it is being awaited already");
}

TEST_F(AwaitLeading, WaitsForAConnection) {
  network.is_slow = true;
  open();
  const auto waiting = await_leading();
  const bool waited = !waiting->has_value();

  on_loop([&] { network.make_connections(); });
  on_loop([&] { server().send_leading(id(), leading); });

  EXPECT_TRUE(waited);
  ASSERT_TRUE(waiting->has_value());
  EXPECT_TRUE((*waiting)->is_ok());
  EXPECT_EQ(stream->leading().get("early"), "1");
}

TEST_F(AwaitLeading, GoesOnAcrossARetry) {
  network.on_call = echo;
  EXPECT_EQ(begin("connect")->text(), "re:connect");
  network.server(0).on_call = [](FakeServer& server, const ServedCall& call) {
    echo(server, call);
    server.drain();
  };
  network.on_call = nullptr;
  std::optional<Status> outcome;

  // The stream is opened behind the last call that the first server takes.
  on_loop([&] {
    channel().async_call<Text>("Echo", Text("last"), [](const Result<Text>&) {});
    stream.emplace(channel().server_stream<Text>("Watch", Text("request")));
    stream->async_await_leading([&](Status status) { outcome = std::move(status); });
  });
  const bool waited = !outcome.has_value();
  ASSERT_EQ(network.servers.size(), 2u);
  on_loop([&] { server().send_leading(id(), leading); });

  EXPECT_TRUE(waited);
  ASSERT_TRUE(outcome.has_value());
  EXPECT_TRUE(outcome->is_ok()) << outcome->to_string();
  EXPECT_EQ(stream->leading().get("early"), "1");
}

}  // namespace

}  // namespace trunkline::client
