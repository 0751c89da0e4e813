// SPDX-License-Identifier: MIT
// GrpcClientSession as a client of Connect and gRPC-Web: requests, every end that a server can give a call, and limits.
#include "codec/base64.h"
#include "unit/session/grpc/http2_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

namespace trunkline::session::grpc {
namespace {

using http::http2::ErrorCode;
using http::http2::FrameType;
using testing::HasSubstr;
using namespace std::chrono_literals;

/// A message with the flag of its prefix.
std::string flagged(unsigned char flag, std::string_view payload) {
  std::string bytes = Http2Client::message(payload);
  bytes[0] = static_cast<char>(flag);
  return bytes;
}

Fields fields_of(std::string_view status, std::string_view type, Fields more = {}) {
  Fields fields{{":status", std::string(status)}, {"content-type", std::string(type)}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

class WebClient : public testing::Test {
 protected:
  explicit WebClient(ClientProtocol protocol) : protocol_(protocol) {}

  Http2Server& server(const SessionOptions& options = kit::plain_options()) {
    if (server_ == nullptr) {
      server_ = std::make_unique<Http2Server>(options, false, 1, protocol_);
      server_->greet();
    }
    return *server_;
  }
  /// The status of a call whose response is `response`, which is fed in parts of every size.
  Status end_of(const std::function<CallId()>& start, const std::function<std::string(CallId)>& response) {
    Status last;
    for (const std::size_t part : {std::size_t{1}, std::size_t{3}, std::string_view::npos}) {
      server().events.clear();
      const CallId id = start();
      server().feed(response(id), part);
      last = server().status_of(id);
      EXPECT_EQ(server().session().open_calls(), 0u) << part;
      EXPECT_FALSE(server().session().is_closed()) << server().session().close_reason().to_string();
    }
    return last;
  }
  Metadata leading() const { return metadata_of(EventType::message); }
  Metadata trailing() const { return metadata_of(EventType::finished); }

 private:
  Metadata metadata_of(EventType type) const {
    for (const Seen& event : server_->events) {
      if (event.type == type) return event.metadata;
    }
    return {};
  }

  const ClientProtocol protocol_;
  std::unique_ptr<Http2Server> server_;
};

class ConnectUnaryClient : public WebClient {
 protected:
  ConnectUnaryClient() : WebClient(ClientProtocol::connect) {}

  Status end_with(const Fields& head, const std::string& body, bool ends_apart = false) {
    return end_of([this] { return server().start("hello"); },
                  [&](CallId id) {
                    std::string bytes = server().headers(id, head, body.empty() && !ends_apart);
                    if (!body.empty()) bytes += Http2Server::data(id, body, !ends_apart);
                    if (ends_apart) bytes += Http2Server::data(id, "", true);
                    return bytes;
                  });
  }
};

TEST_F(ConnectUnaryClient, SendsTheMessageAsTheBody) {
  SessionOptions options = kit::plain_options();
  options.authority = "host:80";
  CallStart start;
  start.deadline = server(options).now() + 1500ms;

  server().start("hello", start);

  const std::vector<Sent> frames = server().sent();
  ASSERT_EQ(frames.size(), 2u);
  const std::map<std::string, std::string> fields{{":method", "POST"},
                                                  {":scheme", "http"},
                                                  {":path", "/test/Echo"},
                                                  {":authority", "host:80"},
                                                  {"content-type", "application/bytes"},
                                                  {"user-agent", "trunkline/0.1.0"},
                                                  {"connect-protocol-version", "1"},
                                                  {"accept-encoding", "identity,snappy"},
                                                  {"connect-timeout-ms", "1500"}};
  EXPECT_EQ(frames[0].fields, fields);
  EXPECT_EQ(frames[1].payload, "hello");
  EXPECT_TRUE(frames[1].is_end);
}

TEST_F(ConnectUnaryClient, EndsAnEmptyRequestBehindAnyAmountOfOutput) {
  SessionOptions options = kit::plain_options();
  options.limits.max_unsent_bytes = 1;
  server(options);

  server().start("");

  const std::vector<Sent> frames = server().sent();
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[1].type, FrameType::data);
  EXPECT_TRUE(frames[1].is_end);
}

TEST_F(ConnectUnaryClient, RepeatsItsHeadersInFewBytes) {
  server().start("hello");
  static_cast<void>(server().sent());
  server().start("hello");
  static_cast<void>(server().sent());

  server().start("hello");

  EXPECT_LE(server().take_output().size(), 9u + 12u + 9u + 5u);
}

TEST_F(ConnectUnaryClient, SaysOfABodyThatItIsCompressedIfItIs) {
  SessionOptions options = kit::plain_options();
  options.compression_threshold = 10;
  const auto fields_with = [&](const std::string& text) {
    CallStart start{.method = {.key = 1, .name = "test/Echo"}, .context = this};
    EXPECT_TRUE(server(options).session().start(start, kit::payload(text, &kit::snappy())).is_ok());
    return server().sent()[0].fields;
  };

  EXPECT_EQ(fields_with("short").count("content-encoding"), 0u);
  EXPECT_EQ(fields_with("long enough to be compressed").at("content-encoding"), "snappy");
  EXPECT_EQ(fields_with("short").count("content-encoding"), 0u);
}

TEST_F(ConnectUnaryClient, TakesTheBodyAsTheMessage) {
  EXPECT_TRUE(end_with(fields_of("200", "application/bytes", {{"a", "1"}, {"trailer-b", "2"}}), "world").is_ok());

  EXPECT_EQ(server().messages_of(server().events.front().id), "world,");
  EXPECT_EQ(leading(), (Metadata{{"a", "1"}}));
  EXPECT_EQ(trailing(), (Metadata{{"b", "2"}}));
  EXPECT_EQ(server().session().held_bytes(), server().session().unsent_bytes());
}

TEST_F(ConnectUnaryClient, TakesABodyThatEndsApart) {
  EXPECT_TRUE(end_with(fields_of("200", "application/bytes"), "world", true).is_ok());

  EXPECT_EQ(server().messages_of(server().events.front().id), "world,");
}

TEST_F(ConnectUnaryClient, TakesABodyThatEndsWithTrailersOfHttp) {
  const Status status = end_of([this] { return server().start("hello"); },
                               [this](CallId id) {
                                 // Blocks are encoded in the order in which they are sent.
                                 const std::string head = server().headers(id, fields_of("200", "application/bytes"));
                                 const std::string trailers = server().headers(id, {{"x", "y"}}, true);
                                 return head + Http2Server::data(id, "world") + trailers;
                               });

  EXPECT_TRUE(status.is_ok()) << status.to_string();
  EXPECT_EQ(server().messages_of(server().events.front().id), "world,");
}

TEST_F(ConnectUnaryClient, TakesNoBodyAsAnEmptyMessage) {
  for (const bool ends_apart : {false, true}) {
    EXPECT_TRUE(end_with(fields_of("200", "application/bytes", {{"a", "1"}}), "", ends_apart).is_ok());

    EXPECT_EQ(server().messages_of(server().events.front().id), ",");
    EXPECT_EQ(leading(), (Metadata{{"a", "1"}}));
  }
}

TEST_F(ConnectUnaryClient, LearnsErrorsWithTheirMetadata) {
  const Status status = end_with(fields_of("409", "application/json", {{"a", "1"}, {"trailer-b", "2"}}),
                                 R"({"code":"aborted","message":"why"})");

  EXPECT_EQ(status.code(), StatusCode::aborted);
  EXPECT_EQ(status.message(), "why");
  EXPECT_EQ(status.origin(), StatusOrigin::peer);
  EXPECT_EQ(leading(), (Metadata{{"a", "1"}}));
  EXPECT_EQ(trailing(), (Metadata{{"b", "2"}}));
}

TEST_F(ConnectUnaryClient, LearnsErrorsThatAreCompressed) {
  BufferWriter body;
  ASSERT_TRUE(kit::snappy().compress_unsized(as_bytes(std::string_view(R"({"code":"aborted"})")), body).is_ok());

  const Status status = end_with(fields_of("409", "application/json", {{"content-encoding", "snappy"}}),
                                 std::string(as_text(body.bytes())));

  EXPECT_EQ(status.code(), StatusCode::aborted);
}

TEST_F(ConnectUnaryClient, TakesTheStatusOfHttpWhereAnErrorSaysNothing) {
  for (const char* body : {"", "{", "<html>", R"({"code":1})"}) {
    EXPECT_EQ(end_with(fields_of("503", "application/json"), body).code(), StatusCode::unavailable) << body;
  }
  const Status page = end_with(fields_of("404", "text/html"), "<html>");
  EXPECT_EQ(page.code(), StatusCode::unimplemented);
  EXPECT_THAT(std::string(page.message()), HasSubstr("HTTP status 404 with content-type text/html"));
  EXPECT_EQ(end_with(fields_of("429", "application/bytes"), "x").code(), StatusCode::unavailable);
  EXPECT_EQ(end_with({{":status", "401"}}, "").code(), StatusCode::unauthenticated);
  EXPECT_THAT(std::string(end_with(fields_of("415", "text/plain"), "no").message()),
              HasSubstr("the method is of another kind, or the server lacks the codec"));
}

TEST_F(ConnectUnaryClient, RefusesResponsesOfOtherKinds) {
  EXPECT_EQ(end_with(fields_of("200", "text/html"), "<html>").code(), StatusCode::unknown);
  EXPECT_EQ(end_with(fields_of("200", "application/connect+bytes"), "x").code(), StatusCode::unknown);
  EXPECT_EQ(end_with(fields_of("200", "application/grpc+bytes"), "x").code(), StatusCode::unknown);
  EXPECT_EQ(end_with({{":status", "200"}}, "x").code(), StatusCode::unknown);
  EXPECT_EQ(end_with(fields_of("200", "application/proto"), "x").code(), StatusCode::internal);
  EXPECT_EQ(end_with(fields_of("200", "application/bytes", {{"content-encoding", "odd"}}), "x").code(),
            StatusCode::internal);
}

TEST_F(ConnectUnaryClient, IsNotMisledByFieldsOfOtherProtocols) {
  const Status status = end_with(
      fields_of("200", "application/bytes",
                {{"grpc-status", "13"}, {"grpc-encoding", "odd"}, {"trailer-", "x"}, {"content-encoding", "identity"}}),
      "world");

  EXPECT_TRUE(status.is_ok()) << status.to_string();
  EXPECT_EQ(leading(), (Metadata{{"trailer-", "x"}}));
}

TEST_F(ConnectUnaryClient, RefusesABodyBeyondTheLimit) {
  SessionOptions options = kit::plain_options();
  options.limits.max_message_bytes = 10;
  server(options);

  EXPECT_TRUE(end_with(fields_of("200", "application/bytes"), std::string(10, 'x')).is_ok());
  EXPECT_EQ(end_with(fields_of("200", "application/bytes"), std::string(11, 'x')).code(),
            StatusCode::resource_exhausted);
  EXPECT_EQ(end_with(fields_of("200", "application/bytes", {{"content-length", "11"}}), std::string(11, 'x')).code(),
            StatusCode::resource_exhausted);
  // How a call has ended is no message.
  EXPECT_EQ(end_with(fields_of("409", "application/json"), R"({"code":"aborted"})").code(), StatusCode::aborted);
}

TEST_F(ConnectUnaryClient, RefusesABodyThatIsNotAsLongAsItSays) {
  EXPECT_EQ(end_with(fields_of("200", "application/bytes", {{"content-length", "6"}}), "world").code(),
            StatusCode::internal);
  EXPECT_EQ(end_with(fields_of("200", "application/bytes", {{"content-length", "4"}}), "world").code(),
            StatusCode::internal);
}

TEST_F(ConnectUnaryClient, EndsOneWayCallsWithoutAnEvent) {
  const CallId id = server().start("hello", {.method = {}, .one_way = true});
  server().events.clear();

  server().feed(server().headers(id, fields_of("500", "application/json")) + Http2Server::data(id, "{}", true));

  EXPECT_TRUE(server().events.empty());
  EXPECT_EQ(server().session().open_calls(), 0u);
}

TEST_F(ConnectUnaryClient, EndsAtTheDeadline) {
  CallStart start;
  start.deadline = server().now() + 1s;
  const CallId id = server().start("hello", start);
  server().feed(server().headers(id, fields_of("200", "application/bytes")) + Http2Server::data(id, "wor"));

  server().advance(2s);

  EXPECT_EQ(server().status_of(id).code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(server().session().held_bytes(), server().session().unsent_bytes());
}

TEST_F(ConnectUnaryClient, SendsIdempotentCallsAsGetIfAskedTo) {
  SessionOptions options = kit::plain_options();
  options.http_get = true;
  CallStart start{.method = {.key = 1, .name = "test/Echo"}, .is_idempotent = true, .context = this};

  ASSERT_TRUE(server(options).session().start(start, kit::payload("\xFB\xFF?")).is_ok());
  const std::vector<Sent> get = server().sent();
  ASSERT_TRUE(server().session().start(start, kit::payload(std::string(4000, 'x'))).is_ok());
  const std::vector<Sent> too_long = server().sent();
  start.is_idempotent = false;
  ASSERT_TRUE(server().session().start(start, kit::payload("x")).is_ok());
  const std::vector<Sent> other = server().sent();

  ASSERT_EQ(get.size(), 1u);
  EXPECT_TRUE(get[0].is_end);
  EXPECT_EQ(get[0].fields.at(":method"), "GET");
  EXPECT_EQ(get[0].fields.at(":path"), "/test/Echo?connect=v1&encoding=bytes&base64=1&message=-_8_");
  EXPECT_EQ(get[0].fields.count("content-type"), 0u);
  EXPECT_EQ(too_long[0].fields.at(":method"), "POST");
  EXPECT_EQ(other[0].fields.at(":method"), "POST");
  EXPECT_EQ(other[0].fields.at(":path"), "/test/Echo");
}

TEST_F(ConnectUnaryClient, CompressesNothingThatTheServerSaysItLacks) {
  const auto is_compressed = [this] {
    const std::string text(2000, 'x');
    CallStart start{.method = {.key = 1, .name = "test/Echo"}, .context = this};
    const Result<CallId> id = server().session().start(start, kit::payload(text, &kit::snappy()));
    EXPECT_TRUE(id.is_ok());
    server().session().cancel(*id, StatusCode::cancelled);
    return server().sent()[0].fields.count("content-encoding") > 0;
  };

  EXPECT_TRUE(is_compressed());
  EXPECT_EQ(end_with(fields_of("415", "application/json", {{"accept-encoding", "gzip, identity;q=0.5"}}), "{}").code(),
            StatusCode::unknown);
  static_cast<void>(server().sent());
  EXPECT_FALSE(is_compressed());
}

TEST_F(ConnectUnaryClient, RefusesMetadataThatConnectReserves) {
  for (const char* name : {"connect-x", "trailer-x", "accept-encoding", "content-encoding", "grpc-x"}) {
    const Metadata metadata{{name, "1"}};
    CallStart start{.method = {.key = 1, .name = "test/Echo"}, .metadata = &metadata};

    EXPECT_EQ(server().session().start(start, kit::payload("x")).status().code(), StatusCode::invalid_argument) << name;
  }
}

TEST_F(ConnectUnaryClient, SaysThatTheServerAnswersInHttp1) {
  Http2Server other(kit::plain_options(), false, 1, ClientProtocol::connect);

  other.feed("HTTP/1.1 400 Bad Request\r\n\r\n");
  other.close_transport();

  EXPECT_THAT(std::string(other.session().close_reason().message()), HasSubstr("and http_version asks for HTTP/2"));
  EXPECT_TRUE(other.session().was_answered_in_http1());
}

TEST_F(ConnectUnaryClient, SaysOfEarlyCallsThatAServerOfHttp1HasNotRunThem) {
  for (const std::string_view answer : {"HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH"}) {
    Http2Server other(kit::plain_options(), false, 1, ClientProtocol::connect);
    const CallId id = other.start("hello");
    static_cast<void>(other.sent());

    other.feed(answer);
    other.close_transport();

    const bool is_http1 = answer.starts_with("HTTP/1");
    EXPECT_EQ(other.status_of(id).may_have_run(), !is_http1);
    EXPECT_EQ(other.session().was_answered_in_http1(), is_http1);
  }
}

class ConnectStreamClient : public WebClient {
 protected:
  ConnectStreamClient() : WebClient(ClientProtocol::connect) {}

  CallId start() {
    const CallId id = server().start("hello", {.method = {.key = 2, .name = "test/Stream"}, .is_stream = true});
    return id;
  }
  Status end_with(const std::string& body, const Fields& head = fields_of("200", "application/connect+bytes"),
                  bool ends_apart = false) {
    return end_of([this] { return start(); },
                  [&](CallId id) {
                    return server().headers(id, head) + Http2Server::data(id, body, !ends_apart) +
                           (ends_apart ? Http2Server::data(id, "", true) : "");
                  });
  }
};

TEST_F(ConnectStreamClient, SendsMessagesWithPrefixes) {
  start();

  const std::vector<Sent> frames = server().sent();
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].fields.at("content-type"), "application/connect+bytes");
  EXPECT_EQ(frames[0].fields.at("connect-protocol-version"), "1");
  EXPECT_EQ(frames[0].fields.at("connect-accept-encoding"), "identity,snappy");
  EXPECT_EQ(frames[0].fields.count("accept-encoding"), 0u);
  EXPECT_EQ(frames[1].payload, Http2Client::message("hello"));
}

TEST_F(ConnectStreamClient, TakesMessagesAndTheEnd) {
  for (const bool ends_apart : {false, true}) {
    const Status status = end_with(Http2Client::message("a") + Http2Client::message("") + Http2Client::message("b") +
                                       flagged(2, R"({"metadata":{"b":["2"]}})"),
                                   fields_of("200", "application/connect+bytes", {{"a", "1"}}), ends_apart);

    EXPECT_TRUE(status.is_ok()) << status.to_string();
    EXPECT_EQ(server().messages_of(server().events.front().id), "a,,b,");
    EXPECT_EQ(leading(), (Metadata{{"a", "1"}}));
    EXPECT_EQ(trailing(), (Metadata{{"b", "2"}}));
    EXPECT_EQ(server().session().held_bytes(), server().session().unsent_bytes());
  }
}

TEST_F(ConnectStreamClient, LearnsErrorsAlsoIfTheyAreCompressed) {
  BufferWriter end;
  ASSERT_TRUE(
      kit::snappy().compress_unsized(as_bytes(std::string_view(R"({"error":{"code":"aborted"}})")), end).is_ok());
  const std::string compressed(as_text(end.bytes()));

  EXPECT_EQ(end_with(flagged(2, R"({"error":{"code":"not_found"}})")).code(), StatusCode::not_found);
  EXPECT_EQ(end_with(flagged(3, compressed),
                     fields_of("200", "application/connect+bytes", {{"connect-content-encoding", "snappy"}}))
                .code(),
            StatusCode::aborted);
  EXPECT_EQ(end_with(flagged(3, "corrupt"),
                     fields_of("200", "application/connect+bytes", {{"connect-content-encoding", "snappy"}}))
                .code(),
            StatusCode::internal);
  EXPECT_EQ(end_with(flagged(3, compressed)).code(), StatusCode::internal);
}

TEST_F(ConnectStreamClient, RefusesWhatIsNoEnd) {
  EXPECT_EQ(end_with(Http2Client::message("a")).code(), StatusCode::internal) << "no end";
  EXPECT_EQ(end_with("").code(), StatusCode::internal) << "no end";
  EXPECT_EQ(end_with(flagged(2, "{")).code(), StatusCode::internal) << "malformed";
  EXPECT_EQ(end_with(flagged(2, "{}") + Http2Client::message("a")).code(), StatusCode::internal) << "a message behind";
  EXPECT_EQ(end_with(flagged(2, "{}") + flagged(2, "{}")).code(), StatusCode::internal) << "two ends";
  EXPECT_EQ(end_with(flagged(2, "{}") + std::string("\0", 1)).code(), StatusCode::internal) << "a prefix behind";
  EXPECT_EQ(end_with(flagged(2, "{}").substr(0, 6)).code(), StatusCode::internal) << "cut off";
  EXPECT_EQ(end_with(flagged(4, "{}")).code(), StatusCode::internal) << "a flag that is not known";
  EXPECT_EQ(end_with(flagged(0x80, "grpc-status: 0\r\n")).code(), StatusCode::internal) << "that of gRPC-Web";
}

TEST_F(ConnectStreamClient, RefusesAnEndBeyondItsLimit) {
  SessionOptions options = kit::plain_options();
  options.limits.max_message_bytes = 10;
  options.limits.max_header_bytes = 1024;
  server(options);
  const std::string message(1000, 'x');

  const Status within =
      end_with(flagged(2, R"({"error":{"code":"aborted","message":")" + message.substr(0, 900) + "\"}}"));
  EXPECT_EQ(within.code(), StatusCode::aborted);
  EXPECT_EQ(end_with(flagged(2, R"({"error":{"code":"aborted","message":")" + message + "\"}}")).code(),
            StatusCode::resource_exhausted);
  EXPECT_EQ(end_with(Http2Client::message(std::string(11, 'x')) + flagged(2, "{}")).code(),
            StatusCode::resource_exhausted);
}

