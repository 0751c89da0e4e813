// SPDX-License-Identifier: MIT
// GrpcClientSession: calls, every end that a server can give them, limits, windows, refusals and deadlines.
#include "unit/session/failing_memory.h"
#include "unit/session/grpc/http2_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trunkline::session::grpc {
namespace {

using http::http2::ErrorCode;
using http::http2::FrameType;
using http::http2::SettingId;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;

std::vector<std::string> shape_of(const std::vector<Sent>& frames) {
  std::vector<std::string> shape;
  for (const Sent& frame : frames) {
    shape.push_back(std::string(to_string(frame.type)) + " " + std::to_string(frame.stream) +
                    (frame.is_end ? " end" : ""));
  }
  return shape;
}

ErrorCode code_of(const Sent& frame, std::size_t at = 0) {
  return static_cast<ErrorCode>(http::http2::load_uint32(as_bytes(frame.payload).data() + at));
}

/// The codes of the resets that the session has sent since the last call.
std::vector<ErrorCode> resets_of(Http2Server& server) {
  std::vector<ErrorCode> codes;
  for (const Sent& frame : Http2Client::of_type(server.sent(), FrameType::rst_stream)) codes.push_back(code_of(frame));
  return codes;
}

ErrorCode goaway_of(Http2Server& server) {
  const auto goaways = Http2Client::of_type(server.sent(), FrameType::goaway);
  EXPECT_EQ(goaways.size(), 1u);
  return goaways.empty() ? ErrorCode::no_error : code_of(goaways[0], 4);
}

TEST(GrpcClientSession, GreetsWithPrefaceAndSettings) {
  Http2Server server;

  const std::string bytes = server.take_output();

  ASSERT_TRUE(bytes.starts_with(http::http2::client_preface));
  const std::string_view settings = std::string_view(bytes).substr(http::http2::client_preface.size());
  // SETTINGS_ENABLE_PUSH is 0.
  EXPECT_EQ(settings.substr(9, 6), std::string_view("\0\2\0\0\0\0", 6));
  EXPECT_FALSE(server.session().is_open());
  server.feed(Http2Client::settings({}));
  EXPECT_TRUE(server.session().is_open());
  ASSERT_EQ(server.events.size(), 1u);
  EXPECT_EQ(server.events[0].type, EventType::opened);
}

TEST(GrpcClientSession, LeavesNoTraceOfCallsThatFindNoMemory) {
  if (!FailingMemory::is_supported()) GTEST_SKIP();
  bool has_failed = true;
  for (long nth = 1; has_failed; ++nth) {
    Http2Server server;
    server.greet();
    CallStart start{.method = {.key = 1, .name = "test/Echo"}, .context = &server};
    start.now = server.now();
    const OutgoingMessage message = kit::payload(std::string(5000, 'x'));
    bool is_thrown = false;
    {
      const FailingMemory failing(nth, FailingMemory::Failure::once);
      try {
        static_cast<void>(server.session().start(start, message));
      } catch (const std::bad_alloc&) {
        is_thrown = true;
      }
      has_failed = failing.has_failed();
    }
    server.turn();
    if (!is_thrown) continue;
    EXPECT_EQ(server.session().open_calls(), 0u) << nth;
    for (const Seen& event : server.events) EXPECT_NE(event.type, EventType::finished) << nth;
  }
}

TEST(GrpcClientSession, SendsAUnaryCallAsTwoFrames) {
  SessionOptions options = kit::plain_options();
  options.authority = "host:80";
  Http2Server server(options);
  server.greet();

  server.start("hello");

  const std::vector<Sent> frames = server.sent();
  EXPECT_THAT(shape_of(frames), ElementsAre("HEADERS 1", "DATA 1 end"));
  const std::map<std::string, std::string> fields{{":method", "POST"},
                                                  {":scheme", "http"},
                                                  {":path", "/test/Echo"},
                                                  {":authority", "host:80"},
                                                  {"content-type", "application/grpc+bytes"},
                                                  {"te", "trailers"},
                                                  {"user-agent", "trunkline/0.1.0"},
                                                  {"grpc-accept-encoding", "identity,snappy"}};
  EXPECT_EQ(frames[0].fields, fields);
  EXPECT_EQ(frames[1].payload, Http2Client::message("hello"));
}

TEST(GrpcClientSession, EndsACallWithItsResponseInPartsOfEverySize) {
  for (const std::size_t part : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::string_view::npos}) {
    Http2Server server;
    server.greet();
    const CallId id = server.start("hello");

    server.feed(server.response(id, "world"), part);

    EXPECT_EQ(server.messages_of(id), "world,");
    EXPECT_TRUE(server.status_of(id).is_ok());
    EXPECT_EQ(server.session().open_calls(), 0u);
    EXPECT_EQ(server.session().held_bytes(), server.session().unsent_bytes());
  }
}

TEST(GrpcClientSession, HandsOutAWholeUsualResponseAsOneEvent) {
  Http2Server server;
  server.greet();
  // Until the blocks are known, the parts of a response come one by one.
  for (int i = 0; i < 3; ++i) server.feed(server.response(server.start("x"), "y"));
  const auto types_of = [&](const std::string& response, std::size_t part) {
    server.events.clear();
    server.feed(response, part);
    std::vector<EventType> types;
    for (const auto& event : server.events) types.push_back(event.type);
    return types;
  };

  const CallId id = server.start("x");
  EXPECT_THAT(types_of(server.response(id, "world"), std::string::npos), ElementsAre(EventType::finished));
  EXPECT_EQ(server.messages_of(id), "world,");
  EXPECT_TRUE(server.status_of(id).is_ok());
  EXPECT_EQ(server.session().open_calls(), 0u);
  EXPECT_EQ(server.session().held_bytes(), server.session().unsent_bytes());

  const CallId in_parts = server.start("x");
  EXPECT_THAT(types_of(server.response(in_parts, "world"), 1),
              ElementsAre(EventType::message, EventType::message, EventType::finished));
  EXPECT_EQ(server.messages_of(in_parts), "world,");
}

TEST(GrpcClientSession, ReadsUnusualResponsesFrameByFrame) {
  Http2Server server;
  server.greet();
  for (int i = 0; i < 3; ++i) server.feed(server.response(server.start("x"), "y"));
  const auto status_after = [&](const std::string& data, const Fields& trailers = {{"grpc-status", "0"}}) {
    const CallId id = server.start("x");
    const std::string first = server.headers(id, Http2Server::leading());
    std::string middle = data;
    for (std::size_t i = 0; i < 4; ++i) middle[5 + i] = static_cast<char>(id >> (24 - 8 * i));
    server.feed(first + middle + server.trailers(id, trailers));
    return server.status_of(id);
  };

  EXPECT_TRUE(status_after(Http2Server::message(1, "y")).is_ok());
  EXPECT_EQ(status_after(Http2Server::message(1, "y"), {{"grpc-status", "5"}}).code(), StatusCode::not_found);
  EXPECT_EQ(status_after(Http2Server::data(1, Http2Client::message("y", 1))).code(), StatusCode::internal);
  EXPECT_EQ(status_after(Http2Server::data(1, Http2Client::message("long").substr(0, 7))).code(), StatusCode::internal);
  EXPECT_TRUE(status_after(Http2Server::message(1, "y")).is_ok());
}

