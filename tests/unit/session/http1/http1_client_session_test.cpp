// SPDX-License-Identifier: MIT
// Http1ClientSession: requests, every end that a server can give a call, and what becomes of the connection.
#include "session/http1/http1_client_session.h"

#include "codec/base64.h"
#include "session/web/message_prefix.h"
#include "unit/session/failing_memory.h"
#include "unit/session/http1/http1_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace trunkline::session::http1 {
namespace {

using testing::HasSubstr;
using web::ClientProtocol;
using namespace std::chrono_literals;

/// A message with its prefix.
std::string enveloped(std::string_view payload, unsigned char flag = 0) {
  std::string bytes(web::message_prefix_bytes, '\0');
  web::write_message_prefix({.flags = flag, .length = static_cast<std::uint32_t>(payload.size())},
                            reinterpret_cast<std::byte*>(bytes.data()));
  return bytes.append(payload);
}

std::string head_of(int status, std::string_view type, std::string_view fields = {}) {
  return "HTTP/1.1 " + std::to_string(status) + " Reason\r\nContent-Type: " + std::string(type) + "\r\n" +
         std::string(fields);
}

/// A response whose content has a length.
std::string response(int status, std::string_view type, std::string_view content, std::string_view fields = {}) {
  return head_of(status, type, fields) + "Content-Length: " + std::to_string(content.size()) + "\r\n\r\n" +
         std::string(content);
}

std::string chunk(std::string_view content) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string line;
  for (std::size_t size = content.size(); size > 0; size /= 16) line.insert(line.begin(), digits[size % 16]);
  return line + "\r\n" + std::string(content) + "\r\n";
}

/// The same in chunks of at most `part` bytes.
std::string chunked(std::string_view type, std::string_view content, std::size_t part = 7,
                    std::string_view trailers = {}) {
  std::string bytes = head_of(200, type, "Transfer-Encoding: chunked\r\n\r\n");
  for (; !content.empty(); content.remove_prefix(std::min(part, content.size()))) {
    bytes += chunk(content.substr(0, part));
  }
  return bytes + "0\r\n" + std::string(trailers) + "\r\n";
}

class Http1ClientSessionTest : public testing::Test {
 protected:
  Http1Server& server(const SessionOptions& options = kit::plain_options(),
                      ClientProtocol protocol = ClientProtocol::connect) {
    if (server_ == nullptr) server_ = std::make_unique<Http1Server>(options, protocol);
    return *server_;
  }
  /// Sends the request of a unary call.
  CallId call(CallStart start = {}) {
    server().events.clear();
    const CallId id = server().start("hello", start);
    static_cast<void>(server().sent());
    return id;
  }
  CallId call_stream() {
    server().events.clear();
    const CallId id = server().start_stream();
    EXPECT_TRUE(server().send(id, "m", true).is_ok());
    static_cast<void>(server().sent());
    return id;
  }
  /// The end of a unary call with that response, which comes in parts of every size. Each has a connection of its own.
  Status end_with(const std::string& bytes, const SessionOptions& options = kit::plain_options()) {
    Status last;
    for (const std::size_t part : {std::size_t{1}, std::size_t{3}, std::string_view::npos}) {
      server_ = std::make_unique<Http1Server>(options);
      const CallId id = call();
      server_->feed(bytes, part);
      last = server_->status_of(id);
      EXPECT_EQ(server_->session().open_calls(), 0u) << part;
      // The head that it knows.
      EXPECT_LT(server_->session().held_bytes(), 500u);
    }
    return last;
  }
  /// The same of a stream.
  Status stream_end_with(const std::string& bytes, ClientProtocol protocol = ClientProtocol::connect) {
    Status last;
    for (const std::size_t part : {std::size_t{1}, std::size_t{3}, std::string_view::npos}) {
      server_ = std::make_unique<Http1Server>(kit::plain_options(), protocol);
      const CallId id = call_stream();
      server_->feed(bytes, part);
      last = server_->status_of(id);
      EXPECT_EQ(server_->session().open_calls(), 0u) << part;
    }
    return last;
  }
  bool is_usable() { return !server().session().is_closed() && server().session().can_start(); }

  std::unique_ptr<Http1Server> server_;
};

using Http1ClientRests = Http1ClientSessionTest;

TEST_F(Http1ClientRests, EndBeforeTheServerEndsThem) {
  call();
  server().feed(response(200, "application/bytes", "", "Keep-Alive: timeout=5, max=100\r\n"));
  EXPECT_EQ(server().session().rests_until(), server().now() + 4s);

  server().advance(3900ms);
  EXPECT_TRUE(is_usable());
  server().advance(200ms);

  EXPECT_TRUE(server().session().is_closed());
  EXPECT_TRUE(server().session().close_reason().is_ok());
}

TEST_F(Http1ClientRests, BeginAgainAfterEachCall) {
  const auto exchange = [this](std::string_view fields) {
    const CallId id = call();
    EXPECT_EQ(server().session().rests_until(), base::never);
    server().advance(3s);
    server().feed(response(200, "application/bytes", "", fields));
    EXPECT_TRUE(server().status_of(id).is_ok());
  };
  for (int i = 0; i < 3; ++i) exchange("Keep-Alive: timeout=2\r\n");
  EXPECT_EQ(server().session().rests_until(), server().now() + 1s);

  // The server says nothing more of it.
  exchange("");
  server().advance(1h);

  EXPECT_TRUE(is_usable());
}