TEST_F(ConnectStreamClient, RefusesResponsesOfOtherKinds) {
  const std::string body = Http2Client::message("a") + flagged(2, "{}");

  EXPECT_EQ(end_with(body, fields_of("200", "application/bytes")).code(), StatusCode::unknown);
  EXPECT_EQ(end_with(body, fields_of("200", "application/connect+proto")).code(), StatusCode::internal);
  EXPECT_EQ(end_with(body, fields_of("503", "application/connect+bytes")).code(), StatusCode::unavailable);
  EXPECT_EQ(end_with(R"({"code":"aborted"})", fields_of("404", "application/json")).code(), StatusCode::unimplemented);
  EXPECT_EQ(end_with(body, fields_of("200", "application/connect+bytes", {{"connect-content-encoding", "odd"}})).code(),
            StatusCode::internal);
}

TEST_F(ConnectStreamClient, LosesTheCallWithTheConnectionAlsoAfterItsEnd) {
  const CallId id = start();
  server().feed(server().headers(id, fields_of("200", "application/connect+bytes")) +
                Http2Server::data(id, flagged(2, "{}")));

  server().close_transport();

  EXPECT_EQ(server().status_of(id).code(), StatusCode::unavailable);
}

TEST_F(ConnectStreamClient, CountsAnEndThatWaitsForThatOfTheStream) {
  const CallId id = start();
  server().feed(server().headers(id, fields_of("200", "application/connect+bytes")));
  static_cast<void>(server().sent());
  const std::size_t before = server().session().held_bytes();

  server().feed(Http2Server::data(id, flagged(2, R"({"metadata":{"a":["1"]}})")));
  static_cast<void>(server().sent());

  EXPECT_EQ(server().session().held_bytes(), before + std::string_view(R"({"metadata":{"a":["1"]}})").size());
  server().feed(Http2Server::data(id, "", true));
  EXPECT_TRUE(server().status_of(id).is_ok());
  EXPECT_EQ(server().session().held_bytes(), server().session().unsent_bytes());
}