TEST(GrpcClientSession, SendsTheSameBytesForTheSameMethod) {
  Http2Server server;
  server.greet();
  const auto bytes_of_call = [&] {
    const CallId id = server.start("x");
    const std::string bytes = server.take_output();
    server.feed(server.response(id, "y"));
    return bytes;
  };
  bytes_of_call();

  const std::string second = bytes_of_call();
  const std::string third = bytes_of_call();

  EXPECT_EQ(second.size(), third.size());
  EXPECT_EQ(second.substr(9, 8), third.substr(9, 8));
  EXPECT_LT(second.size(), 40u);
}

TEST(GrpcClientSession, SaysWhatIsLeftOfTheDeadline) {
  Http2Server server;
  server.greet();

  server.start("x", {.deadline = server.now() + 1500ms});
  server.start("x", {.deadline = server.now() + 2s});
  server.start("x");

  const auto frames = Http2Client::of_type(server.sent(), FrameType::headers);
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].fields.at("grpc-timeout"), "1500m");
  EXPECT_EQ(frames[1].fields.at("grpc-timeout"), "2S");
  EXPECT_EQ(frames[2].fields.count("grpc-timeout"), 0u);
}

TEST(GrpcClientSession, SendsMetadataAndAttempts) {
  Metadata metadata;
  metadata.add("key", "value");
  metadata.add("raw-bin", std::string("\0\1", 2));
  Http2Server server(kit::plain_options(), true);
  server.greet();

  server.start("x", {.method = {.key = 0, .name = "a b"}, .metadata = &metadata, .previous_attempts = 2});

  const auto fields = server.sent().at(0).fields;
  EXPECT_EQ(fields.at("key"), "value");
  EXPECT_EQ(fields.at("raw-bin"), "AAE");
  EXPECT_EQ(fields.at("grpc-previous-rpc-attempts"), "2");
  EXPECT_EQ(fields.at(":path"), "/a%20b");
  EXPECT_EQ(fields.at(":scheme"), "https");
}

TEST(GrpcClientSession, EndsACallAloneForAVeryLongHeaderList) {
  Http2Server server;
  server.greet();
  const CallId first = server.start("x");
  const CallId second = server.start("y");
  Fields fields = Http2Server::leading();
  for (int i = 0; i < 3000; ++i) fields.emplace_back("field-" + std::to_string(i), std::string(100, 'x'));

  server.feed(server.headers(first, fields));
  server.feed(server.response(second, "fine"));

  EXPECT_EQ(server.status_of(first).code(), StatusCode::resource_exhausted);
  EXPECT_THAT(std::string(server.status_of(first).message()), HasSubstr("max_header_bytes"));
  EXPECT_TRUE(server.status_of(second).is_ok()) << server.status_of(second).to_string();
  EXPECT_FALSE(server.session().is_closed());
}

TEST(GrpcClientSession, StartsNothingThatItCannotSend) {
  SessionOptions ordered = kit::plain_options();
  ordered.ordered = true;
  Http2Server server;
  Http2Server in_order(ordered);
  server.greet({{SettingId::max_header_list_size, 1000}});
  in_order.greet();
  Metadata reserved, long_one;
  reserved.add("grpc-timeout", "1S");
  long_one.add("key", std::string(1000, 'v'));
  const auto code_of_start = [](Http2Server& at, CallStart start) {
    return at.session().start(start, kit::payload("x")).status().code();
  };

  EXPECT_EQ(code_of_start(server, {.method = {.name = ""}}), StatusCode::invalid_argument);
  EXPECT_EQ(code_of_start(server, {.method = {.name = "m"}, .metadata = &reserved}), StatusCode::invalid_argument);
  EXPECT_EQ(code_of_start(server, {.method = {.name = "m"}, .metadata = &long_one}), StatusCode::resource_exhausted);
  EXPECT_EQ(code_of_start(in_order, {.method = {.name = "m"}}), StatusCode::unimplemented);
  EXPECT_TRUE(server.sent().empty());
  EXPECT_EQ(server.session().open_calls(), 0u);
}

TEST(GrpcClientSession, HandsOutLeadingAndTrailingMetadata) {
  Http2Server server;
  server.greet();
  const CallId id = server.start("x");

  server.feed(server.headers(id, Http2Server::leading({{"first", "1"}})) + Http2Server::message(id, "y"));
  server.feed(server.trailers(id, {{"grpc-status", "0"}, {"last-bin", "AAE"}}));

  ASSERT_EQ(server.events.size(), 3u);
  EXPECT_FALSE(server.events[0].has_message);
  EXPECT_EQ(*server.events[0].metadata.get("first"), "1");
  EXPECT_TRUE(server.events[1].has_message);
  EXPECT_EQ(server.events[2].type, EventType::finished);
  EXPECT_EQ(*server.events[2].metadata.get("last-bin"), std::string("\0\1", 2));
}

TEST(GrpcClientSession, HandsOutTheBeginningOfAResponseWithoutMetadata) {
  Http2Server server;
  server.greet();
  const CallId id = server.start_stream();

  server.feed(server.headers(id, Http2Server::leading()));

  ASSERT_EQ(server.events.size(), 1u);
  EXPECT_EQ(server.events[0].type, EventType::message);
  EXPECT_EQ(server.events[0].id, id);
  EXPECT_NE(server.events[0].context, nullptr);
  EXPECT_FALSE(server.events[0].has_message);
  EXPECT_TRUE(server.events[0].metadata.empty());
}

TEST(GrpcClientSession, HandsOutAStatusWithItsMessageAndDetails) {
  Http2Server server;
  server.greet();
  const CallId id = server.start("x");

  server.feed(server.headers(
      id,
      Http2Server::leading(
          {{"grpc-status", "10"}, {"grpc-message", "no %E2%98%BA today"}, {"grpc-status-details-bin", "CAoaBQoDdC9h"}}),
      true));

  const Status status = server.status_of(id);
  EXPECT_EQ(status.code(), StatusCode::aborted);
  EXPECT_EQ(status.message(), "no \xE2\x98\xBA today");
  EXPECT_EQ(status.origin(), StatusOrigin::peer);
  ASSERT_EQ(status.details().size(), 1u);
  EXPECT_EQ(status.details()[0].type_url, "t/a");
}