TEST_F(Http1ClientRests, GoOnAfterACallThatNobodyHasSeen) {
  call();
  server().feed(response(200, "application/bytes", "", "Keep-Alive: timeout=5\r\n"));
  server().advance(2s);

  server().session().cancel(server().start("hello"), StatusCode::cancelled);

  EXPECT_EQ(server().session().rests_until(), server().now() + 2s);
  server().advance(2100ms);
  EXPECT_TRUE(server().session().is_closed());
}

TEST_F(Http1ClientRests, DoNotBeginWhereTheServerWantsNone) {
  EXPECT_TRUE(end_with(response(200, "application/bytes", "", "Keep-Alive: timeout=0\r\n")).is_ok());
  EXPECT_TRUE(server().session().is_closed());
  EXPECT_TRUE(end_with(response(200, "application/bytes", "", "Keep-Alive: timeout=1\r\n")).is_ok());
  EXPECT_EQ(server().session().rests_until(), server().now() + 500ms);
}

using Http1ClientRequests = Http1ClientSessionTest;

TEST_F(Http1ClientRequests, SendTheMessageAsTheBody) {
  SessionOptions options = kit::plain_options();
  options.authority = "host:80";
  const Metadata metadata{{"key", " value "}, {"data-bin", "\1\2"}};
  CallStart start{.metadata = &metadata};
  start.deadline = server(options).now() + 1500ms;

  server().start("hello", start);

  EXPECT_EQ(server().sent(),
            "POST /test/Echo HTTP/1.1\r\nhost: host:80\r\ncontent-type: application/bytes\r\n"
            "user-agent: trunkline/0.1.0\r\nconnect-protocol-version: 1\r\naccept-encoding: identity,snappy\r\n"
            "connect-timeout-ms: 1500\r\nkey: value\r\ndata-bin: AQI\r\ncontent-length: 5\r\n\r\nhello");
}

TEST_F(Http1ClientRequests, RepeatTheHeadOfTheirMethod) {
  const auto request = [this](CallStart start = {}) {
    server().start("hello", start);
    const std::string sent = server().sent();
    server().feed(response(200, "application/bytes", ""));
    return sent;
  };
  const std::string first = request();

  EXPECT_EQ(request(), first);
  EXPECT_THAT(request({.method = {.key = 3, .name = "test/Other"}}), HasSubstr("POST /test/Other HTTP/1.1\r\n"));
  EXPECT_EQ(request(), first);
  EXPECT_EQ(request({.method = {.key = 0, .name = "test/Echo"}}), first);
}

TEST_F(Http1ClientRequests, SendTheMessagesOfAStreamInChunks) {
  const CallId id = server().start_stream();
  const std::string head = server().sent();
  EXPECT_TRUE(server().send(id, "ab").is_ok());
  const std::string first = server().sent();
  EXPECT_TRUE(server().send(id, std::string(3000, 'x'), true).is_ok());
  const std::string last = server().sent();

  EXPECT_THAT(head, HasSubstr("content-type: application/connect+bytes\r\n"));
  EXPECT_THAT(head, HasSubstr("connect-accept-encoding: identity,snappy\r\n"));
  EXPECT_TRUE(head.ends_with("transfer-encoding: chunked\r\n\r\n")) << head;
  EXPECT_EQ(first, chunk(enveloped("ab")));
  EXPECT_EQ(last, chunk(enveloped(std::string(3000, 'x'))) + "0\r\n\r\n");
  EXPECT_EQ(server().send(id, "more").code(), StatusCode::failed_precondition);
}

TEST_F(Http1ClientRequests, SendALengthIfTheyEndWithTheirStart) {
  server(kit::plain_options(), ClientProtocol::grpc_web).start("hello", {.is_stream = true});

  const std::string sent = server().sent();

  EXPECT_THAT(sent, HasSubstr("content-type: application/grpc-web+bytes\r\n"));
  EXPECT_TRUE(sent.ends_with("content-length: 10\r\n\r\n" + enveloped("hello"))) << sent;
}

TEST_F(Http1ClientRequests, SayOfABodyThatItIsCompressedIfItIs) {
  SessionOptions options = kit::plain_options();
  options.compression_threshold = 10;
  const auto head_with = [&](const std::string& text) {
    server_ = std::make_unique<Http1Server>(options);
    CallStart start{.method = {.key = 1, .name = "test/Echo"}, .context = this};
    EXPECT_TRUE(server().session().start(start, kit::payload(text, &kit::snappy())).is_ok());
    return server().sent();
  };

  EXPECT_THAT(head_with("short"), testing::Not(HasSubstr("content-encoding")));
  EXPECT_THAT(head_with("long enough to be compressed"), HasSubstr("content-encoding: snappy\r\n"));
}

TEST_F(Http1ClientRequests, AreGetsIfTheChannelAsksForIt) {
  SessionOptions options = kit::plain_options();
  options.http_get = true;
  const auto request = [&](std::string_view message, bool is_idempotent) {
    server_ = std::make_unique<Http1Server>(options);
    CallStart start{.is_idempotent = is_idempotent};
    server().start(message, start);
    return server().sent();
  };

  const std::string get = request("\xFB\xFF?", true);

  EXPECT_TRUE(get.starts_with("GET /test/Echo?connect=v1&encoding=bytes&base64=1&message=-_8_ HTTP/1.1\r\n")) << get;
  EXPECT_THAT(get, testing::Not(HasSubstr("content-")));
  EXPECT_TRUE(get.ends_with("\r\n\r\n")) << get;
  EXPECT_TRUE(request(std::string(4000, 'x'), true).starts_with("POST "));
  EXPECT_TRUE(request("x", false).starts_with("POST /test/Echo HTTP/1.1\r\n"));
}