TEST_F(ConnectStreamClient, StopsSendingWhenTheServerHasEnded) {
  const CallId id =
      server().start("hello", {.method = {.key = 2, .name = "test/Stream"}, .end = false, .is_stream = true});
  static_cast<void>(server().sent());

  server().feed(server().headers(id, fields_of("200", "application/connect+bytes")) +
                Http2Server::data(id, flagged(2, "{}"), true));

  EXPECT_TRUE(server().status_of(id).is_ok());
  const auto resets = Http2Client::of_type(server().sent(), FrameType::rst_stream);
  ASSERT_EQ(resets.size(), 1u);
  EXPECT_EQ(http::http2::load_uint32(as_bytes(resets[0].payload).data()), static_cast<unsigned>(ErrorCode::no_error));
}

class GrpcWebClient : public WebClient {
 protected:
  GrpcWebClient() : WebClient(ClientProtocol::grpc_web) {}

  Status end_with(const std::string& body, const Fields& head = fields_of("200", "application/grpc-web+bytes")) {
    return end_of([this] { return server().start("hello"); },
                  [&](CallId id) {
                    return server().headers(id, head, body.empty()) +
                           (body.empty() ? "" : Http2Server::data(id, body, true));
                  });
  }
};

TEST_F(GrpcWebClient, SendsMessagesWithPrefixes) {
  CallStart start;
  start.deadline = server().now() + 1s;
  server().start("hello", start);

  const std::vector<Sent> frames = server().sent();
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].fields.at("content-type"), "application/grpc-web+bytes");
  EXPECT_EQ(frames[0].fields.at("grpc-timeout"), "1S");
  EXPECT_EQ(frames[0].fields.count("te"), 0u);
  EXPECT_EQ(frames[1].payload, Http2Client::message("hello"));
}

