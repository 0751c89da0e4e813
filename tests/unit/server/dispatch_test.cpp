// SPDX-License-Identifier: MIT
// What handlers learn about their call and set for its response; exceptions; methods that are added and removed.
#include "unit/server/server_fixture.h"

#include <trunkline/value.h>

#include <stdexcept>

namespace trunkline::server {

namespace {

class Dispatch : public ServerFixture {};

TEST_F(Dispatch, RefusesUnknownMethod) {
  const ReceivedResponse received = call(connect(), "Nobody", "x");

  EXPECT_EQ(received.status.code(), StatusCode::unimplemented);
  EXPECT_EQ(received.status.message(), "call Nobody: no such method");
  EXPECT_FALSE(received.status.may_have_run());
}

TEST_F(Dispatch, RefusesARequestOverALimitOfItsCodec) {
  make_server({.codecs = CodecRegistry::with_defaults({.max_value_nodes = 3})});
  handle<Value, Value>("Echo", [](const Value& request, ServerContext&) { return request; });
  TestClient& client = connect();

  EXPECT_EQ(call(client, "Echo", "[1,2]", "json").payload, "[1,2]");
  EXPECT_EQ(call(client, "Echo", "[1,2,3]", "json").status.to_string(),
            "resource_exhausted: call Echo: decode json: byte 7 of 7: 4 nodes exceed max_value_nodes 3");
  EXPECT_EQ(call(client, "Echo", "[1,", "json").status.code(), StatusCode::invalid_argument);
}

TEST_F(Dispatch, ShowsTheCallToItsHandler) {
  std::string seen;
  handle<Slice, Empty>("Look", [&seen](const Slice&, ServerContext& context) {
    seen = std::string(context.method()) + " " + std::string(context.peer()) + " " +
           std::string(context.metadata().get("who").value_or("nobody")) + " " +
           std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(context.time_left()).count());
    return Status::ok();
  });
  TestClient& client = connect();
  const Metadata metadata{{"who", "me"}};

  call(client, "Look", "x", "bytes",
       {.method = {}, .deadline = clock_.now() + std::chrono::seconds(2), .metadata = &metadata});