TEST_F(Http1ClientRequests, AreRefusedWithMetadataThatCannotBeSent) {
  for (const char* name : {"connect-x", "trailer-x", "accept-encoding", "content-length", "host", "connection"}) {
    const Metadata metadata{{name, "1"}};
    CallStart start{.method = {.key = 1, .name = "test/Echo"}, .metadata = &metadata};

    EXPECT_EQ(server().session().start(start, kit::payload("x")).status().code(), StatusCode::invalid_argument) << name;
  }
  const Metadata split{{"name", "a\r\nother: b"}};
  CallStart start{.method = {.key = 1, .name = "test/Echo"}, .metadata = &split};
  EXPECT_EQ(server().session().start(start, kit::payload("x")).status().code(), StatusCode::invalid_argument);
  const Metadata large{{"name", std::string(20000, 'x')}};
  start.metadata = &large;
  EXPECT_EQ(server().session().start(start, kit::payload("x")).status().code(), StatusCode::resource_exhausted);
  EXPECT_EQ(server().sent(), "");
  EXPECT_TRUE(is_usable());
}

TEST_F(Http1ClientRequests, CompressNothingThatTheServerSaysItLacks) {
  const auto is_compressed = [this] {
    CallStart start{.method = {.key = 1, .name = "test/Echo"}, .context = this};
    EXPECT_TRUE(server().session().start(start, kit::payload(std::string(2000, 'x'), &kit::snappy())).is_ok());
    return server().sent().find("content-encoding") != std::string::npos;
  };

  EXPECT_TRUE(is_compressed());
  server().feed(response(415, "application/json", "{}", "Accept-Encoding: gzip, identity;q=0.5\r\n"));
  EXPECT_FALSE(is_compressed());
}

using Http1ClientUnary = Http1ClientSessionTest;

TEST_F(Http1ClientUnary, TakesTheBodyAsTheMessage) {
  const Status status = end_with(response(200, "application/bytes", "world", "A: 1\r\nTrailer-B: 2\r\nDate: now\r\n"));

  EXPECT_TRUE(status.is_ok()) << status.to_string();
  EXPECT_EQ(server().messages_of(1), "world,");
  EXPECT_EQ(server().metadata_of(EventType::message), (Metadata{{"a", "1"}, {"date", "now"}}));
  EXPECT_EQ(server().metadata_of(EventType::finished), (Metadata{{"b", "2"}}));
  EXPECT_TRUE(is_usable());
}

TEST_F(Http1ClientUnary, TakesABodyInChunks) {
  EXPECT_TRUE(end_with(chunked("application/bytes", "hello, world", 5, "X: y\r\n")).is_ok());

  EXPECT_EQ(server().messages_of(1), "hello, world,");
  EXPECT_TRUE(is_usable());
}

TEST_F(Http1ClientUnary, TakesABodyThatLastsUntilTheEndOfTheConnection) {
  const CallId id = call();
  server().feed(head_of(200, "application/bytes", "\r\n") + "wor");
  server().feed("ld");
  EXPECT_EQ(server().session().open_calls(), 1u);

  server().close_transport();

  EXPECT_TRUE(server().status_of(id).is_ok());
  EXPECT_EQ(server().messages_of(id), "world,");
  EXPECT_TRUE(server().session().is_closed());
  EXPECT_TRUE(server().session().close_reason().is_ok());
}

TEST_F(Http1ClientUnary, TakesNoBodyAsAnEmptyMessage) {
  EXPECT_TRUE(end_with(response(200, "application/bytes", "")).is_ok());
  EXPECT_EQ(server().messages_of(1), ",");
  EXPECT_TRUE(end_with(chunked("application/bytes", "")).is_ok());
  EXPECT_EQ(server().messages_of(1), ",");
}

TEST_F(Http1ClientUnary, SkipsInterimResponses) {
  const std::string interim = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n";
  EXPECT_TRUE(end_with("HTTP/1.1 100 Continue\r\n\r\n" + interim + response(200, "application/bytes", "x")).is_ok());

  std::string flood;
  for (int i = 0; i < 17; ++i) flood += interim;
  EXPECT_THAT(std::string(end_with(flood + response(200, "application/bytes", "x")).message()),
              HasSubstr("more than 16 interim responses"));
  EXPECT_EQ(end_with("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n").code(),
            StatusCode::internal);
}

TEST_F(Http1ClientUnary, LearnsErrorsWithTheirMetadata) {
  const Status status =
      end_with(response(409, "application/json", R"({"code":"aborted","message":"why"})", "A: 1\r\ntrailer-b: 2\r\n"));

  EXPECT_EQ(status.code(), StatusCode::aborted);
  EXPECT_EQ(status.message(), "why");
  EXPECT_EQ(status.origin(), StatusOrigin::peer);
  EXPECT_EQ(server().metadata_of(EventType::message), (Metadata{{"a", "1"}}));
  EXPECT_EQ(server().metadata_of(EventType::finished), (Metadata{{"b", "2"}}));
  EXPECT_TRUE(is_usable());
}