TEST_F(GrpcWebClient, OpensTheWindowOnceForAnEndThatComesInParts) {
  SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = options.limits.max_call_credit_bytes = 16 << 10;
  options.limits.max_header_bytes = 32 << 10;
  server(options);
  const std::string end = flagged(0x80, "grpc-status: 0\r\na: " + std::string(20000, 'x') + "\r\n");
  const CallId id = server().start("hello");
  server().feed(server().headers(id, fields_of("200", "application/grpc-web+bytes")));
  static_cast<void>(server().sent());
  std::size_t granted = 0;

  for (std::size_t at = 0; at < end.size(); at += 4000) {
    server().feed(Http2Server::data(id, end.substr(at, 4000)));
    for (const Sent& update : Http2Client::of_type(server().sent(), FrameType::window_update)) {
      if (update.stream == id) granted += http::http2::load_uint32(as_bytes(update.payload).data());
    }
  }

  EXPECT_GT(granted, 0u);
  EXPECT_LE(granted, end.size());
}

TEST_F(GrpcWebClient, TakesMessagesAndTrailersOfTheBody) {
  const Status status = end_with(Http2Client::message("world") + flagged(0x80, "grpc-status: 10\r\nb: 2\r\n"),
                                 fields_of("200", "application/grpc-web+bytes", {{"a", "1"}}));

  EXPECT_EQ(status.code(), StatusCode::aborted);
  EXPECT_EQ(server().messages_of(server().events.front().id), "world,");
  EXPECT_EQ(leading(), (Metadata{{"a", "1"}}));
  EXPECT_EQ(trailing(), (Metadata{{"b", "2"}}));
}

