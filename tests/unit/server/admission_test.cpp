// SPDX-License-Identifier: MIT
// Limits on calls: of the server, of a method, of a connection.
#include "unit/server/gate.h"
#include "unit/server/server_fixture.h"

namespace trunkline::server {

namespace {

class AdmissionLimits : public ServerFixture {
 protected:
  void handle_gated(Gate& gate, MethodOptions options = {}, std::string_view name = "Wait") {
    handle<Slice, Empty>(
        name,
        [&gate](const Slice&, ServerContext&) -> asio::awaitable<Status> {
          co_await gate.pass();
          co_return Status::ok();
        },
        options);
  }
};

TEST(CallPermit, CountsTheCallUntilItIsDestroyed) {
  Admission admission({.total = 1});
  ConnectionCalls connection;
  RegisteredMethod method{.name = "Echo", .handler = nullptr, .options = {.max_concurrent_calls = 1}};

  CallPermit permit = admission.admit(method, connection);
  const bool admits_second = static_cast<bool>(admission.admit(method, connection));
  const bool admits_plain = static_cast<bool>(admission.admit_plain(method, connection));
  CallPermit moved = std::move(permit);
  const std::size_t open = method.open_calls;
  moved = {};

  EXPECT_FALSE(admits_second);
  EXPECT_FALSE(admits_plain);
  EXPECT_EQ(open, 1u);
  EXPECT_EQ(method.open_calls, 0u);
  EXPECT_TRUE(admission.admit(method, connection));
}

TEST(CallPermit, OfAPlainCallCountsForItsMethodAlone) {
  Admission admission({.total = 1});
  ConnectionCalls connection;
  RegisteredMethod limited{.name = "Limited", .handler = nullptr, .options = {.max_concurrent_calls = 1}};
  RegisteredMethod other{.name = "Other", .handler = nullptr, .options = {}};

  const CallPermit plain = admission.admit_plain(limited, connection);

  EXPECT_TRUE(plain);
  EXPECT_FALSE(admission.admit_plain(limited, connection));
  EXPECT_TRUE(admission.admit(other, connection)) << "the server's limit does not count the plain call";
}

TEST(CallPermit, CountsForTheConnectionAndItsPeer) {
  Admission admission({.per_peer = 3, .per_connection = 2});
  RegisteredMethod method{.name = "Echo", .handler = nullptr, .options = {}};
  ConnectionCalls one{.peer = std::make_shared<PeerShare>()};
  ConnectionCalls two{.peer = one.peer};

  const CallPermit first = admission.admit(method, one);
  CallPermit second = admission.admit(method, one);
  const bool is_over_connection = !admission.admit(method, one) && !admission.admit_plain(method, one);
  const bool is_full = admission.is_full(one);
  const bool has_room_but_for_that = admission.has_room_for(method, one, {});
  const CallPermit third = admission.admit(method, two);
  const bool is_over_peer = !admission.admit(method, two) && !admission.admit_plain(method, two);
  const std::string by_peer(admission.refusal(method, two).message());
  second = {};

  EXPECT_TRUE(is_over_connection);
  EXPECT_TRUE(is_full);
  EXPECT_TRUE(has_room_but_for_that);
  EXPECT_FALSE(admission.is_full(two));
  EXPECT_TRUE(is_over_peer);
  EXPECT_EQ(by_peer, "call Echo: the peer address's running calls have reached max_concurrent_calls_per_peer 3");
  EXPECT_EQ(one.running, 1u);
  EXPECT_EQ(one.peer->calls, 2u);
  EXPECT_TRUE(admission.admit(method, two)) << "a refused call has left something behind";
}

TEST_F(AdmissionLimits, RefusesOverMaxConcurrentCalls) {
  ServerOptions options;
  options.max_concurrent_calls = 2;
  make_server(options);
  Gate gate(loop_);
  handle_gated(gate);
  handle_echo();
  TestClient& one = connect();
  TestClient& two = connect();
  one.call("Wait", "x");
  two.call("Wait", "x");
  settle();

  const ReceivedResponse refused = call(two, "Wait", "x");
  const ReceivedResponse plain = call(one, "Echo", "x");
  gate.open();
  settle();
  const ReceivedResponse after = call(two, "Echo", "x");

  EXPECT_EQ(refused.status.code(), StatusCode::resource_exhausted);
  EXPECT_EQ(refused.status.message(), "call Wait: the server's running calls have reached max_concurrent_calls 2");
  EXPECT_FALSE(refused.status.may_have_run());
  EXPECT_EQ(plain.status.code(), StatusCode::resource_exhausted);
  EXPECT_TRUE(after.status.is_ok());
  EXPECT_EQ(server().totals().calls_refused, 2u);
}

TEST_F(AdmissionLimits, RefusesOverTheMethodsOwnLimit) {
  Gate gate(loop_);
  handle_gated(gate, {.max_concurrent_calls = 1});
  handle_echo();
  TestClient& client = connect();
  client.call("Wait", "x");
  settle();

  const ReceivedResponse refused = call(client, "Wait", "x");
  const ReceivedResponse other = call(client, "Echo", "x");
  gate.open();
  settle();
  const ReceivedResponse after = call(client, "Wait", "x");

  EXPECT_EQ(refused.status.code(), StatusCode::resource_exhausted);
  EXPECT_EQ(refused.status.message(),
            "call Wait: the method's running calls have reached MethodOptions::max_concurrent_calls 1");
  EXPECT_FALSE(refused.status.may_have_run());
  EXPECT_TRUE(other.status.is_ok());
  EXPECT_TRUE(after.status.is_ok());
}

TEST_F(AdmissionLimits, CountsNoCallThatHasBeenCancelled) {
  Gate gate(loop_);
  handle_gated(gate, {.max_concurrent_calls = 1});
  TestClient& client = connect();
  const session::CallId first = client.call("Wait", "x");
  settle();

  client.cancel(first);
  settle();
  client.call("Wait", "x");
  settle();

  EXPECT_EQ(gate.waiting(), 1);
}

TEST_F(AdmissionLimits, CountsNoCallWhoseRequestIsUnfinished) {
  ServerOptions options;
  options.max_concurrent_calls = 2;
  make_server(options);
  handle_echo();
  handle<Slice, Slice>("Limited", [](const Slice& request, ServerContext&) { return request; },
                       {.max_concurrent_calls = 1});
  TestClient& slow = connect();
  std::vector<session::CallId> unfinished;
  for (int i = 0; i < 10; ++i) unfinished.push_back(slow.call("Limited", "", "", {.method = {}, .end = false}));
  for (int i = 0; i < 10; ++i) unfinished.push_back(slow.call("Limited", "x", "bytes", {.method = {}, .end = false}));
  settle();

  TestClient& other = connect();
  EXPECT_TRUE(call(other, "Echo", "x").status.is_ok());
  EXPECT_TRUE(call(other, "Limited", "x").status.is_ok());
  slow.send(unfinished.front(), "first", true);
  slow.send(unfinished.back(), "", true, "");
  settle();

  EXPECT_EQ(slow.response(unfinished.front()).payload, "first");
  EXPECT_EQ(slow.response(unfinished.back()).payload, "x");
  EXPECT_EQ(slow.response_count(), 2u);
}

TEST_F(AdmissionLimits, AreCheckedWhenTheRequestIsComplete) {
  Gate gate(loop_);
  handle_gated(gate, {.max_concurrent_calls = 1});
  TestClient& client = connect();
  const session::CallId unfinished = client.call("Wait", "", "", {.method = {}, .end = false});
  settle();
  client.call("Wait", "x");
  settle();

  client.send(unfinished, "x", true);
  settle();

  ASSERT_TRUE(client.has(unfinished));
  const Status& status = client.response(unfinished).status;
  EXPECT_EQ(status.code(), StatusCode::resource_exhausted);
  EXPECT_EQ(status.message(),
            "call Wait: the method's running calls have reached MethodOptions::max_concurrent_calls 1");
  EXPECT_FALSE(status.may_have_run());
  EXPECT_EQ(server().totals().calls_refused, 1u);
  EXPECT_EQ(gate.waiting(), 1);
}

TEST_F(AdmissionLimits, ARequestMustEndWithinTheStallTimeout) {
  ServerOptions options;
  options.limits.stall_timeout = std::chrono::seconds(10);
  make_server(options);
  handle_echo();
  TestClient& client = connect();
  const session::CallId empty = client.call("Echo", "", "", {.method = {}, .end = false});
  const session::CallId half = client.call("Echo", "x", "bytes", {.method = {}, .end = false});
  const session::CallId whole = client.call("Echo", "x", "bytes", {.method = {}, .end = false});
  settle();

  advance(std::chrono::seconds(9));
  client.send(whole, "", true, "");
  settle();
  const std::size_t responses = client.response_count();
  advance(std::chrono::seconds(2));

  EXPECT_EQ(responses, 1u);
  EXPECT_TRUE(client.response(whole).status.is_ok());
  for (const session::CallId id : {empty, half}) {
    ASSERT_TRUE(client.has(id));
    EXPECT_EQ(client.response(id).status.code(), StatusCode::deadline_exceeded);
    EXPECT_EQ(client.response(id).status.message(),
              "call Echo: the client has not ended its request within stall_timeout 10000 ms");
    EXPECT_FALSE(client.response(id).status.may_have_run());
  }
  EXPECT_EQ(server().totals().open_calls, 0u);
}

TEST_F(AdmissionLimits, AnUnfinishedRequestThatIsRefusedInTurnIsRefusedOnce) {
  ServerOptions options;
  options.limits.stall_timeout = std::chrono::seconds(10);
  make_server(options);
  handle_echo();
  Gate gate(loop_);
  handle_gated(gate);
  TestClient& client = connect(true);
  client.call("Wait", "x");
  const session::CallId twice = client.call("Echo", "x", "bytes", {.method = {}, .end = false});
  client.send(twice, "y", false);
  settle();

  advance(std::chrono::seconds(11));
  gate.open();
  settle();

  ASSERT_TRUE(client.has(twice));
  EXPECT_EQ(client.response(twice).status.code(), StatusCode::unimplemented);
  EXPECT_TRUE(logged_.empty());
}

TEST_F(AdmissionLimits, CountsPlainCallsOfALimitedMethod) {
  handle<Slice, Slice>("Echo", [](const Slice& request, ServerContext&) { return request; },
                       {.max_concurrent_calls = 1});
  TestClient& client = connect();

  for (int i = 0; i < 3; ++i) EXPECT_TRUE(call(client, "Echo", "x").status.is_ok());
}

TEST_F(AdmissionLimits, RefusesOverTheConnectionsLimit) {
  ServerOptions options;
  options.max_concurrent_calls_per_connection = 1;
  make_server(options);
  Gate gate(loop_);
  handle_gated(gate);
  handle_echo();
  TestClient& one = connect();
  one.call("Wait", "x");
  settle();

  EXPECT_FALSE(one.session().can_start()) << "the client knows the limit";
  EXPECT_TRUE(call(connect(), "Echo", "x").status.is_ok()) << "another connection has its own";
}

}  // namespace

}  // namespace trunkline::server