/// gRPC for Go and gRPC's C core send the blanks of a status as they are.
TEST(GrpcClientSession, StripsBlanksAroundValues) {
  Http2Server server;
  server.greet();
  const CallId id = server.start("x");

  server.feed(server.headers(
      id,
      Http2Server::leading(
          {{"grpc-status", "5"}, {"grpc-message", "\t not here, %20"}, {"name", " a value "}, {"empty", "  "}}),
      true));

  const Status status = server.status_of(id);
  EXPECT_EQ(status.code(), StatusCode::not_found);
  EXPECT_EQ(status.message(), "not here,  ");
  EXPECT_EQ(server.events.back().metadata, (Metadata{{"name", "a value"}, {"empty", ""}}));
}

TEST(GrpcClientSession, EndsEveryCallOnceWhateverTheResponseIs) {
  struct Case {
    std::string name;
    StatusCode code;
    std::string text;
    std::function<std::string(Http2Server&, CallId)> bytes;
  };
  const auto with_headers = [](Fields fields, bool is_end = false) {
    return [=](Http2Server& server, CallId id) { return server.headers(id, fields, is_end); };
  };
  const auto after_leading = [](std::string bytes, bool is_end) {
    return [=](Http2Server& server, CallId id) {
      return server.headers(id, Http2Server::leading()) + Http2Server::data(id, bytes, is_end);
    };
  };
  const std::vector<Case> cases = {
      {"HTTP status", StatusCode::unavailable, "HTTP status 503 with content-type text/html",
       with_headers({{":status", "503"}, {"content-type", "text/html"}})},
      {"HTTP status at the end", StatusCode::unimplemented, "HTTP status 404 without content-type",
       with_headers({{":status", "404"}}, true)},
      {"HTTP status and gRPC", StatusCode::unauthenticated, "HTTP status 401",
       with_headers({{":status", "401"}, {"content-type", "application/grpc"}})},
      {"other content-type", StatusCode::unknown, "content-type application/grpc-web",
       with_headers({{":status", "200"}, {"content-type", "application/grpc-web"}})},
      {"no content-type", StatusCode::unknown, "without content-type", with_headers({{":status", "200"}})},
      {"unknown codec", StatusCode::internal, "is not that of the request",
       with_headers({{":status", "200"}, {"content-type", "application/grpc+other"}})},
      {"no grpc-status", StatusCode::unknown, "no grpc-status",
       with_headers({{":status", "200"}, {"content-type", "application/grpc"}}, true)},
      {"no grpc-status in trailers", StatusCode::unknown, "no grpc-status",
       [](Http2Server& server, CallId id) {
         const std::string first = server.headers(id, Http2Server::leading());
         return first + server.trailers(id, {{"a", "b"}});
       }},
      {"malformed grpc-status", StatusCode::unknown, "grpc-status is no number",
       with_headers(Http2Server::leading({{"grpc-status", "x"}}), true)},
      {"grpc-status beyond the codes", StatusCode::unknown, "later",
       with_headers(Http2Server::leading({{"grpc-status", "17"}, {"grpc-message", "later"}}), true)},
      {"no :status", StatusCode::internal, "malformed", with_headers({{"content-type", "application/grpc"}})},
      {"forbidden field", StatusCode::internal, "malformed",
       with_headers({{":status", "200"}, {"content-type", "application/grpc"}, {"connection", "close"}})},
      {"interim response at the end", StatusCode::internal, "malformed", with_headers({{":status", "100"}}, true)},
      {"trailers without END_STREAM", StatusCode::internal, "malformed",
       [](Http2Server& server, CallId id) {
         const std::string first = server.headers(id, Http2Server::leading());
         return first + server.headers(id, {{"grpc-status", "0"}});
       }},
      {"pseudo-field in trailers", StatusCode::internal, "malformed",
       [](Http2Server& server, CallId id) {
         const std::string first = server.headers(id, Http2Server::leading());
         return first + server.headers(id, {{":status", "200"}}, true);
       }},
      {"base64", StatusCode::internal, "is not base64", with_headers(Http2Server::leading({{"key-bin", "!"}}))},
      {"long headers", StatusCode::resource_exhausted, "max_header_bytes",
       with_headers(Http2Server::leading({{"key", std::string(17000, 'v')}}))},
      {"DATA before HEADERS", StatusCode::internal, "before",
       [](Http2Server&, CallId id) { return Http2Server::message(id, "x"); }},
      {"no trailers", StatusCode::internal, "no trailers", after_leading(Http2Client::message("x"), true)},
      {"end amid a message", StatusCode::internal, "amid a message",
       after_leading(Http2Client::message("xyz").substr(0, 6), true)},
      {"trailers amid a message", StatusCode::internal, "amid a message",
       [](Http2Server& server, CallId id) {
         const std::string first = server.headers(id, Http2Server::leading());
         return first + Http2Server::data(id, Http2Client::message("xyz").substr(0, 6)) + server.trailers(id);
       }},
      {"bad prefix", StatusCode::internal, "bad prefix", after_leading(Http2Client::message("x", 2), false)},
      {"compressed", StatusCode::internal, "compressed without", after_leading(Http2Client::message("x", 1), false)},
      {"unknown encoding", StatusCode::internal, "compressed without",
       [](Http2Server& server, CallId id) {
         return server.headers(id, Http2Server::leading({{"grpc-encoding", "other"}})) +
                Http2Server::data(id, Http2Client::message("x", 1));
       }},
      {"message over the limit", StatusCode::resource_exhausted, "max_message_bytes",
       after_leading(std::string("\0\x7F\xFF\xFF\xFF", 5), false)},
      {"content-length", StatusCode::internal, "content-length",
       [](Http2Server& server, CallId id) {
         return server.headers(id, Http2Server::leading({{"content-length", "3"}})) + Http2Server::message(id, "x");
       }},
      {"reset without an error", StatusCode::internal, "NO_ERROR",
       [](Http2Server&, CallId id) { return Http2Client::reset(id, ErrorCode::no_error); }},
      {"cancelled by the server", StatusCode::cancelled, "CANCEL",
       [](Http2Server&, CallId id) { return Http2Client::reset(id, ErrorCode::cancel); }},
      {"calm", StatusCode::resource_exhausted, "ENHANCE_YOUR_CALM",
       [](Http2Server&, CallId id) { return Http2Client::reset(id, ErrorCode::enhance_your_calm); }},
      {"zero increment", StatusCode::internal, "window update of 0",
       [](Http2Server&, CallId id) {
         std::string frame = Http2Client::window_update(id, 1);
         frame.back() = '\0';
         return frame;
       }},
  };
  for (const Case& tried : cases) {
    for (const std::size_t part : {std::size_t{1}, std::string_view::npos}) {
      Http2Server server;
      server.greet();
      const CallId id = server.start("hello");

      server.feed(tried.bytes(server, id), part);

      ASSERT_EQ(server.finished().size(), 1u) << tried.name;
      EXPECT_EQ(server.status_of(id).code(), tried.code) << tried.name << ": " << server.status_of(id).to_string();
      EXPECT_THAT(std::string(server.status_of(id).message()), HasSubstr(tried.text)) << tried.name;
      EXPECT_TRUE(server.status_of(id).may_have_run()) << tried.name;
      EXPECT_FALSE(server.session().is_closed()) << tried.name;
      // What comes late is ignored, and the connection goes on.
      server.feed(server.response(id, "late"));
      server.feed(server.headers(id, {{"x", "y"}}, true));
      const CallId next = server.start("hello");
      server.feed(server.response(next, "world"));
      EXPECT_EQ(server.messages_of(next), "world,") << tried.name;
      EXPECT_TRUE(server.status_of(next).is_ok()) << tried.name;
      EXPECT_EQ(server.finished().size(), 2u) << tried.name;
    }
  }
}