TEST_F(GrpcWebClient, TakesHeadersForTrailersIfThereIsNoBody) {
  const Fields head = fields_of("200", "application/grpc-web+bytes", {{"grpc-status", "5"}, {"a", "1"}});

  EXPECT_EQ(end_with("", head).code(), StatusCode::not_found);
  EXPECT_EQ(trailing(), (Metadata{{"a", "1"}}));
  EXPECT_EQ(end_with(flagged(0x80, "grpc-status: 10\r\n"), head).code(), StatusCode::aborted);
  EXPECT_EQ(leading(), (Metadata{{"a", "1"}}));
  EXPECT_EQ(end_with(Http2Client::message("a"), head).code(), StatusCode::internal) << "no end";
}

TEST_F(GrpcWebClient, RefusesWhatIsNoEnd) {
  EXPECT_EQ(end_with(Http2Client::message("a")).code(), StatusCode::internal) << "no end";
  EXPECT_EQ(end_with("").code(), StatusCode::internal) << "nothing";
  EXPECT_EQ(end_with(flagged(0x80, "a: 1\r\n")).code(), StatusCode::internal) << "no status";
  EXPECT_EQ(end_with(flagged(0x80, "grpc-status: 0\r\n") + Http2Client::message("a")).code(), StatusCode::internal);
  EXPECT_EQ(end_with(flagged(2, "{}")).code(), StatusCode::internal) << "that of Connect";
  EXPECT_EQ(end_with(flagged(0x81, "grpc-status: 0\r\n")).code(), StatusCode::internal) << "compressed";
  EXPECT_EQ(end_with("", fields_of("200", "application/grpc+bytes", {{"grpc-status", "0"}})).code(),
            StatusCode::unknown);
}