TEST_F(Http1ClientUnary, LearnsErrorsThatAreCompressed) {
  BufferWriter body;
  ASSERT_TRUE(kit::snappy().compress_unsized(as_bytes(std::string_view(R"({"code":"aborted"})")), body).is_ok());

  const Status status =
      end_with(response(409, "application/json", as_text(body.bytes()), "content-encoding: snappy\r\n"));

  EXPECT_EQ(status.code(), StatusCode::aborted);
}

TEST_F(Http1ClientUnary, TakesTheStatusOfHttpWhereAnErrorSaysNothing) {
  for (const char* body : {"", "{", "<html>", R"({"code":1})"}) {
    EXPECT_EQ(end_with(response(503, "application/json", body)).code(), StatusCode::unavailable) << body;
  }
  const Status page = end_with(response(404, "text/html", "<html>"));
  EXPECT_EQ(page.code(), StatusCode::unimplemented);
  EXPECT_THAT(std::string(page.message()), HasSubstr("HTTP status 404 with content-type text/html"));
  EXPECT_TRUE(is_usable());
  EXPECT_EQ(end_with("HTTP/1.1 401 \r\nContent-Length: 0\r\n\r\n").code(), StatusCode::unauthenticated);
  EXPECT_EQ(end_with("HTTP/1.1 204 No Content\r\n\r\n").code(), StatusCode::unknown);
}

TEST_F(Http1ClientUnary, RefusesResponsesOfOtherKinds) {
  EXPECT_EQ(end_with(response(200, "text/html", "<html>")).code(), StatusCode::unknown);
  EXPECT_EQ(end_with(response(200, "application/connect+bytes", "x")).code(), StatusCode::unknown);
  EXPECT_EQ(end_with(response(200, "application/proto", "x")).code(), StatusCode::internal);
  EXPECT_EQ(end_with(response(200, "application/bytes", "x", "content-encoding: odd\r\n")).code(),
            StatusCode::internal);
  EXPECT_EQ(end_with(response(200, "application/bytes", "x", "data-bin: *\r\n")).code(), StatusCode::internal);
}