TEST(GrpcClientSession, IgnoresInterimResponses) {
  Http2Server server;
  server.greet();
  const CallId id = server.start("x");

  server.feed(server.headers(id, {{":status", "103"}, {"link", "x"}}));
  server.feed(server.response(id, "y"));

  EXPECT_EQ(server.messages_of(id), "y,");
  EXPECT_TRUE(server.status_of(id).is_ok());
}

TEST(GrpcClientSession, TakesAResponseWhoseStreamIsResetAfterItsEnd) {
  Http2Server server;
  server.greet();
  const CallId id = server.start("x");

  server.feed(server.response(id, "y") + Http2Client::reset(id, ErrorCode::no_error));

  EXPECT_TRUE(server.status_of(id).is_ok());
  EXPECT_FALSE(server.session().is_closed());
}

TEST(GrpcClientSession, EndsConnectionsThatBreakTheProtocol) {
  const auto headers_of = [](CallId id) {
    return [=](Http2Server& server) { return server.headers(id, Http2Server::leading()); };
  };
  BufferWriter promise;
  http::http2::append_push_promise(1, 2, as_bytes("\x88"), http::http2::min_max_frame_bytes, promise);
  const std::string push(as_text(promise.bytes()));
  const std::vector<std::pair<ErrorCode, std::function<std::string(Http2Server&)>>> cases = {
      {ErrorCode::protocol_error, headers_of(3)},
      {ErrorCode::protocol_error, headers_of(2)},
      {ErrorCode::protocol_error, [&](Http2Server&) { return push; }},
      {ErrorCode::protocol_error, [](Http2Server&) { return Http2Server::data(3, "x"); }},
      {ErrorCode::protocol_error, [](Http2Server&) { return Http2Client::reset(3); }},
      {ErrorCode::protocol_error,
       [](Http2Server&) {
         return Http2Client::settings({{SettingId::enable_push, 1}});
       }},
      {ErrorCode::flow_control_error, [](Http2Server&) { return Http2Client::window_update(0, 0x7FFFFFFF); }},
      {ErrorCode::protocol_error, [](Http2Server&) { return Http2Server::goaway(1) + Http2Server::goaway(3); }},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    Http2Server server;
    server.greet();
    const CallId id = server.start("x");

    server.feed(cases[i].second(server));

    EXPECT_TRUE(server.session().is_closed()) << i;
    EXPECT_EQ(goaway_of(server), cases[i].first) << i;
    EXPECT_EQ(server.status_of(id).code(), StatusCode::unavailable) << i;
    EXPECT_EQ(server.events.back().type, EventType::closed) << i;
  }
}

TEST(GrpcClientSession, DoesNotSpeakToAServerOfHttp1) {
  Http2Server server;

  server.feed("HTTP/1.1 400 Bad Request\r\n\r\n");

  EXPECT_TRUE(server.session().is_closed());
  EXPECT_THAT(std::string(server.session().close_reason().message()), HasSubstr("SETTINGS"));
  EXPECT_THAT(std::string(server.session().close_reason().message()), HasSubstr("seems to speak HTTP/1"));
}

TEST(GrpcClientSession, NamesTheSchemeForAServerThatExpectsTls) {
  Http2Server server;

  server.feed(std::string("\x15\x03\x01\x00\x02\x02\x46", 7));
  server.session().transport_closed({});

  EXPECT_THAT(std::string(server.session().close_reason().message()), HasSubstr("seems to speak TLS"));
  EXPECT_THAT(std::string(server.session().close_reason().message()), HasSubstr("grpcs://"));
}

TEST(GrpcClientSession, StartsNoMoreCallsThanTheServerAllows) {
  Http2Server server;
  server.greet({{SettingId::max_concurrent_streams, 2}});
  const CallId first = server.start("x");
  server.start("x");

  EXPECT_FALSE(server.session().can_start());
  EXPECT_EQ(server.session().awaited_limit().to_string(), "the server's SETTINGS_MAX_CONCURRENT_STREAMS is 2");
  server.feed(server.response(first, "y"));

  EXPECT_TRUE(server.session().can_start());
  EXPECT_FALSE(server.session().awaited_limit());
  ASSERT_FALSE(server.events.empty());
  EXPECT_EQ(server.events.back().type, EventType::writable);
  EXPECT_EQ(server.events.back().id, 0u);
}

TEST(GrpcClientSession, StartsFurtherCallsWhenTheServerAllowsMore) {
  Http2Server server;
  server.greet({{SettingId::max_concurrent_streams, 0}});
  EXPECT_FALSE(server.session().can_start());

  server.feed(Http2Client::settings({{SettingId::max_concurrent_streams, 1}}));
  server.turn();

  EXPECT_TRUE(server.session().can_start());
  ASSERT_FALSE(server.events.empty());
  EXPECT_EQ(server.events.back().type, EventType::writable);
}

TEST(GrpcClientSession, FinishesRefusedCallsAsNotRun) {
  Http2Server server;
  server.greet();
  const CallId id = server.start("x");

  server.feed(Http2Client::reset(id, ErrorCode::refused_stream));

  EXPECT_EQ(server.status_of(id).code(), StatusCode::unavailable);
  EXPECT_FALSE(server.status_of(id).may_have_run());
}

TEST(GrpcClientSession, KnowsThatACallHasRunWhoseResponseHasBegun) {
  for (const std::string& end : {Http2Client::reset(1, ErrorCode::refused_stream), Http2Server::goaway(0)}) {
    Http2Server server;
    server.greet();
    const CallId id = server.start("x");
    ASSERT_EQ(id, 1u);
    server.feed(server.headers(id, Http2Server::leading()));

    server.feed(end);

    EXPECT_EQ(server.status_of(id).code(), StatusCode::unavailable);
    EXPECT_TRUE(server.status_of(id).may_have_run());
  }
}