class GrpcWebTextClient : public WebClient {
 protected:
  GrpcWebTextClient() : WebClient(ClientProtocol::grpc_web) {
    SessionOptions options = kit::plain_options();
    options.grpc_web_text = true;
    server(options);
  }

  static std::string text_of(std::string_view bytes) {
    BufferWriter out;
    codec::append_base64(as_bytes(bytes), out);
    return std::string(as_text(out.bytes()));
  }
  /// `part`: the bytes of a DATA frame.
  Status end_with(std::string_view body, std::size_t part = 1000,
                  std::string_view type = "application/grpc-web-text+bytes") {
    return end_of([this] { return server().start("hello"); },
                  [&](CallId id) {
                    std::string bytes = server().headers(id, fields_of("200", type));
                    for (std::string_view rest = body; !rest.empty(); rest.remove_prefix(std::min(part, rest.size()))) {
                      bytes += Http2Server::data(id, std::string(rest.substr(0, part)), false);
                    }
                    return bytes + Http2Server::data(id, "", true);
                  });
  }
};

TEST_F(GrpcWebTextClient, SendsMessagesAsText) {
  server().start("hello");
  const CallId id =
      server().start("first", {.method = {.key = 2, .name = "test/Stream"}, .end = false, .is_stream = true});
  EXPECT_TRUE(server().session().send(id, kit::payload("second"), nullptr, true).is_ok());

  const std::vector<Sent> frames = server().sent();
  ASSERT_EQ(frames.size(), 5u);
  EXPECT_EQ(frames[0].fields.at("content-type"), "application/grpc-web-text+bytes");
  EXPECT_EQ(frames[0].fields.at("accept"), "application/grpc-web-text");
  EXPECT_EQ(frames[1].payload, text_of(Http2Client::message("hello")));
  EXPECT_EQ(frames[3].payload, text_of(Http2Client::message("first")));
  EXPECT_EQ(frames[4].payload, text_of(Http2Client::message("second")));
}

