// SPDX-License-Identifier: MIT
// Refusals on ordered connections wait for their turn.
#include "codec/bytes_codec.h"
#include "unit/server/gate.h"
#include "unit/server/server_fixture.h"

#include <trunkline/value.h>

namespace trunkline::server {

namespace {

class OrderedRefusal : public ServerFixture {
 protected:
  void handle_all(Gate& gate, MethodOptions limited = {}) {
    handle<std::string, std::string>(
        "Wait",
        [&gate](const std::string& request, ServerContext&) -> asio::awaitable<std::string> {
          co_await gate.pass();
          co_return request;
        },
        limited);
    handle<std::string, std::string>("Plain", [](const std::string& request, ServerContext&) { return request; });
    handle<Value, Value>("Tree", [](const Value& request, ServerContext&) { return request; });
  }
  /// Sends the refused call between one that waits and one that runs.
  void expect_in_turn(TestClient& client, Gate& gate, session::CallId refused, StatusCode code) {
    const session::CallId last = client.call("Plain", "c");
    settle();
    const std::size_t early = client.response_count();
    gate.open();
    settle();

    EXPECT_EQ(early, 0u) << "refused before the response to the call that was sent first";
    ASSERT_TRUE(client.has(refused));
    EXPECT_EQ(client.response(refused).status.code(), code) << client.response(refused).status.to_string();
    EXPECT_EQ(client.response(refused).order, 1u);
    EXPECT_EQ(client.response(last).order, 2u);
    EXPECT_EQ(server().totals().calls_refused, 1u);
    EXPECT_EQ(server().totals().open_calls, 0u);
  }
};

TEST_F(OrderedRefusal, OfAnUnknownMethodWaits) {
  Gate gate(loop_);
  handle_all(gate);
  TestClient& client = connect(true);
  client.call("Wait", "a");

  expect_in_turn(client, gate, client.call("Nothing", "b"), StatusCode::unimplemented);
}

TEST_F(OrderedRefusal, BeforeALongRequestIsWholeIsCountedOnce) {
  Gate gate(loop_);
  handle_all(gate);
  TestClient& client = connect(true);
  client.call("Wait", "a");

  expect_in_turn(client, gate, client.call("Nothing", std::string(8 << 20, 'x')), StatusCode::unimplemented);
}

TEST_F(OrderedRefusal, OfALongRequestOnAnIdleConnectionIsCountedOnce) {
  TestClient& client = connect(true);

  const ReceivedResponse received = call(client, "Nothing", std::string(8 << 20, 'x'));

  EXPECT_EQ(received.status.code(), StatusCode::unimplemented);
  EXPECT_EQ(server().totals().calls_refused, 1u);
}

class RefuseAll final : public Interceptor {
 public:
  Status on_start(CallInfo&) override { return {StatusCode::unauthenticated, "no token"}; }
  void on_finish(CallInfo&, Status&) override {}
};

TEST_F(OrderedRefusal, ByAnInterceptorIsCountedAsACallThatFailed) {
  ServerOptions options;
  options.interceptors = {std::make_shared<RefuseAll>()};
  make_server(options);
  handle_echo();
  TestClient& client = connect(true);

  const ReceivedResponse received = call(client, "Echo", std::string(8 << 20, 'x'));

  EXPECT_EQ(received.status.code(), StatusCode::unauthenticated);
  EXPECT_EQ(server().totals().calls_started, 1u);
  EXPECT_EQ(server().totals().calls_failed, 1u);
  EXPECT_EQ(server().totals().calls_refused, 0u);
}

TEST_F(OrderedRefusal, OfARequestThatDoesNotParseWaits) {
  Gate gate(loop_);
  handle_all(gate);
  TestClient& client = connect(true);
  client.call("Wait", "a");

  expect_in_turn(client, gate, client.call("Tree", "{", "json"), StatusCode::invalid_argument);
}

TEST_F(OrderedRefusal, ByALimitOfTheMethodWaits) {
  Gate gate(loop_);
  handle_all(gate, {.max_concurrent_calls = 1});
  TestClient& client = connect(true);
  client.call("Wait", "a");

  expect_in_turn(client, gate, client.call("Wait", "b"), StatusCode::resource_exhausted);
}

/// A refusal by the session: the server does not have the codec.
class SessionRefusal : public OrderedRefusal {
 protected:
  SessionRefusal() {
    ServerOptions options;
    options.codecs = CodecRegistry().add(std::make_shared<codec::BytesCodec>());
    make_server(std::move(options));
  }
};

TEST_F(SessionRefusal, OfAnUnknownCodecWaits) {
  Gate gate(loop_);
  handle_all(gate);
  TestClient& client = connect(true);
  client.call("Wait", "a");

  expect_in_turn(client, gate, client.call("Plain", "b", "json"), StatusCode::unimplemented);
}

TEST_F(SessionRefusal, OfALaterMessageOfAnUnknownCodecWaits) {
  Gate gate(loop_);
  handle_all(gate);
  TestClient& client = connect(true);
  client.call("Wait", "a");
  session::CallStart start;
  start.end = false;
  const session::CallId id = client.call("Plain", "", "", start);

  // The client has not received the names of the server's codecs yet.
  client.send(id, "1", true, "json");

  expect_in_turn(client, gate, id, StatusCode::unimplemented);
}

TEST_F(OrderedRefusal, IsDroppedWhenItsCallIsCancelled) {
  Gate gate(loop_);
  handle_all(gate);
  TestClient& client = connect(true);
  client.call("Wait", "a");
  const session::CallId refused = client.call("Nothing", "b");
  settle();

  client.cancel(refused);
  settle();
  gate.open();
  settle();

  EXPECT_FALSE(client.has(refused));
  EXPECT_EQ(server().totals().open_calls, 0u);
}

TEST_F(OrderedRefusal, IsDroppedWhenTheServerStops) {
  Gate gate(loop_);
  handle_all(gate);
  TestClient& client = connect(true);
  client.call("Wait", "a");
  client.call("Nothing", "b");
  settle();

  core_->stop();
  settle();

  EXPECT_EQ(core_->totals().open_calls, 0u);
}

}  // namespace

}  // namespace trunkline::server