TEST_F(Http1ClientUnary, RefusesMalformedResponses) {
  for (const std::string& bytes : {
           std::string("HTTP/2 200 OK\r\n\r\n"),
           std::string("SSH-2.0-OpenSSH\r\n\r\n"),
           head_of(200, "application/bytes", "Content-Length: 5\r\nContent-Length: 5\r\n\r\nworld"),
           head_of(200, "application/bytes", "Content-Length: 5\r\nContent-Length: 6\r\n\r\nworld"),
           head_of(200, "application/bytes", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nworld"),
           head_of(200, "application/bytes", "Content-Length: x\r\n\r\n"),
           head_of(200, "application/bytes", "Transfer-Encoding: gzip, chunked\r\n\r\n"),
           head_of(200, "application/bytes", "Transfer-Encoding: chunked\r\n\r\nx\r\n"),
           head_of(200, "application/bytes", "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n"),
           head_of(200, "application/bytes", "Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 1\r\n\r\n"),
           head_of(200, "application/bytes", "A : b\r\n\r\n"),
           head_of(200, "application/bytes", "A: b\r\n c\r\n\r\n"),
           head_of(200, "application/bytes", "A: b\n\r\n"),
       }) {
    const Status status = end_with(bytes);

    EXPECT_EQ(status.code(), StatusCode::internal) << bytes;
    EXPECT_EQ(status.origin(), StatusOrigin::transport) << bytes;
    EXPECT_THAT(std::string(status.message()), HasSubstr("receive response: ")) << bytes;
    EXPECT_TRUE(server().session().is_closed()) << bytes;
  }
}

TEST_F(Http1ClientUnary, RefusesAHeadBeyondTheLimit) {
  SessionOptions options = kit::plain_options();
  options.limits.max_header_bytes = 512;

  const Status status = end_with(head_of(200, "application/bytes", "A: " + std::string(600, 'x')), options);

  EXPECT_EQ(status.code(), StatusCode::resource_exhausted);
  EXPECT_THAT(std::string(status.message()), HasSubstr("max_header_bytes 512"));
}

TEST_F(Http1ClientUnary, RefusesABodyBeyondTheLimit) {
  SessionOptions options = kit::plain_options();
  options.limits.max_message_bytes = 10;
  const std::string ten(10, 'x');
  const std::string eleven(11, 'x');

  EXPECT_TRUE(end_with(response(200, "application/bytes", ten), options).is_ok());
  EXPECT_TRUE(end_with(chunked("application/bytes", ten), options).is_ok());
  EXPECT_EQ(end_with(response(200, "application/bytes", eleven), options).code(), StatusCode::resource_exhausted);
  EXPECT_EQ(end_with(chunked("application/bytes", eleven), options).code(), StatusCode::resource_exhausted);
  // How a call has ended is no message.
  EXPECT_EQ(end_with(response(409, "application/json", R"({"code":"aborted"})"), options).code(), StatusCode::aborted);
}

TEST_F(Http1ClientUnary, EndsOneWayCallsWithoutAnEvent) {
  call({.one_way = true});
  EXPECT_FALSE(is_usable());
  server().events.clear();

  server().feed(response(500, "application/json", "{}"));

  EXPECT_TRUE(is_usable());
  for (const SeenByClient& event : server().events) EXPECT_EQ(event.type, EventType::writable);
}

TEST_F(Http1ClientUnary, SendsOneWayCallsAlthoughTheChannelIsClosed) {
  server().start("hello", {.one_way = true});

  server().session().close(Status());
  const std::string sent = server().sent();

  EXPECT_TRUE(sent.ends_with("\r\n\r\nhello")) << sent;
  EXPECT_FALSE(server().session().wants_reset());
}

TEST_F(Http1ClientUnary, ResetsAConnectionWhoseCallIsGivenUp) {
  const CallId id = call();

  server().session().cancel(id, StatusCode::cancelled);

  EXPECT_TRUE(server().session().is_closed());
  EXPECT_TRUE(server().session().wants_reset());
}

TEST_F(Http1ClientUnary, TakesA408ThatCrossesItsRequestForNoResponse) {
  const std::string late = response(408, "text/plain", "no request", "Connection: close\r\n");
  const CallId first = call();
  server().feed(late);
  const Status of_first = server().status_of(first);
  server_ = nullptr;
  call();
  server().feed(response(200, "application/bytes", ""));
  const CallId second = call();
  server().feed(late);
  const Status& of_second = server().status_of(second);

  EXPECT_EQ(of_first.code(), StatusCode::unknown);
  EXPECT_EQ(of_second.code(), StatusCode::unavailable);
  EXPECT_EQ(of_second.origin(), StatusOrigin::transport);
  EXPECT_TRUE(of_second.may_have_run());
}

TEST_F(Http1ClientUnary, LeavesNoTraceOfCallsThatFindNoMemory) {
  if (!FailingMemory::is_supported()) GTEST_SKIP();
  bool has_failed = true;
  for (long nth = 1; has_failed; ++nth) {
    server_ = nullptr;
    server();
    CallStart start{.method = {.key = 1, .name = "test/Echo"}, .context = this};
    start.now = server().now();
    const OutgoingMessage message = kit::payload(std::string(5000, 'x'));
    bool is_thrown = false;
    {
      const FailingMemory failing(nth, FailingMemory::Failure::once);
      try {
        static_cast<void>(server().session().start(start, message));
      } catch (const std::bad_alloc&) {
        is_thrown = true;
      }
      has_failed = failing.has_failed();
    }
    server().turn();
    if (!is_thrown) continue;
    EXPECT_EQ(server().session().open_calls(), 0u) << nth;
    for (const SeenByClient& event : server().events) EXPECT_NE(event.type, EventType::finished) << nth;
  }
}

TEST_F(Http1ClientUnary, TakesNothingOfWhatIsSaidToOneWayCalls) {
  const std::string content = enveloped("a") + enveloped("{}", 2);
  for (const std::string& bytes : {response(200, "application/connect+bytes", content),
                                   chunked("application/connect+bytes", content), response(404, "text/html", "no")}) {
    server_ = std::make_unique<Http1Server>();
    call({.one_way = true, .is_stream = true});

    server().feed(bytes, 3);

    EXPECT_TRUE(server().events.empty());
    EXPECT_TRUE(is_usable());
  }
}

/// The end of the connection at every byte of a response.
TEST_F(Http1ClientUnary, EndsWithTheConnectionWhereverThatEnds) {
  for (const std::string& whole : {response(200, "application/bytes", "world"), chunked("application/bytes", "world"),
                                   response(409, "application/json", R"({"code":"aborted"})")}) {
    for (std::size_t size = 0; size < whole.size(); ++size) {
      server_ = std::make_unique<Http1Server>();
      const CallId id = call();

      server().feed(std::string_view(whole).substr(0, size));
      server().close_transport();

      const Status& status = server().status_of(id);
      EXPECT_EQ(status.code(), StatusCode::unavailable) << size;
      EXPECT_TRUE(status.may_have_run()) << size;
      EXPECT_EQ(server().events.back().type, EventType::closed);
      EXPECT_FALSE(server().session().close_reason().is_ok());
    }
  }
}

TEST_F(Http1ClientUnary, HasNotRunIfItsHeadHasNotLeft) {
  const CallId id = server().start("hello");

  server().close_transport(Status(StatusCode::unavailable, "connection reset"));

  EXPECT_FALSE(server().status_of(id).may_have_run());
}

using Http1ClientStreams = Http1ClientSessionTest;

TEST_F(Http1ClientStreams, TakeMessagesAndTheEnd) {
  const std::string content = enveloped("a") + enveloped("") + enveloped(R"({"metadata":{"b":["2"]}})", 2);

  for (const std::string& bytes : {response(200, "application/connect+bytes", content, "a: 1\r\n"),
                                   chunked("application/connect+bytes", content)}) {
    EXPECT_TRUE(stream_end_with(bytes).is_ok());
    EXPECT_EQ(server().messages_of(1), "a,,");
    EXPECT_EQ(server().metadata_of(EventType::finished), (Metadata{{"b", "2"}}));
    EXPECT_TRUE(is_usable());
  }
}

TEST_F(Http1ClientStreams, ShowTheHeadAtOnce) {
  call_stream();

  server().feed(head_of(200, "application/connect+bytes", "a: 1\r\nTransfer-Encoding: chunked\r\n\r\n"));

  ASSERT_EQ(server().events.size(), 1u);
  EXPECT_EQ(server().events[0].metadata, (Metadata{{"a", "1"}}));
  EXPECT_FALSE(server().events[0].has_message);
}

TEST_F(Http1ClientStreams, LearnErrors) {
  const std::string end = enveloped(R"({"error":{"code":"aborted","message":"why"}})", 2);
  const Status status = stream_end_with(chunked("application/connect+bytes", enveloped("a") + end));

  EXPECT_EQ(status.code(), StatusCode::aborted);
  EXPECT_EQ(server().messages_of(1), "a,");
}

TEST_F(Http1ClientStreams, NeedAnEnd) {
  EXPECT_THAT(std::string(stream_end_with(chunked("application/connect+bytes", enveloped("a"))).message()),
              HasSubstr("does not say how the call has ended"));
  EXPECT_THAT(
      std::string(stream_end_with(chunked("application/connect+bytes", enveloped("abc").substr(0, 7))).message()),
      HasSubstr("amid a message"));
  const std::string late = enveloped("{}", 2) + enveloped("a");
  EXPECT_THAT(std::string(stream_end_with(chunked("application/connect+bytes", late)).message()),
              HasSubstr("after the end"));
  EXPECT_EQ(stream_end_with(chunked("application/connect+bytes", enveloped("a", 4))).code(), StatusCode::internal);
  EXPECT_EQ(stream_end_with(chunked("application/connect+bytes", enveloped("a", 1))).code(), StatusCode::internal);
}

TEST_F(Http1ClientStreams, TakeTheTrailersOfGrpcWeb) {
  const std::string end = enveloped("grpc-status: 10\r\ngrpc-message: why%21\r\nb: 2\r\n", 0x80);

  const Status status =
      stream_end_with(chunked("application/grpc-web+bytes", enveloped("a") + end), ClientProtocol::grpc_web);

  EXPECT_EQ(status.code(), StatusCode::aborted);
  EXPECT_EQ(status.message(), "why!");
  EXPECT_EQ(server().messages_of(1), "a,");
  EXPECT_EQ(server().metadata_of(EventType::finished), (Metadata{{"b", "2"}}));
}

TEST_F(Http1ClientStreams, MayBeText) {
  const auto text_of = [](std::string_view bytes) {
    BufferWriter out;
    codec::append_base64(as_bytes(bytes), out);
    return std::string(as_text(out.bytes()));
  };
  SessionOptions options = kit::plain_options();
  options.grpc_web_text = true;
  const std::string message = enveloped(std::string(3000, 'x'));
  const std::string body = text_of(enveloped("a")) + text_of(message + enveloped("grpc-status: 10\r\n", 0x80));
  for (const std::string& content :
       {chunked("application/grpc-web-text+bytes", body, 5), response(200, "application/grpc-web-text+bytes", body)}) {
    for (const std::size_t part : {std::size_t{1}, std::size_t{3}, std::string_view::npos}) {
      server_ = std::make_unique<Http1Server>(options, ClientProtocol::grpc_web);
      const CallId id = server().start("hello", {.is_stream = true});
      const std::string sent = server().sent();
      server().feed(content, part);

      EXPECT_THAT(sent, HasSubstr("content-type: application/grpc-web-text+bytes\r\n"));
      EXPECT_THAT(sent, HasSubstr("accept: application/grpc-web-text\r\n"));
      EXPECT_TRUE(sent.ends_with("content-length: 16\r\n\r\n" + text_of(enveloped("hello")))) << sent;
      EXPECT_EQ(server().status_of(id).code(), StatusCode::aborted);
      EXPECT_EQ(server().messages_of(id), "a," + std::string(3000, 'x') + ",");
      EXPECT_TRUE(is_usable());
    }
  }
  const std::string end = text_of(enveloped("grpc-status: 0\r\n", 0x80));
  for (const std::string& wrong : {std::string("AAA!"), end + "AA", end.substr(0, 11)}) {
    server_ = std::make_unique<Http1Server>(options, ClientProtocol::grpc_web);
    const CallId id = call_stream();
    server().feed(response(200, "application/grpc-web-text+bytes", wrong));
    EXPECT_EQ(server().status_of(id).code(), StatusCode::internal) << wrong;
  }
}

TEST_F(Http1ClientStreams, TakeAStatusInTheHeadOfGrpcWeb) {
  const std::string fields = "grpc-status: 10\r\ngrpc-message: why\r\nb: 2\r\n";

  EXPECT_EQ(stream_end_with(response(200, "application/grpc-web+bytes", "", fields), ClientProtocol::grpc_web).code(),
            StatusCode::aborted);
  EXPECT_EQ(server().metadata_of(EventType::finished), (Metadata{{"b", "2"}}));
  // It does not count if there is content.
  const std::string content = enveloped("a") + enveloped("grpc-status: 0\r\n", 0x80);
  EXPECT_TRUE(
      stream_end_with(response(200, "application/grpc-web+bytes", content, fields), ClientProtocol::grpc_web).is_ok());
  EXPECT_EQ(server().messages_of(1), "a,");
}

TEST_F(Http1ClientStreams, AreUnimplementedWhereTheServerNeedsHttp2) {
  const Status status = stream_end_with(response(505, "text/plain", ""));

  EXPECT_EQ(status.code(), StatusCode::unimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("over HTTP/2 only"));
}

TEST_F(Http1ClientStreams, EndWithAResponseThatComesBeforeTheEndOfTheRequest) {
  const CallId id = server().start_stream();
  static_cast<void>(server().sent());

  server().feed(chunked("application/connect+bytes", enveloped(R"({"error":{"code":"aborted"}})", 2)));

  EXPECT_EQ(server().status_of(id).code(), StatusCode::aborted);
  EXPECT_EQ(server().send(id, "more").code(), StatusCode::cancelled);
  EXPECT_TRUE(server().session().is_closed());
}

TEST_F(Http1ClientStreams, ReadNothingMoreWhileMuchIsUnread) {
  SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = 1000;
  server(options).on_event = [](Event& event) { event.is_retained = event.has_message; };
  const CallId id = call_stream();
  std::string content;
  for (int i = 0; i < 200; ++i) content += enveloped(std::string(400, 'x'));
  const std::string bytes = chunked("application/connect+bytes", content + enveloped("{}", 2), 1000);

  std::string_view left = server().feed(bytes, 2000);
  const std::size_t first = server().events.size();
  server().was_woken = false;
  EXPECT_GT(left.size(), 70000u);
  EXPECT_LT(first, 6u);
  std::size_t released = 0;
  for (int i = 0; i < 1000 && !left.empty(); ++i) {
    for (; released < server().events.size(); ++released) {
      if (server().events[released].has_message) server().session().release(id, server().events[released].credit);
    }
    server().turn();
    left = server().feed(left, 2000);
  }
  for (int i = 0; i < 1000 && server().session().open_calls() > 0; ++i) {
    for (; released < server().events.size(); ++released) {
      if (server().events[released].has_message) server().session().release(id, server().events[released].credit);
    }
    server().turn();
  }

  EXPECT_TRUE(server().was_woken);
  EXPECT_TRUE(server().status_of(id).is_ok()) << server().status_of(id).to_string();
  EXPECT_EQ(server().messages_of(id).size(), 200u * 401);
}

TEST_F(Http1ClientStreams, MayHaveTheirMessagesReturnedWhileTheyAreInHand) {
  SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = 1000;
  server(options).on_event = [this](Event& event) {
    event.is_retained = event.has_message;
    if (event.has_message) server().session().release(event.id, event.credit);
  };
  const CallId id = call_stream();
  std::string content;
  for (int i = 0; i < 20; ++i) content += enveloped(std::string(400, 'x'));

  server().feed(chunked("application/connect+bytes", content + enveloped("{}", 2), 1000));

  EXPECT_TRUE(server().status_of(id).is_ok()) << server().status_of(id).to_string();
}

TEST_F(Http1ClientStreams, WaitWhileTheServerTakesNothing) {
  SessionOptions options = kit::plain_options();
  options.limits.max_unsent_bytes = 1000;
  server(options);
  const CallId id = server().start_stream();
  ASSERT_TRUE(server().send(id, std::string(2000, 'x')).is_ok());

  EXPECT_FALSE(server().session().is_writable(id));
  static_cast<void>(server().sent());
  server().turn();

  ASSERT_FALSE(server().events.empty());
  EXPECT_EQ(server().events.back().type, EventType::writable);
  EXPECT_EQ(server().events.back().id, id);
  EXPECT_TRUE(server().session().is_writable(id));
}

using Http1ClientConnection = Http1ClientSessionTest;

TEST_F(Http1ClientConnection, CarriesOneCallAtATime) {
  EXPECT_TRUE(server().session().can_start());
  const CallId first = call();
  EXPECT_FALSE(server().session().can_start());
  server().feed(response(200, "application/bytes", "1"));
  EXPECT_TRUE(server().session().can_start());
  EXPECT_EQ(server().events.back().type, EventType::writable);
  EXPECT_EQ(server().events.back().id, 0u);
  const CallId second = call();
  server().feed(response(200, "application/bytes", "2"));

  EXPECT_NE(first, second);
  EXPECT_EQ(server().messages_of(second), "2,");
}

TEST_F(Http1ClientConnection, EndsWhereTheServerSaysSo) {
  EXPECT_TRUE(end_with(response(200, "application/bytes", "x", "Connection: close\r\n")).is_ok());
  EXPECT_TRUE(server().session().is_closed());
  EXPECT_TRUE(server().session().close_reason().is_ok());
  EXPECT_TRUE(end_with("HTTP/1.0 200 OK\r\nContent-Type: application/bytes\r\nContent-Length: 1\r\n\r\nx").is_ok());
  EXPECT_TRUE(server().session().is_closed());
  EXPECT_TRUE(end_with("HTTP/1.0 200 OK\r\nContent-Type: application/bytes\r\nConnection: keep-alive\r\n"
                       "Content-Length: 1\r\n\r\nx")
                  .is_ok());
  EXPECT_TRUE(is_usable());
}

TEST_F(Http1ClientConnection, EndsIfSomethingFollowsTheResponse) {
  const CallId id = call();

  server().feed(response(200, "application/bytes", "x") + response(200, "application/bytes", "smuggled"));

  EXPECT_EQ(server().messages_of(id), "x,");
  EXPECT_TRUE(server().session().is_closed());
}

TEST_F(Http1ClientConnection, EndsIfTheServerSpeaksUnasked) {
  call();
  server().feed(response(200, "application/bytes", "x"));

  server().feed("HTTP/1.1 408 Request Timeout\r\n\r\n");

  EXPECT_TRUE(server().session().is_closed());
  EXPECT_TRUE(server().session().close_reason().is_ok());
}

TEST_F(Http1ClientConnection, TakesNothingForAResponseThatCameBeforeTheRequest) {
  const CallId id = server().start("hello");

  server().feed(response(200, "application/bytes", "stale"));

  EXPECT_EQ(server().status_of(id).code(), StatusCode::unavailable);
  EXPECT_FALSE(server().status_of(id).may_have_run());
}

TEST_F(Http1ClientConnection, EndsIfTheResponseIsThereBeforeTheRequestHasLeft) {
  CallStart start{.method = {.key = 1, .name = "test/Echo"}, .context = this};
  ASSERT_TRUE(server().session().start(start, kit::payload(std::string(100000, 'x'))).is_ok());
  static_cast<void>(server().sent(50000));

  server().feed(response(413, "application/json", R"({"code":"resource_exhausted"})"));

  EXPECT_EQ(server().status_of(1).code(), StatusCode::resource_exhausted);
  EXPECT_TRUE(server().session().is_closed());
  EXPECT_EQ(server().sent(), "");
}

TEST_F(Http1ClientConnection, EndsWithACallThatIsCancelled) {
  const CallId id = call();
  server().events.clear();

  server().session().cancel(id, StatusCode::cancelled);
  server().turn();

  ASSERT_EQ(server().events.size(), 1u);
  EXPECT_EQ(server().events[0].type, EventType::closed);
  EXPECT_TRUE(server().events[0].status.is_ok());
  EXPECT_TRUE(server().was_woken);
}

TEST_F(Http1ClientConnection, StaysIfACallIsCancelledBeforeItLeft) {
  const CallId id = server().start("hello");

  server().session().cancel(id, StatusCode::cancelled);
  server().turn();

  EXPECT_TRUE(is_usable());
  EXPECT_EQ(server().sent(), "");
}

TEST_F(Http1ClientConnection, EndsAtTheDeadlineOfItsCall) {
  CallStart start;
  start.deadline = server().now() + 1s;
  const CallId id = call(start);
  server().feed(head_of(200, "application/bytes", "Content-Length: 5\r\n\r\nwor"));

  server().advance(2s);

  EXPECT_EQ(server().status_of(id).code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(server().events.back().type, EventType::closed);
}

TEST_F(Http1ClientConnection, EndsOrderlyWhileItRests) {
  call();
  server().feed(response(200, "application/bytes", "x"));

  server().close_transport();

  EXPECT_TRUE(server().session().close_reason().is_ok());
}

TEST_F(Http1ClientConnection, DrainsAfterItsCall) {
  const CallId id = call();
  server().session().drain();
  EXPECT_FALSE(server().session().is_drained());

  server().feed(response(200, "application/bytes", "x"));

  EXPECT_TRUE(server().status_of(id).is_ok());
  EXPECT_TRUE(server().session().is_drained());
  EXPECT_FALSE(server().session().can_start());
}

TEST_F(Http1ClientConnection, EndsACallThatIsOpenWhenItIsClosed) {
  const CallId id = call();

  server().session().close(Status(StatusCode::cancelled, "the channel is closed"));
  server().turn();

  EXPECT_EQ(server().status_of(id).code(), StatusCode::cancelled);
  EXPECT_EQ(server().events.back().type, EventType::closed);
}

TEST_F(Http1ClientConnection, EndsIfAResponseDoesNotGoOn) {
  SessionOptions options = kit::plain_options();
  options.limits.stall_timeout = 1s;
  server(options);
  const CallId id = call();
  server().feed(head_of(200, "application/bytes", "Content-Length: 5\r\n\r\nwor"));

  for (int i = 0; i < 5; ++i) server().advance(1s);

  EXPECT_EQ(server().status_of(id).code(), StatusCode::unavailable);
  EXPECT_THAT(std::string(server().status_of(id).message()), HasSubstr("stall_timeout"));
}

TEST_F(Http1ClientConnection, HasTimeUntilTheResponseBegins) {
  SessionOptions options = kit::plain_options();
  options.limits.stall_timeout = 1s;
  server(options);
  const CallId id = call();

  for (int i = 0; i < 60; ++i) server().advance(1s);
  server().feed(response(200, "application/bytes", "x"));

  EXPECT_TRUE(server().status_of(id).is_ok());
}

TEST_F(Http1ClientConnection, WaitsForMemoryForALongBody) {
  MemoryBudget budget(64 << 20, 1);
  SessionOptions options = kit::plain_options();
  options.memory = &budget;
  server(options);
  const CallId id = call();
  budget.add(64 << 20);
  // One message at a time has room in any case: another one.
  MemoryShare other(&budget);
  ASSERT_TRUE(other.try_take(1 << 20));
  const std::string body(500000, 'x');
  const std::string bytes = response(200, "application/bytes", body);

  std::string_view left = server().feed(bytes);
  EXPECT_FALSE(left.empty());
  budget.subtract(64 << 20);
  other.free_reserve();
  server().advance(200ms);
  left = server().feed(left);

  EXPECT_TRUE(left.empty());
  EXPECT_EQ(server().messages_of(id), body + ",");
}

}  // namespace
}  // namespace trunkline::session::http1