TEST_F(GrpcWebTextClient, TakesTextsInFramesOfEverySize) {
  const std::string body = text_of(Http2Client::message("a")) + text_of(Http2Client::message("world")) +
                           text_of(flagged(0x80, "grpc-status: 10\r\nb: 2\r\n"));
  for (std::size_t part = 1; part <= body.size(); ++part) {
    EXPECT_EQ(end_with(body, part).code(), StatusCode::aborted) << part;
    EXPECT_EQ(server().messages_of(server().events.front().id), "a,world,") << part;
    EXPECT_EQ(trailing(), (Metadata{{"b", "2"}}));
  }
}

TEST_F(GrpcWebTextClient, TakesMessagesThatDoNotEndWithATextOrAFrame) {
  const std::string message(3000, 'x');
  const std::string body =
      text_of(Http2Client::message(message) + Http2Client::message("") + flagged(0x80, "grpc-status: 0\r\n"));

  EXPECT_TRUE(end_with(body, 777).is_ok());
  EXPECT_EQ(server().messages_of(server().events.front().id), message + ",,");
}

TEST_F(GrpcWebTextClient, RefusesWhatIsNoText) {
  const std::string end = text_of(flagged(0x80, "grpc-status: 0\r\n"));
  EXPECT_THAT(std::string(end_with("AAA!" + end).message()), HasSubstr("not base64"));
  EXPECT_EQ(end_with("AAA!" + end).code(), StatusCode::internal);
  EXPECT_THAT(std::string(end_with(end + "AA").message()), HasSubstr("amid a message"));
  EXPECT_EQ(end_with(text_of(Http2Client::message("a"))).code(), StatusCode::internal) << "no end";
  EXPECT_EQ(end_with(end, 1000, "application/grpc-web+bytes").code(), StatusCode::unknown) << "not the text form";
}