TEST(GrpcClientSession, NamesAResetWithAnUnknownCodeByItsNumber) {
  Http2Server server;
  server.greet();
  const CallId id = server.start("x");

  server.feed(Http2Client::reset(id, static_cast<ErrorCode>(4711)));

  EXPECT_EQ(server.status_of(id).code(), StatusCode::internal);
  EXPECT_THAT(std::string(server.status_of(id).message()), HasSubstr("4711"));
}

TEST(GrpcClientSession, FinishesCallsBehindGoawayAsNotRunAndWaitsForTheOthers) {
  Http2Server server;
  server.greet();
  const CallId first = server.start("x");
  const CallId second = server.start("x");

  server.feed(Http2Server::goaway(0x7FFFFFFF) + Http2Server::goaway(first));

  EXPECT_EQ(server.events.front().type, EventType::going_away);
  EXPECT_FALSE(server.status_of(second).may_have_run());
  EXPECT_EQ(server.status_of(second).code(), StatusCode::unavailable);
  EXPECT_EQ(server.finished().size(), 1u);
  EXPECT_FALSE(server.session().can_start());
  EXPECT_FALSE(server.session().is_drained());
  server.feed(server.response(first, "y"));
  static_cast<void>(server.sent());
  EXPECT_TRUE(server.status_of(first).is_ok());
  EXPECT_TRUE(server.session().is_drained());
}

TEST(GrpcClientSession, TellsWhyAServerGoesAway) {
  Http2Server server;
  server.greet();
  const CallId id = server.start("x");

  server.feed(Http2Server::goaway(0, ErrorCode::enhance_your_calm, "too_many_pings\n"));

  EXPECT_EQ(server.events.front().type, EventType::going_away);
  EXPECT_THAT(std::string(server.events.front().status.message()), HasSubstr("too_many_pings\\x0a"));
  EXPECT_EQ(server.status_of(id).code(), StatusCode::unavailable);
}

/// Every call that has not run gets a copy.
TEST(GrpcClientSession, ShortensTheReasonOfAServerThatGoesAway) {
  Http2Server server;
  server.greet();
  const CallId id = server.start("x");

  server.feed(Http2Server::goaway(0, ErrorCode::enhance_your_calm, "much to say" + std::string(16000, '\x01')));

  EXPECT_THAT(std::string(server.status_of(id).message()), HasSubstr("ENHANCE_YOUR_CALM: much to say\\x01"));
  EXPECT_LT(server.status_of(id).message().size(), 2000u);
}

TEST(GrpcClientSession, EndsCallsWithTheReasonThatTheServerGaveBefore) {
  Http2Server server;
  server.greet();
  const CallId id = server.start("x");
  static_cast<void>(server.sent());

  server.feed(Http2Server::goaway(id, ErrorCode::enhance_your_calm, "too_many_pings"));
  server.session().transport_closed({});
  server.turn();

  EXPECT_EQ(server.status_of(id).code(), StatusCode::unavailable);
  EXPECT_TRUE(server.status_of(id).may_have_run());
  EXPECT_THAT(std::string(server.status_of(id).message()), HasSubstr("ENHANCE_YOUR_CALM: too_many_pings"));
  EXPECT_THAT(std::string(server.status_of(id).message()), HasSubstr("keepalive_interval"));
}

TEST(GrpcClientSession, EndsCallsWithTheConnection) {
  Http2Server server;
  server.greet();
  const CallId sent = server.start("x");
  static_cast<void>(server.sent());
  const CallId unsent = server.start("x");

  server.close_transport();

  EXPECT_EQ(server.status_of(sent).code(), StatusCode::unavailable);
  EXPECT_TRUE(server.status_of(sent).may_have_run());
  EXPECT_FALSE(server.status_of(unsent).may_have_run());
  EXPECT_EQ(server.events.back().type, EventType::closed);
}

TEST(GrpcClientSession, CancelsTheStreamOfACall) {
  Http2Server server;
  server.greet();
  const CallId id = server.start("x");
  static_cast<void>(server.sent());

  server.session().cancel(id, StatusCode::cancelled);
  server.feed(server.response(id, "late"));

  EXPECT_THAT(resets_of(server), ElementsAre(ErrorCode::cancel));
  EXPECT_TRUE(server.events.empty());
  EXPECT_EQ(server.session().open_calls(), 0u);
}

TEST(GrpcClientSession, EndsCallsAtTheirDeadline) {
  Http2Server server;
  server.greet();
  const CallId id = server.start("x", {.deadline = server.now() + 1s});
  static_cast<void>(server.sent());

  server.advance(2s);

  EXPECT_EQ(server.status_of(id).code(), StatusCode::deadline_exceeded);
  EXPECT_THAT(resets_of(server), ElementsAre(ErrorCode::cancel));
  EXPECT_TRUE(server.was_woken);
}

/// The headers of the call are still to be sent, so a server that is quick enough runs it.
TEST(GrpcClientSession, DoesNotClaimThatACallHasNotRunWhoseDeadlineHasPassed) {
  Http2Server server;
  server.greet();
  const CallId id = server.start("x", {.deadline = server.now() + 1s});

  server.advance(2s);

  EXPECT_EQ(server.status_of(id).code(), StatusCode::deadline_exceeded);
  EXPECT_TRUE(server.status_of(id).may_have_run());
  EXPECT_THAT(shape_of(server.sent()), ElementsAre("HEADERS 1", "DATA 1 end", "RST_STREAM 1"));
}

TEST(GrpcClientSession, DropsTheResponseOfAOneWayCall) {
  Http2Server server;
  server.greet();
  const CallId id = server.start("x", {.one_way = true});

  server.feed(server.headers(id, Http2Server::leading({{"a", "b"}})) +
              Http2Server::message(id, std::string(8000, 'y')));
  server.feed(server.trailers(id));

  EXPECT_TRUE(server.events.empty());
  EXPECT_EQ(server.session().open_calls(), 0u);
  EXPECT_THAT(shape_of(server.sent()), ElementsAre("HEADERS 1", "DATA 1 end"));
}

TEST(GrpcClientSession, ForgetsAOneWayCallWhoseResponseEndsWithoutTrailers) {
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{8000}}) {
    Http2Server server;
    server.greet();
    const CallId id = server.start("x", {.one_way = true});

    server.feed(server.headers(id, Http2Server::leading()) + Http2Server::data(id, std::string(bytes, 'y'), true));

    EXPECT_TRUE(server.events.empty()) << bytes;
    EXPECT_EQ(server.session().open_calls(), 0u) << bytes;
    EXPECT_FALSE(server.session().is_closed()) << bytes;
  }
}

