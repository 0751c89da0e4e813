// SPDX-License-Identifier: MIT
// Each form of a unary handler; decoding of requests and encoding of responses.
#include "unit/server/server_fixture.h"

#include <trunkline/value.h>

#ifdef TRUNKLINE_HAS_PROTOBUF
#include <trunkline/protobuf.h>

#include <google/protobuf/wrappers.pb.h>
#endif

namespace trunkline::server {

namespace {

class HandlerForms : public ServerFixture {};

TEST_F(HandlerForms, FillsResponse) {
  handle<std::string, std::string>("Say", [](const std::string& request, std::string& response, ServerContext&) {
    response += "<" + request + ">";
    return Status::ok();
  });
  TestClient& client = connect();

  const ReceivedResponse first = call(client, "Say", "one");
  const ReceivedResponse second = call(client, "Say", "two");

  EXPECT_TRUE(first.status.is_ok()) << first.status.to_string();
  EXPECT_EQ(first.payload, "<one>");
  EXPECT_EQ(second.payload, "<two>") << "the response was not cleared";
}

TEST_F(HandlerForms, KeepNoMemoryOfALongResponse) {
  constexpr std::size_t length = 2 << 20;
  std::vector<std::size_t> capacities;
  handle<std::string, std::string>("Grow", [&](const std::string& request, std::string& response, ServerContext&) {
    capacities.push_back(response.capacity());
    response.assign(request == "long" ? length : 1, 'x');
    return Status::ok();
  });
  TestClient& client = connect();

  const ReceivedResponse received = call(client, "Grow", "long");
  call(client, "Grow", "short");

  EXPECT_EQ(received.payload.size(), length);
  ASSERT_EQ(capacities.size(), 2u);
  EXPECT_LT(capacities[1], length);
}

TEST_F(HandlerForms, ReturnsResponse) {
  handle<std::string, std::string>("Say", [](const std::string& request, ServerContext&) { return request + "!"; });

  EXPECT_EQ(call(connect(), "Say", "hi").payload, "hi!");
}

TEST_F(HandlerForms, ReturnsResult) {
  handle<std::string, std::string>("Half", [](const std::string& request, ServerContext&) -> Result<std::string> {
    if (request.size() % 2 != 0) return Status(StatusCode::out_of_range, "half: odd size");
    return request.substr(request.size() / 2);
  });
  TestClient& client = connect();

  const ReceivedResponse good = call(client, "Half", "abcd");
  const ReceivedResponse bad = call(client, "Half", "abc");

  EXPECT_EQ(good.payload, "cd");
  EXPECT_EQ(bad.status.code(), StatusCode::out_of_range);
  EXPECT_EQ(bad.status.message(), "half: odd size");
  EXPECT_TRUE(bad.status.may_have_run());
  EXPECT_FALSE(bad.has_message);
}

TEST_F(HandlerForms, PassesRawPayloadsOfAnyCodec) {
  handle_echo();

  const ReceivedResponse received = call(connect(), "Echo", "[1,2]", "json");

  EXPECT_TRUE(received.status.is_ok()) << received.status.to_string();
  EXPECT_EQ(received.payload, "[1,2]");
}

TEST_F(HandlerForms, MayHaveNeitherRequestNorResponse) {
  int runs = 0;
  handle<Empty, Empty>("Poke", [&runs](const Empty&, ServerContext&) {
    ++runs;
    return Status::ok();
  });

  const ReceivedResponse received = call(connect(), "Poke", "", "");

  EXPECT_TRUE(received.status.is_ok());
  EXPECT_FALSE(received.has_message);
  EXPECT_EQ(runs, 1);
}

TEST_F(HandlerForms, RespondsInTheDefaultCodecWithoutARequest) {
  handle<Empty, std::string>("Name", [](const Empty&, ServerContext&) { return std::string("trunkline"); });

  EXPECT_EQ(call(connect(), "Name", "", "").payload, "trunkline");
}

TEST_F(HandlerForms, DecodesByTheCodecOfTheRequest) {
  handle<Value, Value>("Same", [](const Value& request, ServerContext&) { return request; });
  TestClient& client = connect();

  const ReceivedResponse json = call(client, "Same", "{\"a\": [1, true]}", "json");
  const ReceivedResponse msgpack = call(client, "Same", "\x93\x01\x02\x03", "msgpack");

  EXPECT_EQ(json.payload, "{\"a\":[1,true]}");
  EXPECT_EQ(msgpack.payload, "\x93\x01\x02\x03");
}

TEST_F(HandlerForms, RefusesRequestThatDoesNotParse) {
  int runs = 0;
  handle<Value, Empty>("Take", [&runs](const Value&, ServerContext&) {
    ++runs;
    return Status::ok();
  });

  const ReceivedResponse received = call(connect(), "Take", "{\"a\":", "json");

  EXPECT_EQ(received.status.code(), StatusCode::invalid_argument);
  EXPECT_FALSE(received.status.may_have_run());
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(server().totals().calls_refused, 1u);
}

TEST_F(HandlerForms, RefusesCodecThatDoesNotKnowTheType) {
  handle<Value, Empty>("Take", [](const Value&, ServerContext&) { return Status::ok(); });

  const ReceivedResponse received = call(connect(), "Take", "x", "bytes");

  EXPECT_EQ(received.status.code(), StatusCode::unimplemented);
  EXPECT_NE(received.status.message().find("codec bytes cannot decode"), std::string_view::npos)
      << received.status.message();
}

TEST_F(HandlerForms, RefusesMissingMessage) {
  handle<Value, Empty>("Take", [](const Value&, ServerContext&) { return Status::ok(); });

  const ReceivedResponse received = call(connect(), "Take", "", "");

  EXPECT_EQ(received.status.code(), StatusCode::unimplemented);
  EXPECT_NE(received.status.message().find("request has no message"), std::string_view::npos)
      << received.status.message();
}

struct Unnamed {
  static constexpr std::string_view trunkline_codec = "";
  int value = 0;
};

TEST_F(HandlerForms, RefusesACallWhoseResponseHasNoCodec) {
  int runs = 0;
  handle<Empty, Unnamed>("Make", [&runs](const Empty&, ServerContext&) {
    ++runs;
    return Unnamed{};
  });

  const ReceivedResponse received = call(connect(), "Make", "", "");

  EXPECT_EQ(received.status.code(), StatusCode::unimplemented);
  EXPECT_NE(received.status.message().find("no default codec for the response"), std::string_view::npos);
  EXPECT_EQ(runs, 0);
}

TEST_F(HandlerForms, RespondsInItsOwnCodecIfThatOfTheRequestDoesNotKnowTheType) {
  handle<Slice, Value>("Make", [](const Slice&, ServerContext&) { return Value(1); });

  const ReceivedResponse received = call(connect(), "Make", "x", "bytes");

  EXPECT_TRUE(received.status.is_ok()) << received.status.to_string();
  EXPECT_EQ(received.payload, "1");
}

TEST_F(HandlerForms, ReportsResponseThatCannotBeEncoded) {
  handle<Slice, Value>("Make", [](const Slice&, ServerContext&) { return Value(std::string("\xff")); });
  TestClient& client = connect();

  const ReceivedResponse received = call(client, "Make", "x", "bytes");

  EXPECT_EQ(received.status.code(), StatusCode::internal);
  EXPECT_EQ(server().totals().calls_failed, 1u);
  ASSERT_EQ(logged_.size(), 1u);
  EXPECT_EQ(logged_[0].method, "Make");
}

TEST_F(HandlerForms, RunsWithMessageThatComesAfterItsCall) {
  handle_echo();
  TestClient& client = connect();

  const session::CallId id = client.call("Echo", "", "", {.method = {}, .end = false});
  settle();
  EXPECT_FALSE(client.has(id));
  client.send(id, "late", true);
  settle();

  EXPECT_EQ(client.response(id).payload, "late");
}

#ifdef TRUNKLINE_HAS_PROTOBUF
TEST_F(HandlerForms, ReusesProtobufMessages) {
  using google::protobuf::StringValue;
  const void* first_response = nullptr;
  bool same = true;
  bool clear = true;
  handle<StringValue, StringValue>("Say", [&](const StringValue& request, StringValue& response, ServerContext&) {
    if (first_response == nullptr) first_response = &response;
    same = same && first_response == &response;
    clear = clear && response.value().empty();
    response.set_value("<" + request.value() + ">");
    return Status::ok();
  });
  TestClient& client = connect();
  StringValue message;

  for (const char* text : {"one", "", "three"}) {
    message.set_value(text);
    const ReceivedResponse received = call(client, "Say", message.SerializeAsString(), "protobuf");
    StringValue got;
    ASSERT_TRUE(got.ParseFromString(received.payload));
    EXPECT_EQ(got.value(), "<" + std::string(text) + ">");
  }

  EXPECT_TRUE(same);
  EXPECT_TRUE(clear);
  EXPECT_EQ(server().methods().list()[0].request_type, "google.protobuf.StringValue");
  EXPECT_EQ(call(client, "Say", "\xFF\xFF", "protobuf").status.code(), StatusCode::invalid_argument);
}
#endif

TEST_F(HandlerForms, SendsNoResponseToOneWayCalls) {
  int runs = 0;
  handle<Slice, Empty>("Note", [&runs](const Slice&, ServerContext&) {
    ++runs;
    return Status::ok();
  });
  TestClient& client = connect();

  client.call("Note", "x", "bytes", {.method = {}, .one_way = true});
  client.call("Unknown", "x", "bytes", {.method = {}, .one_way = true});
  settle();

  EXPECT_EQ(runs, 1);
  EXPECT_EQ(client.response_count(), 0u);
  EXPECT_FALSE(client.is_closed());
}

}  // namespace

}  // namespace trunkline::server
