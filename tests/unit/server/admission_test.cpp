// SPDX-License-Identifier: MIT
// Limits on calls: in all, per method, per connection.
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

  const Answer refused = call(two, "Wait", "x");
  const Answer plain = call(one, "Echo", "x");
  gate.open();
  settle();
  const Answer after = call(two, "Echo", "x");

  EXPECT_EQ(refused.status.code(), StatusCode::resource_exhausted);
  EXPECT_EQ(refused.status.message(), "call Wait: the server's open calls have reached max_concurrent_calls 2");
  EXPECT_FALSE(refused.status.may_have_run());
  EXPECT_EQ(plain.status.code(), StatusCode::resource_exhausted);
  EXPECT_TRUE(after.status.is_ok());
  EXPECT_EQ(server().stats().calls_refused, 2u);
}

TEST_F(AdmissionLimits, RefusesOverTheMethodsOwnLimit) {
  Gate gate(loop_);
  handle_gated(gate, {.max_concurrent_calls = 1});
  handle_echo();
  TestClient& client = connect();
  client.call("Wait", "x");
  settle();

  const Answer refused = call(client, "Wait", "x");
  const Answer other = call(client, "Echo", "x");
  gate.open();
  settle();
  const Answer after = call(client, "Wait", "x");

  EXPECT_EQ(refused.status.code(), StatusCode::resource_exhausted);
  EXPECT_EQ(refused.status.message(),
            "call Wait: the method's open calls have reached MethodOptions::max_concurrent_calls 1");
  EXPECT_FALSE(refused.status.may_have_run());
  EXPECT_TRUE(other.status.is_ok());
  EXPECT_TRUE(after.status.is_ok());
}

TEST_F(AdmissionLimits, FreesThePlaceOfACancelledCall) {
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