TEST(GrpcClientSession, StreamsBothWays) {
  Http2Server server;
  server.greet();
  const CallId id = server.start_stream();

  EXPECT_TRUE(server.session().send(id, kit::payload("a"), nullptr, false).is_ok());
  server.feed(server.headers(id, Http2Server::leading()) + Http2Server::message(id, "1") +
              Http2Server::message(id, "2"));
  EXPECT_TRUE(server.session().send(id, kit::payload("b"), nullptr, false).is_ok());
  EXPECT_TRUE(server.session().send(id, {}, nullptr, true).is_ok());
  EXPECT_EQ(server.session().send(id, kit::payload("c"), nullptr, false).code(), StatusCode::failed_precondition);
  server.feed(Http2Server::message(id, "3") + server.trailers(id));

  EXPECT_THAT(shape_of(server.sent()), ElementsAre("HEADERS 1", "DATA 1", "DATA 1", "DATA 1 end"));
  EXPECT_EQ(server.messages_of(id), "1,2,3,");
  EXPECT_TRUE(server.status_of(id).is_ok());
  EXPECT_EQ(server.session().send(id, kit::payload("d"), nullptr, false).code(), StatusCode::cancelled);
}

TEST(GrpcClientSession, TellsAServerThatEndsFirstThatNothingMoreComes) {
  Http2Server server;
  server.greet();
  const CallId id = server.start_stream();
  static_cast<void>(server.sent());

  server.feed(server.headers(id, Http2Server::leading()));
  server.feed(server.trailers(id));

  EXPECT_TRUE(server.status_of(id).is_ok());
  EXPECT_THAT(resets_of(server), ElementsAre(ErrorCode::no_error));
}

TEST(GrpcClientSession, SendsAsMuchAsTheWindowsAllow) {
  Http2Server server;
  server.greet({{SettingId::initial_window_size, 10}});
  const CallId id = server.start(std::string(20, 'x'));
  const CallId stream = server.start_stream();
  EXPECT_TRUE(server.session().send(stream, kit::payload(std::string(20, 'y')), nullptr, true).is_ok());

  EXPECT_THAT(shape_of(server.sent()), ElementsAre("HEADERS 1", "HEADERS 3", "DATA 1", "DATA 3", "DATA 1", "DATA 3"));
  server.feed(Http2Client::window_update(id, 100) + Http2Client::window_update(stream, 100));

  EXPECT_THAT(shape_of(server.sent()), ElementsAre("DATA 1 end", "DATA 3 end"));
}

TEST(GrpcClientSession, SendsLongMessagesAFewAtATimeInOrder) {
  Http2Server server;
  server.greet({{SettingId::initial_window_size, 1 << 20}});
  server.feed(Http2Client::window_update(0, 100 << 20));
  for (int i = 0; i < 6; ++i) server.start(std::string(400000, 'x'));

  const std::vector<Sent> frames = server.sent();

  // The fifth begins once one of the four before it has no more left than a chunk.
  std::map<std::uint32_t, std::size_t> sent;
  std::size_t most_before_fifth = 0, ends = 0;
  for (const Sent& frame : frames) {
    if (frame.stream == 9 && frame.payload.size() > 1000 && most_before_fifth == 0) {
      for (const auto& [stream, bytes] : sent) most_before_fifth = std::max(most_before_fifth, bytes);
    }
    if (frame.type == FrameType::data) sent[frame.stream] += frame.payload.size();
    if (frame.is_end) ++ends;
  }
  EXPECT_EQ(ends, 6u);
  EXPECT_GE(most_before_fifth, 400000u - (128u << 10));
}

TEST(GrpcClientSession, LetsShortMessagesPassLongOnes) {
  Http2Server server;
  server.greet({{SettingId::initial_window_size, 1 << 20}});
  server.feed(Http2Client::window_update(0, 100 << 20));
  for (int i = 0; i < 6; ++i) server.start(std::string(1000000, 'x'));
  const CallId short_one = server.start(std::string(20000, 'y'));

  const std::vector<Sent> frames = server.sent();

  std::size_t end_of_short = 0, first_end = 0;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].is_end && first_end == 0) first_end = i;
    if (frames[i].is_end && frames[i].stream == short_one) end_of_short = i;
  }
  EXPECT_EQ(end_of_short, first_end);
}

TEST(GrpcClientSession, OpensTheWindowOfAStreamWhoseMessagesAreTaken) {
  SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = 1 << 20;
  Http2Server server(options);
  server.greet();
  const CallId id = server.start("x");
  static_cast<void>(server.sent());
  server.feed(server.headers(id, Http2Server::leading()));

  const std::string message = Http2Client::message(std::string(100000, 'y'));
  server.feed(Http2Server::data(id, message.substr(0, 16000)) + Http2Server::data(id, message.substr(16000, 16000)));
  EXPECT_THAT(shape_of(server.sent()), ElementsAre("SETTINGS 0"));
  server.feed(Http2Server::data(id, message.substr(32000, 40000)));
  server.feed(Http2Server::data(id, message.substr(72000)));

  std::uint64_t granted = 0;
  for (const Sent& frame : server.sent()) {
    if (frame.type == FrameType::window_update && frame.stream == id) {
      granted += http::http2::load_uint32(as_bytes(frame.payload).data());
    }
  }
  constexpr std::uint32_t first_window = 128 << 10;
  EXPECT_GT(granted, (1u << 20) - first_window);
  EXPECT_LE(granted, (1u << 20) - first_window + message.size());
}

TEST(GrpcClientSession, AllowsLongFramesOnceAResponseNeedsThem) {
  constexpr std::uint32_t longest = 128 << 10;
  const std::string message = Http2Client::message(std::string(100000, 'y'));
  SessionOptions options = kit::plain_options();
  options.limits.max_header_bytes = 64 << 10;
  Http2Server server(options);
  EXPECT_THAT(Http2Client::announced(server.sent(), SettingId::max_frame_size), testing::IsEmpty());
  server.greet();
  const CallId first = server.start("x");
  static_cast<void>(server.sent());
  server.feed(server.headers(first, Http2Server::leading()));
  for (std::size_t at = 0; at < message.size(); at += 16000) {
    server.feed(Http2Server::data(first, std::string_view(message).substr(at, 16000)));
  }
  server.feed(server.trailers(first));
  EXPECT_THAT(Http2Client::announced(server.sent(), SettingId::max_frame_size), ElementsAre(longest));

  const CallId second = server.start("x");
  const Fields metadata{{"grpc-status", "0"}, {"long", std::string(60000, '~')}};
  server.feed(server.headers(second, Http2Server::leading()) + Http2Server::data(second, message) +
              server.headers(second, metadata, true, longest));

  ASSERT_GE(server.events.size(), 2u);
  EXPECT_TRUE(std::prev(server.events.end(), 2)->payload == message.substr(5));
  EXPECT_EQ(server.events.back().type, EventType::finished);
  EXPECT_EQ(server.events.back().status.code(), StatusCode::ok);
  EXPECT_TRUE(server.events.back().metadata.get("long") == std::string(60000, '~'));
}

