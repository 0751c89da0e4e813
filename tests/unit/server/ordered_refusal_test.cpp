// SPDX-License-Identifier: MIT
// Refusals on ordered connections: they wait for their turn, too.
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
  /// Behind a call that waits and before one that runs.
  void expect_in_turn(TestClient& client, Gate& gate, session::CallId refused, StatusCode code) {
    const session::CallId last = client.call("Plain", "c");
    settle();
    const std::size_t early = client.answer_count();
    gate.open();
    settle();

    EXPECT_EQ(early, 0u) << "answered before the call that was sent first";
    ASSERT_TRUE(client.has(refused));
    EXPECT_EQ(client.answer(refused).status.code(), code) << client.answer(refused).status.to_string();
    EXPECT_EQ(client.answer(refused).order, 1u);
    EXPECT_EQ(client.answer(last).order, 2u);
    EXPECT_EQ(server().stats().calls_refused, 1u);
    EXPECT_EQ(server().stats().open_calls, 0u);
  }
};

TEST_F(OrderedRefusal, OfAnUnknownMethodWaits) {
  Gate gate(loop_);
  handle_all(gate);
  TestClient& client = connect(true);
  client.call("Wait", "a");

  expect_in_turn(client, gate, client.call("Nothing", "b"), StatusCode::unimplemented);
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

/// What the session itself refuses: a codec that the server does not have.
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

  // The client has not heard yet which codecs the server knows.
  client.send(id, "1", true, "json");

  expect_in_turn(client, gate, id, StatusCode::unimplemented);
}

TEST_F(OrderedRefusal, WhenCancelledIsForgotten) {
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
  EXPECT_EQ(server().stats().open_calls, 0u);
}

TEST_F(OrderedRefusal, WhenTheServerStopsIsForgotten) {
  Gate gate(loop_);
  handle_all(gate);
  TestClient& client = connect(true);
  client.call("Wait", "a");
  client.call("Nothing", "b");
  settle();

  core_->stop();
  settle();

  EXPECT_EQ(core_->stats().open_calls, 0u);
}

}  // namespace

}  // namespace trunkline::server
