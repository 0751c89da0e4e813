// SPDX-License-Identifier: MIT
// Graceful shutdown: what was accepted is finished, the rest is refused, and the timeout ends it.
#include "unit/net/stream_peer.h"
#include "unit/server/gate.h"
#include "unit/server/server_fixture.h"
#include "unit/session/grpc/http2_client.h"

#include <trunkline/detail/stream_handler.h>
#include <trunkline/server.h>

#include <chrono>
#include <functional>
#include <future>
#include <optional>
#include <utility>

namespace trunkline::server {

namespace {

class DrainServer : public ServerFixture {
 protected:
  void handle_gated(Gate& gate) {
    handle<Slice, Slice>("Wait", [&gate](const Slice& request, ServerContext&) -> asio::awaitable<Slice> {
      co_await gate.pass();
      co_return request;
    });
  }
  void begin_shutdown(base::Duration timeout = std::chrono::seconds(10)) {
    server().async_shutdown(timeout, [this](Status status) { result_ = std::move(status); });
  }
  /// A client that sends what the test says.
  std::unique_ptr<net::StreamPeer> open_stream_peer() {
    auto [near, far] = make_link();
    auto peer = std::make_unique<net::StreamPeer>(std::move(near));
    server().accept_transport(std::move(far));
    peer->receive_all();
    return peer;
  }
  std::optional<Status> result_;
};

TEST_F(DrainServer, IsDoneAtOnceWithoutConnections) {
  begin_shutdown();
  settle();

  ASSERT_TRUE(result_.has_value());
  EXPECT_TRUE(result_->is_ok());
}

TEST_F(DrainServer, ClosesIdleConnections) {
  TestClient& client = connect();

  begin_shutdown();
  settle();

  EXPECT_TRUE(client.has_goaway());
  EXPECT_TRUE(client.is_closed());
  ASSERT_TRUE(result_.has_value());
  EXPECT_TRUE(result_->is_ok());
  EXPECT_EQ(server().totals().connections, 0u);
}

TEST_F(DrainServer, ClosesConnectionsThatHaveSentTooLittleToKnowTheirProtocol) {
  for (const std::string_view sent : {"", "\xF5", "PRI"}) {
    make_server();
    const auto peer = open_stream_peer();
    peer->send(sent);
    settle();
    const bool was_closed_early = peer->is_ended();

    begin_shutdown();
    settle();

    EXPECT_FALSE(was_closed_early) << sent;
    EXPECT_TRUE(peer->is_ended()) << sent << ": handshake_timeout has not passed";
    EXPECT_EQ(peer->received(), "") << sent;
  }
}

TEST_F(DrainServer, ClosesSilentConnectionsWhenItStops) {
  const auto peer = open_stream_peer();
  settle();

  server().stop();
  settle();

  EXPECT_TRUE(peer->is_ended());
}

TEST_F(DrainServer, FinishesWhatWasAcceptedAndRefusesTheRest) {
  Gate gate(loop_);
  handle_gated(gate);
  handle_echo();
  TestClient& client = connect();
  const session::CallId accepted = client.call("Wait", "x");
  settle();

  // Sent before the client can know of the shutdown.
  const session::CallId late = client.call("Echo", "late");
  begin_shutdown();
  settle();
  const bool done_early = result_.has_value();
  gate.open();
  settle();

  EXPECT_FALSE(done_early);
  EXPECT_TRUE(client.response(accepted).status.is_ok());
  EXPECT_EQ(client.response(accepted).payload, "x");
  ASSERT_TRUE(client.has(late));
  EXPECT_TRUE(client.response(late).status.is_ok() || !client.response(late).status.may_have_run());
  ASSERT_TRUE(result_.has_value());
  EXPECT_TRUE(result_->is_ok()) << result_->to_string();
}

TEST_F(DrainServer, CutsOffAtTheTimeout) {
  Gate gate(loop_);
  handle_gated(gate);
  TestClient& one = connect();
  TestClient& two = connect();
  const session::CallId id = one.call("Wait", "x");
  two.call("Wait", "x");
  two.call("Wait", "x");
  settle();

  begin_shutdown(std::chrono::seconds(5));
  settle();
  advance(std::chrono::seconds(4));
  const bool done_early = result_.has_value();
  advance(std::chrono::seconds(2));
  advance(std::chrono::seconds(2));

  EXPECT_FALSE(done_early);
  ASSERT_TRUE(result_.has_value());
  EXPECT_EQ(result_->code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(result_->message(), "server shutdown: its timeout has passed, calls cut off: 3");
  EXPECT_EQ(one.response(id).status.code(), StatusCode::unavailable);
  EXPECT_EQ(gate.waiting(), 0) << "the handlers were not cancelled";
}

TEST_F(DrainServer, DoesNotWaitForRequestsThatDoNotCome) {
  handle_echo();
  TestClient& client = connect();
  const session::CallId unfinished = client.call("Echo", "x", "bytes", {.method = {}, .end = false});
  settle();

  begin_shutdown(std::chrono::seconds(60));
  settle();
  advance(std::chrono::seconds(9));
  const bool was_refused_early = client.has(unfinished);
  advance(std::chrono::seconds(2));

  EXPECT_FALSE(was_refused_early);
  ASSERT_TRUE(client.has(unfinished));
  const Status& status = client.response(unfinished).status;
  EXPECT_EQ(status.code(), StatusCode::unavailable);
  EXPECT_EQ(status.message(),
            "call Echo: the server is draining, and the client has sent nothing of its request for 10000 ms");
  EXPECT_FALSE(status.may_have_run());
  ASSERT_TRUE(result_.has_value());
  EXPECT_TRUE(result_->is_ok()) << "no call was cut off";
}

TEST_F(DrainServer, WaitsForABodyOfHttp2AsLongAsItGoesOn) {
  using session::grpc::Http2Client;
  handle_echo();
  Http2Client frames;
  const auto peer = open_stream_peer();
  peer->send(Http2Client::preface() +
             frames.headers(1, {{":method", "POST"},
                                {":scheme", "http"},
                                {":path", "/Echo"},
                                {":authority", "h"},
                                {"content-type", "application/octet-stream"}}) +
             Http2Client::data(1, "a"));
  settle();

  begin_shutdown(std::chrono::seconds(600));
  for (int i = 0; i < 5; ++i) {
    advance(std::chrono::seconds(8));
    peer->send(Http2Client::data(1, "a"));
    settle();
  }
  const bool was_done_early = result_.has_value();
  advance(std::chrono::seconds(11));
  advance(std::chrono::seconds(11));
  advance(std::chrono::seconds(2));

  EXPECT_FALSE(was_done_early);
  ASSERT_TRUE(result_.has_value()) << "stall_timeout is longer";
  EXPECT_TRUE(result_->is_ok()) << result_->to_string();
}

TEST_F(DrainServer, DoesNotWaitForAContentOfHttp1ThatDoesNotCome) {
  handle_echo();
  const auto peer = open_stream_peer();
  peer->send(
      "POST /Echo HTTP/1.1\r\nHost: h\r\nContent-Type: application/octet-stream\r\nContent-Length: 9\r\n\r\nabc");
  settle();

  begin_shutdown(std::chrono::seconds(60));
  settle();
  const bool was_done_early = result_.has_value();
  advance(std::chrono::seconds(11));
  advance(std::chrono::seconds(2));

  EXPECT_FALSE(was_done_early);
  EXPECT_TRUE(peer->received().starts_with("HTTP/1.1 408 ")) << peer->received();
  ASSERT_TRUE(result_.has_value());
  EXPECT_TRUE(result_->is_ok()) << result_->to_string();
}

TEST_F(DrainServer, ReportsToBothOfTwoShutdowns) {
  Gate gate(loop_);
  handle_gated(gate);
  TestClient& client = connect();
  client.call("Wait", "x");
  settle();
  int reported = 0;

  begin_shutdown();
  server().async_shutdown(std::chrono::seconds(1),
                          [&reported](const Status& status) { reported += status.is_ok() ? 1 : 100; });
  settle();
  EXPECT_EQ(reported, 0);
  gate.open();
  settle();
  server().async_shutdown(std::chrono::seconds(1),
                          [&reported](const Status& status) { reported += status.is_ok() ? 1 : 100; });

  EXPECT_TRUE(result_.has_value());
  EXPECT_EQ(reported, 2);
}

TEST_F(DrainServer, MayBeDestroyedByTheCallbackOfAShutdownThatFindsItDone) {
  auto server = std::make_unique<trunkline::Server>();
  server->listen("inproc://destroyed");
  ASSERT_TRUE(server->start().is_ok());
  ASSERT_TRUE(server->shutdown(std::chrono::seconds(60)).is_ok());

  std::optional<Status> second;
  server->async_shutdown(std::chrono::seconds(1), [&](Status status) {
    second = std::move(status);
    server.reset();
  });

  EXPECT_TRUE(second && second->is_ok());
  EXPECT_EQ(server, nullptr);
}

TEST_F(DrainServer, MayHaveNoCallback) {
  server().async_shutdown(std::chrono::seconds(1), nullptr);
  settle();
  server().async_shutdown(std::chrono::seconds(1), nullptr);
  begin_shutdown();
  const bool reported = result_.has_value();
  server().stop();
  server().async_shutdown(std::chrono::seconds(1), nullptr);

  EXPECT_TRUE(reported);
}

TEST_F(DrainServer, HasNothingToDoOnceStopped) {
  server().stop();

  server().async_shutdown(std::chrono::seconds(1), nullptr);
  begin_shutdown();

  ASSERT_TRUE(result_.has_value());
  EXPECT_TRUE(result_->is_ok());
}

TEST_F(DrainServer, IsAbortedWhenStopComesFirst) {
  Gate gate(loop_);
  handle_gated(gate);
  TestClient& client = connect();
  client.call("Wait", "x");
  settle();

  begin_shutdown();
  settle();
  server().stop();

  ASSERT_TRUE(result_.has_value());
  EXPECT_EQ(result_->code(), StatusCode::aborted);
}

TEST_F(DrainServer, StopWaitsForAnotherThreadThatBeginsToStopAndAbortsIt) {
  Gate gate(loop_);
  handle_gated(gate);
  connect().call("Wait", "x");
  settle();
  std::promise<void> is_inside;
  std::promise<void> leave;
  server().async_shutdown(std::chrono::seconds(10), [&](const Status&) {
    is_inside.set_value();
    leave.get_future().wait();
    server().stop();  // it does not wait for itself
  });
  settle();

  auto first = std::async(std::launch::async, [&] { server().stop(); });
  is_inside.get_future().wait();
  auto second = std::async(std::launch::async, [&] { server().stop(); });
  const std::future_status early = second.wait_for(std::chrono::milliseconds(50));
  leave.set_value();
  first.wait();
  second.wait();

  EXPECT_EQ(early, std::future_status::timeout) << "it released what the first thread still used";
  EXPECT_EQ(server().totals().connections, 0u);
}

TEST_F(DrainServer, SendsFurtherConnectionsElsewhere) {
  Gate gate(loop_);
  handle_gated(gate);
  TestClient& client = connect();
  client.call("Wait", "x");
  settle();
  begin_shutdown();
  settle();

  TestClient& late = connect();

  EXPECT_TRUE(late.has_goaway()) << "so that it knows that its calls have not run";
  EXPECT_TRUE(late.is_closed());
  EXPECT_EQ(server().totals().connections, 1u);
}

TEST_F(DrainServer, DoesNotWaitForConnectionsThatHaveSentNothing) {
  auto [near, far] = make_link();
  server().accept_transport(std::move(far));
  settle();

  begin_shutdown();
  settle();

  EXPECT_TRUE(result_.has_value());
}

class DrainOfStreams : public DrainServer {
 protected:
  /// A stream that lasts until its client or the server ends it.
  void handle_endless() {
    using Handler = std::function<asio::awaitable<Status>(ServerStream<Slice, Slice>&, ServerContext&)>;
    Handler wait = [this](ServerStream<Slice, Slice>& stream, ServerContext& context) -> asio::awaitable<Status> {
      was_draining_at_first_ = context.is_draining();
      context.on_drain([this, &context] { is_told_ = context.is_draining(); });
      Status status = (co_await stream.async_read(asio::use_awaitable)).status();
      was_cancelled_ = context.is_cancelled();
      co_return status;
    };
    server().methods().add("Wait", std::make_unique<detail::StreamHandler<Slice, Slice, Handler>>(std::move(wait)), {});
  }
  session::CallId open_stream(TestClient& client) {
    session::CallStart start;
    start.end = false;
    const session::CallId id = client.call("Wait", "", "", start);
    settle();
    return id;
  }
  bool was_draining_at_first_ = true;
  bool is_told_ = false;
  bool was_cancelled_ = false;
};

TEST_F(DrainOfStreams, TellsHandlersAndInTheEndTheClient) {
  handle_endless();
  TestClient& client = connect();
  const session::CallId id = open_stream(client);

  begin_shutdown(std::chrono::seconds(10));
  settle();
  const bool was_told = is_told_;
  const bool had_ended = client.has(id);
  advance(std::chrono::seconds(11));

  EXPECT_FALSE(was_draining_at_first_);
  EXPECT_TRUE(was_told);
  EXPECT_FALSE(had_ended);
  ASSERT_TRUE(client.has(id));
  const Status& status = client.response(id).status;
  EXPECT_EQ(status.code(), StatusCode::unavailable);
  EXPECT_EQ(status.origin(), StatusOrigin::peer);
  EXPECT_TRUE(status.should_reconnect());
  EXPECT_TRUE(was_cancelled_);
  ASSERT_TRUE(result_.has_value());
  EXPECT_EQ(result_->code(), StatusCode::deadline_exceeded) << "the stream was cut off";
}

TEST_F(DrainOfStreams, TellsTheStreamsOfAConnectionThatIsTooOld) {
  ServerOptions options;
  options.max_connection_age = std::chrono::seconds(10);
  options.max_connection_age_grace = std::chrono::seconds(10);
  make_server(options);
  handle_endless();
  TestClient& client = connect();
  const session::CallId id = open_stream(client);

  advance(std::chrono::seconds(12));
  const bool was_told = is_told_;
  const bool had_ended = client.has(id);
  advance(std::chrono::seconds(12));

  EXPECT_TRUE(was_told);
  EXPECT_FALSE(had_ended);
  ASSERT_TRUE(client.has(id));
  EXPECT_TRUE(client.response(id).status.should_reconnect());
}

}  // namespace

}  // namespace trunkline::server