TEST(GrpcClientSession, EndsAStreamBehindItsMessages) {
  Http2Server server;
  server.greet({{SettingId::initial_window_size, 10}});
  const CallId id = server.start_stream();
  EXPECT_TRUE(server.session().send(id, kit::payload(std::string(20, 'y')), nullptr, false).is_ok());
  EXPECT_FALSE(server.session().is_writable(id));

  EXPECT_TRUE(server.session().send(id, {}, nullptr, true).is_ok());
  static_cast<void>(server.sent());
  server.feed(Http2Client::window_update(id, 100));

  EXPECT_THAT(shape_of(server.sent()), ElementsAre("DATA 1 end"));
}

TEST(GrpcClientSession, SaysWhenAQueuedCallMayWriteAgain) {
  Http2Server server;
  server.greet({{SettingId::initial_window_size, 10}});
  const CallId id = server.start_stream();
  EXPECT_TRUE(server.session().is_writable(id));
  EXPECT_TRUE(server.session().send(id, kit::payload(std::string(20, 'y')), nullptr, false).is_ok());
  EXPECT_FALSE(server.session().is_writable(id));
  static_cast<void>(server.sent());

  server.feed(Http2Client::window_update(id, 100));
  static_cast<void>(server.sent());
  server.turn();

  ASSERT_FALSE(server.events.empty());
  EXPECT_EQ(server.events.back().type, EventType::writable);
  EXPECT_EQ(server.events.back().id, id);
}

TEST(GrpcClientSession, WaitsWhileTheServerTakesNothing) {
  SessionOptions options = kit::plain_options();
  options.limits.max_unsent_bytes = 1000;
  Http2Server server(options);
  server.greet();

  while (server.session().can_start()) server.start(std::string(100, 'x'));

  EXPECT_LT(server.session().unsent_bytes(), 2000u);
  // It reads all the same: only what is read can tell that the server is alive.
  server.feed(server.response(1, "y"));
  EXPECT_TRUE(server.status_of(1).is_ok());
  static_cast<void>(server.sent());
  server.turn();
  EXPECT_EQ(server.events.back().type, EventType::writable);
  EXPECT_TRUE(server.session().can_start());
}

/// A server that reads nothing before its responses are taken would otherwise wait for ever.
TEST(GrpcClientSession, ReadsHoweverMuchOfItsOwnIsUnsent) {
  SessionOptions options = kit::plain_options();
  options.limits.max_unsent_bytes = 1000;
  Http2Server server(options);
  server.greet();
  const CallId first = server.start("x");
  const CallId second = server.start(std::string(60000, 'x'));
  std::vector<CallId> others;
  for (int i = 0; i < 200; ++i) others.push_back(server.start("x"));
  std::array<ByteSpan, 16> spans;
  server.session().gather(spans);
  ASSERT_GT(server.session().unsent_bytes(), 60000u);

  server.feed(server.response(first, "1"));
  for (const CallId id : others) server.session().cancel(id, StatusCode::cancelled);
  server.feed(server.response(second, "2"));

  EXPECT_EQ(server.messages_of(first), "1,");
  EXPECT_EQ(server.messages_of(second), "2,");
}

TEST(GrpcClientSession, StopsReadingWhileTheServerReadsNoReplies) {
  SessionOptions options = kit::plain_options();
  options.limits.max_unsent_bytes = 1000;
  Http2Server server(options);
  server.greet();
  const CallId id = server.start(std::string(3000, 'x'));
  const std::size_t own = server.session().unsent_bytes();
  const std::string response = server.response(id, "y");

  for (int i = 0; i < 500; ++i) server.feed(Http2Client::ping(false, "12345678"));
  server.feed(response);

  EXPECT_GT(server.session().unsent_bytes(), own + 1000);
  EXPECT_LT(server.session().unsent_bytes(), own + 1100);
  EXPECT_EQ(server.messages_of(id), "");
  server.was_woken = false;
  static_cast<void>(server.sent());
  EXPECT_TRUE(server.was_woken);
  server.turn();
  server.feed(response);
  EXPECT_EQ(server.messages_of(id), "y,");
}

TEST(GrpcClientSession, TellsOneCauseWhyItHasEndedTheConnection) {
  SessionOptions options = kit::plain_options();
  options.limits.keepalive_interval = 5s;
  Http2Server stalled(options), silent(options), wrong(options);
  stalled.greet();
  silent.greet();
  wrong.greet();
  const CallId call = stalled.start(std::string(3 << 20, 'x'));
  const CallId other = silent.start("x");
  const CallId third = wrong.start("x");

  for (int i = 0; i < 10000 && !stalled.session().is_closed(); ++i) {
    stalled.feed(Http2Client::ping(true, "12345678"));
    stalled.advance(1s);
  }
  silent.advance(1min);
  silent.advance(1min);
  wrong.feed(Http2Client::window_update(0, 0x7FFFFFFF));

  EXPECT_EQ(stalled.status_of(call).message(), "send: the peer takes nothing within stall_timeout");
  EXPECT_EQ(silent.status_of(other).message(), "keepalive: no response within keepalive_timeout");
  EXPECT_EQ(wrong.status_of(third).message(), "receive: WINDOW_UPDATE makes the connection's window too large");
}

TEST(GrpcClientSession, EndsFloods) {
  Http2Server server;
  server.greet();
  std::string pings;
  for (int i = 0; i < 5000; ++i) pings += Http2Client::ping(false, "12345678");

  server.feed(pings);

  EXPECT_TRUE(server.session().is_closed());
  EXPECT_EQ(goaway_of(server), ErrorCode::enhance_your_calm);
}

TEST(GrpcClientSession, TakesTheRefusalOfItsCallsForNoFlood) {
  Http2Server server;
  server.greet();
  std::string resets;
  CallId last = 0;
  for (int i = 0; i < 5000; ++i) {
    last = server.start("x");
    resets += Http2Client::reset(last, ErrorCode::refused_stream);
  }

  server.feed(resets);

  EXPECT_FALSE(server.session().is_closed());
  EXPECT_EQ(server.status_of(last).code(), StatusCode::unavailable);
  EXPECT_FALSE(server.status_of(last).may_have_run());
}