  EXPECT_EQ(seen, "Look inproc://test me 2000");
}

TEST_F(Dispatch, RefusesASecondRequestOfAUnaryMethod) {
  int runs = 0;
  handle<Slice, Slice>("Echo", [&runs](const Slice& request, ServerContext&) {
    ++runs;
    return request;
  });
  TestClient& client = connect();

  const session::CallId stream = client.call("Echo", "one", "bytes", {.method = {}, .end = false});
  client.send(stream, "two", true);
  const session::CallId single = client.call("Echo", "one", "bytes", {.method = {}, .end = false});
  settle();
  EXPECT_FALSE(client.has(single)) << "there may be more to come";
  static_cast<void>(client.session().send(single, {}, nullptr, true));
  client.call("Echo", "another");
  settle();

  EXPECT_EQ(client.response(stream).status.code(), StatusCode::unimplemented);
  EXPECT_EQ(client.response(stream).status.message(),
            "call Echo: the method is unary, and was called with a stream of requests, as a client_stream or "
            "bidirectional method is");
  EXPECT_EQ(client.response(single).payload, "one");
  EXPECT_EQ(runs, 2);
}

TEST_F(Dispatch, ShowsNoDeadlineAsMaximum) {
  std::chrono::nanoseconds left{};
  handle<Slice, Empty>("Look", [&left](const Slice&, ServerContext& context) {
    left = context.time_left();
    return Status::ok();
  });

  call(connect(), "Look", "x");

  EXPECT_EQ(left, std::chrono::nanoseconds::max());
}

TEST_F(Dispatch, SendsLeadingAndTrailingMetadataOfThisCallOnly) {
  bool add = true;
  handle<Slice, Slice>("Tell", [&add](const Slice& request, ServerContext& context) {
    if (add) context.add_leading_metadata("first", "1"), context.add_trailing_metadata("last", "2");
    return request;
  });
  TestClient& client = connect();

  const ReceivedResponse with = call(client, "Tell", "x");
  add = false;
  const ReceivedResponse without = call(client, "Tell", "y");

  EXPECT_EQ(with.leading.get("first"), "1");
  EXPECT_EQ(with.trailing.get("last"), "2");
  EXPECT_EQ(with.payload, "x");
  EXPECT_TRUE(without.leading.empty());
  EXPECT_TRUE(without.trailing.empty());
}

TEST_F(Dispatch, FailsACallWhoseLeadingMetadataIsTooLarge) {
  const auto add = [](const Slice& request, ServerContext& context) {
    context.add_leading_metadata("large", std::string(40000, 'x'));
    context.add_trailing_metadata("last", "2");
    return request;
  };
  handle<Slice, Slice>("Plain", add);
  handle<Slice, Slice>("Coroutine", [add](const Slice& request, ServerContext& context) -> asio::awaitable<Slice> {
    co_return add(request, context);
  });
  handle<Slice, Slice>("Fail", [add](const Slice& request, ServerContext& context) -> Result<Slice> {
    static_cast<void>(add(request, context));
    return Status(StatusCode::aborted, "fail: on purpose");
  });
  TestClient& client = connect();

  for (const std::string_view method : {"Plain", "Coroutine"}) {
    const ReceivedResponse received = call(client, method, "x");
    EXPECT_EQ(received.status.code(), StatusCode::resource_exhausted) << method;
    EXPECT_NE(received.status.message().find("leading metadata"), std::string_view::npos) << received.status.message();
    EXPECT_FALSE(received.has_message);
    EXPECT_EQ(received.trailing.get("last"), "2");
  }
  EXPECT_EQ(server().totals().calls_failed, 2u);
  ASSERT_EQ(logged_.size(), 2u);
  EXPECT_EQ(logged_[0].method, "Plain");
  EXPECT_EQ(call(client, "Fail", "x").status.code(), StatusCode::aborted) << "the handler's error says more";
}

TEST_F(Dispatch, SendsTrailingMetadataAndDetailsWithAnError) {
  handle<Slice, Slice>("Fail", [](const Slice&, ServerContext& context) -> Result<Slice> {
    context.add_trailing_metadata("why", "because");
    Status status(StatusCode::aborted, "fail: on purpose");
    status.add_detail("type/url", "value");
    return status;
  });

  const ReceivedResponse received = call(connect(), "Fail", "x");

  EXPECT_EQ(received.status.code(), StatusCode::aborted);
  EXPECT_EQ(received.trailing.get("why"), "because");
  ASSERT_EQ(received.status.details().size(), 1u);
  EXPECT_EQ(received.status.details()[0].value, "value");
}

TEST_F(Dispatch, KeepsExceptionTextFromTheCaller) {
  handle<Slice, Empty>("Throw", [](const Slice&, ServerContext&) -> Status { throw std::runtime_error("secret"); });
  handle_echo();
  TestClient& client = connect();

  const ReceivedResponse received = call(client, "Throw", "x");

  EXPECT_EQ(received.status.code(), StatusCode::internal);
  EXPECT_EQ(received.status.message(), "handler of Throw threw an exception");
  ASSERT_EQ(logged_.size(), 1u);
  EXPECT_EQ(logged_[0].message, "handler of Throw threw an exception: secret");
  EXPECT_EQ(logged_[0].level, LogLevel::error);
  EXPECT_EQ(logged_[0].method, "Throw");
  EXPECT_EQ(server().totals().handler_exceptions, 1u);
  EXPECT_EQ(call(client, "Echo", "still here").payload, "still here");
}

TEST_F(Dispatch, ExposesExceptionTextIfTheOptionIsSet) {
  ServerOptions options;
  options.expose_exception_text = true;
  make_server(options);
  handle<Slice, Empty>("Throw", [](const Slice&, ServerContext&) -> Status { throw std::runtime_error("secret"); });
  handle<Slice, Empty>("ThrowInt", [](const Slice&, ServerContext&) -> Status { throw 7; });
  TestClient& client = connect();

  EXPECT_EQ(call(client, "Throw", "x").status.message(), "handler of Throw threw an exception: secret");
  EXPECT_EQ(call(client, "ThrowInt", "x").status.message(),
            "handler of ThrowInt threw an exception: not a std::exception");
}

TEST_F(Dispatch, ServesMethodsRegisteredWhileConnected) {
  TestClient& client = connect();

  const ReceivedResponse before = call(client, "Echo", "x");
  handle_echo();
  const ReceivedResponse after = call(client, "Echo", "x");

  EXPECT_EQ(before.status.code(), StatusCode::unimplemented);
  EXPECT_TRUE(after.status.is_ok());
}

TEST_F(Dispatch, StopsServingRemovedMethods) {
  handle_echo();
  TestClient& client = connect();
  session::CallStart interned;
  interned.method.key = 1;

  const ReceivedResponse before = call(client, "Echo", "x", "bytes", interned);
  EXPECT_TRUE(server().methods().remove("Echo"));
  const ReceivedResponse after = call(client, "Echo", "x", "bytes", interned);

  EXPECT_TRUE(before.status.is_ok());
  EXPECT_EQ(after.status.code(), StatusCode::unimplemented);
}

TEST_F(Dispatch, LetsHandlerReplaceItself) {
  handle<Slice, Slice>("Change", [this](const Slice& request, ServerContext&) {
    server().methods().remove("Change");
    handle<Slice, Slice>("Change", [](const Slice&, ServerContext&) { return Slice::from_static("new"); });
    return request;
  });
  TestClient& client = connect();
  session::CallStart interned;
  interned.method.key = 1;

  EXPECT_EQ(call(client, "Change", "old", "bytes", interned).payload, "old");
  EXPECT_EQ(call(client, "Change", "old", "bytes", interned).payload, "new");
}

TEST_F(Dispatch, RefusesCallWhoseDeadlineHasPassed) {
  int runs = 0;
  handle<Slice, Empty>("Run", [&runs](const Slice&, ServerContext&) {
    ++runs;
    return Status::ok();
  });
  TestClient& client = connect();

  const session::CallId id = client.call("Run", "x", "bytes", {.method = {}, .deadline = clock_.now()});
  settle();

  EXPECT_EQ(client.response(id).status.code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(runs, 0);
}

TEST_F(Dispatch, RespondsToManyCallsOfOneBatch) {
  handle_echo();
  TestClient& client = connect();
  std::vector<session::CallId> ids;

  for (int i = 0; i < 1000; ++i) ids.push_back(client.call("Echo", std::to_string(i)));
  settle();

  for (int i = 0; i < 1000; ++i)
    ASSERT_EQ(client.response(ids[static_cast<std::size_t>(i)]).payload, std::to_string(i));
  EXPECT_EQ(server().totals().calls_ok, 1000u);
  EXPECT_EQ(server().totals().open_calls, 0u);
}

}  // namespace

}  // namespace trunkline::server