/// The connection's window is what it was when nothing is left of the calls.
TEST_F(GrpcWebTextClient, GivesBackAllOfTheWindows) {
  const std::string end = text_of(flagged(0x80, "grpc-status: 0\r\n"));
  const std::string message = text_of(Http2Client::message(std::string(10000, 'x')));
  std::uint64_t received = 0;
  std::uint64_t granted = 0;
  const auto exchange = [&](const std::string& body, bool ends) {
    const CallId id = server().start("hello");
    server().feed(server().headers(id, fields_of("200", "application/grpc-web-text+bytes")));
    for (std::string_view rest = body; !rest.empty(); rest.remove_prefix(std::min<std::size_t>(1001, rest.size()))) {
      server().feed(Http2Server::data(id, std::string(rest.substr(0, 1001)), false));
    }
    received += body.size();
    if (ends) {
      server().feed(Http2Server::data(id, "", true));
    } else {
      server().session().cancel(id, StatusCode::cancelled);
    }
    for (const Sent& frame : Http2Client::of_type(server().sent(), FrameType::window_update)) {
      if (frame.stream == 0) granted += http::http2::load_uint32(as_bytes(frame.payload).data());
    }
  };

  for (int i = 0; i < 2000; ++i) {
    exchange(message + end, true);
    exchange(message + "AAA", false);
    exchange("AAA!" + message, false);
  }

  // Windows are opened by half of what they have.
  EXPECT_LE(received - granted, kit::plain_options().limits.connection_credit_bytes / 2);
  EXPECT_LE(granted, received);
}

}  // namespace
}  // namespace trunkline::session::grpc