TEST(GrpcClientSession, EndsFloodsOfResetsOfCallsThatHaveEnded) {
  Http2Server server;
  server.greet();
  const CallId id = server.start("x");
  std::string resets;
  for (int i = 0; i < 5000; ++i) resets += Http2Client::reset(id, ErrorCode::refused_stream);

  server.feed(resets);

  EXPECT_TRUE(server.session().is_closed());
  EXPECT_EQ(goaway_of(server), ErrorCode::enhance_your_calm);
}

TEST(GrpcClientSession, EndsFloodsOfHeadersOfCallsThatHaveEnded) {
  Http2Server server;
  server.greet();
  const CallId id = server.start("x");
  server.feed(server.response(id, "y"));
  const std::string trailers = server.trailers(id);
  std::string late;
  for (int i = 0; i < 5000; ++i) late += trailers;

  server.feed(late);

  EXPECT_TRUE(server.session().is_closed());
  EXPECT_EQ(goaway_of(server), ErrorCode::enhance_your_calm);
}

/// A server that is overloaded may be late for thousands of calls at once.
TEST(GrpcClientSession, TakesLateEndsOfItsCallsForNoFlood) {
  Http2Server server;
  server.greet();
  std::string late;
  for (int i = 0; i < 5000; ++i) {
    const CallId id = server.start("x", {.deadline = server.now() + 1s});
    late += server.headers(id, Http2Server::leading({{"grpc-status", "14"}}), true) + Http2Client::reset(id);
  }
  server.advance(2s);
  static_cast<void>(server.sent());

  server.feed(late);

  EXPECT_EQ(server.finished().size(), 5000u);
  EXPECT_FALSE(server.session().is_closed());
}

/// Each of them is compared with all calls.
TEST(GrpcClientSession, EndsFloodsOfGoawayThatConcernManyCalls) {
  Http2Server server;
  server.greet();
  CallId last = 0;
  for (int i = 0; i < 5000; ++i) last = server.start("x");
  std::string goaways;
  for (CallId i = 0; i < 300; ++i) goaways += Http2Server::goaway(last - 2 * i);

  server.feed(goaways);

  EXPECT_TRUE(server.session().is_closed());
  EXPECT_EQ(goaway_of(server), ErrorCode::enhance_your_calm);
  EXPECT_EQ(server.finished().size(), 5000u);
}

/// The ids of streams are used up (RFC 9113, section 5.1.1).
TEST(GrpcClientSession, TakesNoFurtherCallsOnceItsIdsAreUsedUp) {
  const CallId most = http::http2::max_stream_id;
  Http2Server server(kit::plain_options(), false, most - 2);
  server.greet();
  const CallId first = server.start("x");
  EXPECT_TRUE(server.session().can_start());

  const CallId last = server.start("x");
  server.turn();

  EXPECT_EQ(last, most);
  EXPECT_FALSE(server.session().can_start());
  ASSERT_EQ(server.events.size(), 1u);
  EXPECT_EQ(server.events[0].type, EventType::going_away);
  EXPECT_TRUE(server.events[0].status.is_ok());
  server.feed(server.response(last, "last"));
  server.feed(server.response(first, "first"));
  EXPECT_EQ(server.messages_of(first) + server.messages_of(last), "first,last,");
  static_cast<void>(server.sent());
  EXPECT_TRUE(server.session().is_drained());
}

TEST(GrpcClientSession, EndsEndlessInterimResponses) {
  Http2Server server;
  server.greet();
  const CallId id = server.start("x");
  std::string interim;
  for (int i = 0; i < 5000; ++i) interim += server.headers(id, {{":status", "103"}});

  server.feed(interim);

  EXPECT_TRUE(server.session().is_closed());
  EXPECT_EQ(goaway_of(server), ErrorCode::enhance_your_calm);
}

TEST(GrpcClientSession, LetsAServerOpenItsWindowsAsOftenAsItTakesMessages) {
  Http2Server server;
  server.greet();
  const CallId id = server.start_stream();
  std::size_t sent = 0;

  for (int i = 0; i < 6000; ++i) {
    EXPECT_TRUE(server.session().send(id, kit::payload(std::string(16000, 'x')), nullptr, false).is_ok());
    sent += server.take_output().size();
    server.feed(Http2Client::window_update(0, 16005) + Http2Client::window_update(id, 16005));
  }

  EXPECT_FALSE(server.session().is_closed());
  EXPECT_GT(sent, 6000u * 16000);
}

TEST(GrpcClientSession, EndsTinyWindows) {
  Http2Server server;
  server.greet({{SettingId::initial_window_size, 0}});
  server.start(std::string(100000, 'x'));

  for (int i = 0; i < 6000 && !server.session().is_closed(); ++i) {
    server.feed(Http2Client::window_update(1, 1));
    static_cast<void>(server.take_output());
  }

  EXPECT_TRUE(server.session().is_closed());
}

TEST(GrpcClientSession, PingsAServerThatIsSilentForFiveMinutes) {
  Http2Server server;
  server.greet();
  const CallId id = server.start("x");
  static_cast<void>(server.sent());

  server.advance(4min + 59s);
  EXPECT_TRUE(server.sent().empty());
  server.advance(2s);
  EXPECT_THAT(shape_of(server.sent()), ElementsAre("PING 0"));
  server.advance(21s);

  EXPECT_EQ(server.status_of(id).code(), StatusCode::unavailable);
  EXPECT_THAT(std::string(server.status_of(id).message()), HasSubstr("keepalive"));
}

TEST(GrpcClientSession, HandsOutAPushback) {
  for (const auto& [text, pause] :
       std::vector<std::pair<std::string, std::int64_t>>{{"250", 250}, {"-1", -1}, {"soon", -1}, {"", -1}}) {
    Http2Server server;
    server.greet();
    const CallId id = server.start("x");
    std::optional<std::chrono::milliseconds> seen;
    server.on_event = [&](Event& event) {
      if (event.type == EventType::finished) seen = event.pushback;
    };

    server.feed(
        server.headers(id, Http2Server::leading({{"grpc-status", "14"}, {"grpc-retry-pushback-ms", text}}), true));

    EXPECT_EQ(seen, std::chrono::milliseconds(pause)) << text;
  }
}

TEST(GrpcClientSession, DrainsAndCloses) {
  Http2Server server;
  server.greet();
  const CallId id = server.start("x");

  server.session().drain();
  EXPECT_FALSE(server.session().can_start());
  EXPECT_FALSE(server.session().is_drained());
  server.feed(server.response(id, "y"));
  static_cast<void>(server.sent());
  EXPECT_TRUE(server.session().is_drained());
  server.session().close({});

  EXPECT_EQ(goaway_of(server), ErrorCode::no_error);
  server.turn();
  EXPECT_EQ(server.events.back().type, EventType::closed);
}

}  // namespace
}  // namespace trunkline::session::grpc
