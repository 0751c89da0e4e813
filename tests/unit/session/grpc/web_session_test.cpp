// SPDX-License-Identifier: MIT
// Calls of Connect, gRPC-Web and plain HTTP on a connection of HTTP/2, between calls of gRPC.
#include "codec/base64.h"
#include "codec/bytes_codec.h"
#include "codec/json_codec.h"
#include "unit/session/grpc/http2_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace trunkline::session::grpc {
namespace {

using http::http2::ErrorCode;
using http::http2::FrameType;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace std::chrono_literals;
using namespace std::string_literals;

const CodecRegistry& codecs() {
  static const CodecRegistry registry =
      CodecRegistry().add(std::make_shared<codec::BytesCodec>()).add(std::make_shared<codec::JsonCodec>(CodecLimits()));
  return registry;
}
const Codec& json() { return *codecs().find("json"); }

SessionOptions web_options() {
  SessionOptions options = kit::plain_options();
  options.codecs = &codecs();
  return options;
}

Fields post(std::string type, Fields more = {}) {
  Fields fields{{":method", "POST"},
                {":scheme", "http"},
                {":path", "/a/B"},
                {":authority", "server"},
                {"content-type", std::move(type)}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}
Fields get(std::string target, Fields more = {}) {
  Fields fields{{":method", "GET"}, {":scheme", "http"}, {":path", std::move(target)}, {":authority", "server"}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}
Fields connect(std::string type, Fields more = {}) {
  more.emplace_back("connect-protocol-version", "1");
  return post(std::move(type), std::move(more));
}

std::vector<std::string> shape_of(const std::vector<Sent>& frames) {
  std::vector<std::string> shape;
  for (const Sent& frame : frames) {
    shape.push_back(std::string(to_string(frame.type)) + " " + std::to_string(frame.stream) +
                    (frame.is_end ? " end" : ""));
  }
  return shape;
}

std::string base64(std::string_view bytes) {
  BufferWriter out;
  codec::append_base64(as_bytes(bytes), out);
  return std::string(as_text(out.bytes()));
}

OutgoingMessage payload_in(const Codec& codec, std::string_view bytes) {
  return {.codec = &codec, .payload = Slice::copy_of(bytes)};
}

/// A connection whose session has greeted, with a handler that runs at once.
class WebSession : public testing::Test {
 protected:
  explicit WebSession(const SessionOptions& options = web_options()) : client(options) {
    client.feed(Http2Client::preface());
    client.sent();
    client.events.clear();
  }
  /// Each call is answered with its message when that has come.
  void echo() {
    client.on_event = [this](Event& event) {
      if (event.type == EventType::call && !event.end) return client.session().attach(event.id, this);
      if (event.type != EventType::call && event.type != EventType::message) return;
      const Codec* const codec = event.codec_of_response() != nullptr ? event.codec_of_response() : &json();
      static_cast<void>(client.session().finish(
          event.id, {}, event.has_message ? payload_in(*codec, as_text(event.payload)) : OutgoingMessage(), nullptr,
          false));
    };
  }
  /// Each call fails.
  void fail(const Status& status, bool unprocessed = false) {
    client.on_event = [this, status, unprocessed](Event& event) {
      if (event.type != EventType::call) return;
      const Metadata trailing{{"t", "1"}, {"t-bin", "\xFF"}};
      static_cast<void>(client.session().finish(event.id, status, {}, unprocessed ? nullptr : &trailing, unprocessed));
    };
  }
  /// Each call is answered by a stream of two messages.
  void stream_two(const Codec& codec, const Status& end = {}) {
    client.on_event = [this, &codec, end](Event& event) {
      if (event.type != EventType::call) return;
      const Metadata leading{{"l", "1"}};
      const Metadata trailing{{"t", "2"}};
      sent_first = client.session().send(event.id, payload_in(codec, "{\n \"a\":1}"), &leading, false);
      if (sent_first.is_ok())
        static_cast<void>(client.session().send(event.id, payload_in(codec, "2"), nullptr, false));
      static_cast<void>(client.session().finish(event.id, sent_first.is_ok() ? end : sent_first, {}, &trailing, false));
    };
  }
  std::string call(const Fields& fields, std::string_view body) {
    return client.headers(1, fields) + Http2Client::data(1, body, true);
  }

  Http2Client client;
  Status sent_first;
};

TEST_F(WebSession, AnswersAUnaryCallOfConnect) {
  echo();

  client.feed(call(connect("application/json", {{"connect-timeout-ms", "2000"}, {"k", "v"}, {"k-bin", "AP8"}}), "[1]"));

  const Seen& seen = client.events.at(0);
  EXPECT_EQ(seen.method, "a/B");
  EXPECT_EQ(seen.codec, "json");
  EXPECT_EQ(seen.payload, "[1]");
  EXPECT_TRUE(seen.end);
  EXPECT_EQ(seen.deadline, client.now() + 2s);
  EXPECT_EQ(seen.metadata, (Metadata{{"k", "v"}, {"k-bin", std::string("\0\xff", 2)}}));
  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1", "DATA 1 end"));
  EXPECT_EQ(frames[0].fields,
            (std::map<std::string, std::string>{{":status", "200"}, {"content-type", "application/json"}}));
  EXPECT_EQ(frames[1].payload, "[1]");
  EXPECT_EQ(client.session().open_calls(), 0u);
}

TEST_F(WebSession, TakesABodyInFramesOfAnySize) {
  echo();
  const std::string body(200'000, 'x');
  for (const bool has_length : {false, true}) {
    const Fields more = has_length ? Fields{{"content-length", std::to_string(body.size())}} : Fields();
    const std::uint32_t id = has_length ? 3 : 1;
    client.events.clear();
    client.feed(client.headers(id, connect("application/bytes", more)));
    for (std::size_t at = 0; at < body.size(); at += 9973) {
      client.feed(Http2Client::data(id, std::string_view(body).substr(at, 9973)));
    }
    client.feed(Http2Client::data(id, {}, true));

    ASSERT_EQ(client.events.size(), 2u);
    EXPECT_EQ(client.events[1].payload, body);
    EXPECT_TRUE(client.events[1].end);
  }
}

TEST_F(WebSession, TellsAClientToGoOn) {
  echo();
  const Fields expects{{"expect", "100-Continue"}};
  for (const std::string_view type : {"application/json", "application/grpc-web+bytes", "application/grpc+bytes"}) {
    const std::uint32_t id = client.events.empty() ? 1 : 2 * static_cast<std::uint32_t>(client.events.size()) + 1;
    client.feed(client.headers(id, post(std::string(type), expects)));
    const std::vector<Sent> frames = client.sent();
    ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS " + std::to_string(id)));
    EXPECT_EQ(frames[0].fields, (std::map<std::string, std::string>{{":status", "100"}}));

    const std::string body = type == "application/json" ? "[1]" : Http2Client::message("[1]");
    client.feed(Http2Client::data(id, body, true));
    EXPECT_EQ(client.sent().at(0).fields.at(":status"), "200");
    EXPECT_EQ(client.events.back().payload, "[1]");
  }
}

TEST_F(WebSession, TellsNobodyToGoOnWhoIsRefusedOrHasNoContent) {
  client.feed(client.headers(1, post("application/json", {{"expect", "what"}})));
  EXPECT_EQ(client.sent().at(0).fields.at(":status"), "417");
  client.feed(client.headers(3, post("image/png", {{"expect", "100-continue"}})));
  EXPECT_EQ(client.sent().at(0).fields.at(":status"), "415");

  client.feed(client.headers(5, connect("application/bytes", {{"expect", "100-continue"}}), true));
  EXPECT_NE(client.sent().at(0).fields.at(":status"), "100");
}

TEST_F(WebSession, AllowsLongFramesOnceABodyNeedsThem) {
  const auto announced = [this] {
    return Http2Client::announced(client.sent(), http::http2::SettingId::max_frame_size);
  };
  const std::string half(9000, 'x');
  echo();
  EXPECT_THAT(announced(), testing::IsEmpty());

  client.feed(client.headers(1, connect("application/bytes")) + Http2Client::data(1, half));
  EXPECT_THAT(announced(), testing::IsEmpty());
  client.feed(Http2Client::data(1, half));
  EXPECT_THAT(announced(), ElementsAre(128u << 10));
}

TEST_F(WebSession, AllowsLongFramesForABodyWhoseLengthSaysThatItNeedsThem) {
  echo();

  client.feed(client.headers(1, connect("application/bytes", {{"content-length", "18000"}})) +
              Http2Client::data(1, std::string(9000, 'x')));

  EXPECT_THAT(Http2Client::announced(client.sent(), http::http2::SettingId::max_frame_size), ElementsAre(128u << 10));
}

TEST_F(WebSession, TakesAMessageWithoutBytesInConnectOnly) {
  echo();

  client.feed(client.headers(1, connect("application/bytes"), true));
  client.feed(client.headers(3, connect("application/bytes")) + Http2Client::data(3, {}, true));
  client.feed(client.headers(5, post("application/json"), true));

  ASSERT_EQ(client.events.size(), 3u);
  EXPECT_TRUE(client.events[0].has_message);
  EXPECT_TRUE(client.events[1].has_message);
  EXPECT_FALSE(client.events[2].has_message);
  EXPECT_TRUE(client.events[2].end);
}

TEST_F(WebSession, SendsAnErrorOfConnectWithTheStatusOfHttp) {
  Status status(StatusCode::not_found, "no \"such\" thing");
  status.add_detail("type.googleapis.com/a.B", "\x01\x02");
  fail(status);

  client.feed(call(connect("application/bytes"), "x"));

  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1", "DATA 1 end"));
  EXPECT_EQ(
      frames[0].fields,
      (std::map<std::string, std::string>{
          {":status", "404"}, {"content-type", "application/json"}, {"trailer-t", "1"}, {"trailer-t-bin", "/w"}}));
  EXPECT_EQ(frames[1].payload,
            R"({"code":"not_found","message":"no \"such\" thing","details":[{"type":"a.B","value":"AQI"}]})");
}

TEST_F(WebSession, AnswersAMethodThatNobodyServesWith404) {
  fail({StatusCode::unimplemented, "no such method"}, true);

  client.feed(call(connect("application/json"), "1"));

  EXPECT_EQ(client.sent().at(0).fields.at(":status"), "404");
}

TEST_F(WebSession, AnswersAGetOfAMethodThatIsNotForGetWith405) {
  fail({StatusCode::failed_precondition, "post it"}, true);

  client.feed(client.headers(1, get("/a/B"), true));

  const std::vector<Sent> frames = client.sent();
  EXPECT_EQ(frames.at(0).fields.at(":status"), "405");
  EXPECT_EQ(frames.at(0).fields.at("allow"), "POST");
}

TEST_F(WebSession, SendsLeadingMetadataOfAUnaryCallWithItsResponse) {
  client.on_event = [this](Event& event) {
    const Metadata leading{{"l", "1"}};
    const Metadata trailing{{"t", "2"}};
    EXPECT_TRUE(client.session().send(event.id, {}, &leading, false).is_ok());
    EXPECT_TRUE(client.sent().empty());
    static_cast<void>(client.session().finish(event.id, {}, payload_in(json(), "3"), &trailing, false));
  };

  client.feed(call(connect("application/json"), "1"));

  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1", "DATA 1 end"));
  EXPECT_EQ(frames[0].fields.at("l"), "1");
  EXPECT_EQ(frames[0].fields.at("trailer-t"), "2");
}

TEST_F(WebSession, WritesAUnaryResponseOfAnySizeFromItsMessage) {
  // The last one is longer than a frame.
  std::uint32_t id = 1;
  for (const std::size_t size : {0U, 1U, 1000U, 5000U, 20000U}) {
    for (const Metadata& trailing : {Metadata(), Metadata{{"t", "2"}}}) {
      const std::string text(size, 'x');
      client.on_event = [&](Event& event) {
        EXPECT_TRUE(client.session().finish(event.id, {}, kit::direct(text), &trailing, false).is_ok());
      };

      client.feed(client.headers(id, connect("application/bytes")) + Http2Client::data(id, "1", true));

      const std::vector<Sent> frames = client.sent();
      ASSERT_GE(frames.size(), 2U);
      EXPECT_EQ(frames[0].fields.at(":status"), "200");
      EXPECT_EQ(frames[0].fields.contains("trailer-t"), !trailing.empty());
      std::string content;
      for (const Sent& frame : frames) content += frame.payload;
      EXPECT_EQ(content, frames[0].payload + text);
      EXPECT_TRUE(frames.back().is_end);
      EXPECT_EQ(client.session().open_calls(), 0U);
      id += 2;
    }
  }
}

TEST_F(WebSession, StreamsInConnect) {
  stream_two(json(), {StatusCode::aborted, "enough"});

  client.feed(call(connect("application/connect+json"), Http2Client::message("1")));

  EXPECT_EQ(client.events.at(0).payload, "1");
  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1", "DATA 1", "DATA 1", "DATA 1 end"));
  EXPECT_EQ(frames[0].fields.at(":status"), "200");
  EXPECT_EQ(frames[0].fields.at("content-type"), "application/connect+json");
  EXPECT_EQ(frames[0].fields.at("l"), "1");
  EXPECT_EQ(frames[2].payload, Http2Client::message("2"));
  EXPECT_EQ(frames[3].payload,
            Http2Client::message(R"({"error":{"code":"aborted","message":"enough"},"metadata":{"t":["2"]}})", 2));
}

TEST_F(WebSession, EndsAStreamOfConnectWithoutMessages) {
  fail({StatusCode::aborted, ""});

  client.feed(call(connect("application/connect+json"), Http2Client::message("1")));

  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1", "DATA 1 end"));
  EXPECT_EQ(frames[0].fields.at(":status"), "200");
  EXPECT_EQ(frames[1].payload,
            Http2Client::message(R"({"error":{"code":"aborted"},"metadata":{"t":["1"],"t-bin":["/w"]}})", 2));
}

TEST_F(WebSession, RefusesAStreamInAUnaryCallOfConnect) {
  stream_two(json());

  client.feed(call(connect("application/json"), "1"));

  EXPECT_EQ(sent_first.code(), StatusCode::unimplemented);
  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1", "DATA 1 end"));
  EXPECT_EQ(frames[0].fields.at(":status"), "501");
  EXPECT_THAT(frames[1].payload, HasSubstr("application/connect+json"));
}

TEST_F(WebSession, AnswersGrpcWebWithTrailersInTheBody) {
  fail({StatusCode::aborted, "50 %"});

  client.feed(call(post("application/grpc-web+json", {{"grpc-timeout", "2S"}}), Http2Client::message("1")));

  EXPECT_EQ(client.events.at(0).deadline, client.now() + 2s);
  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1", "DATA 1 end"));
  EXPECT_EQ(frames[0].fields.at("content-type"), "application/grpc-web+json");
  EXPECT_EQ(frames[1].payload,
            Http2Client::message("grpc-status: 10\r\ngrpc-message: 50 %25\r\nt: 1\r\nt-bin: /w\r\n", '\x80'));
}

TEST_F(WebSession, AnswersTheTextFormOfGrpcWebInBase64) {
  echo();
  const std::string request = Http2Client::message("[1,22]");

  client.feed(call(post("application/grpc-web-text+json"), base64(request.substr(0, 7)) + base64(request.substr(7))));

  EXPECT_EQ(client.events.at(0).payload, "[1,22]");
  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1", "DATA 1", "DATA 1 end"));
  EXPECT_EQ(frames[0].fields.at("content-type"), "application/grpc-web-text+json");
  EXPECT_EQ(frames[1].payload, base64(request));
  EXPECT_EQ(frames[2].payload, base64(Http2Client::message("grpc-status: 0\r\n", '\x80')));
}

TEST_F(WebSession, RefusesTextThatIsNotOneMessage) {
  echo();
  const std::string request = Http2Client::message("[1]");
  const std::vector<std::pair<std::string, std::string>> bodies{
      {"*", "grpc-status: 13"},
      {base64(request.substr(0, 6)), "grpc-status: 13"},
      {base64(request.substr(0, 3)), "grpc-status: 13"},
      {base64(Http2Client::message("[1]", 1)), "grpc-status: 13"},
      {base64(Http2Client::message("[1]", 2)), "grpc-status: 13"},
      {base64(request + request), "grpc-status: 12"},
  };
  std::uint32_t id = 1;
  for (const auto& [body, trailer] : bodies) {
    client.feed(client.headers(id, post("application/grpc-web-text+json")) + Http2Client::data(id, body, true));

    const std::vector<Sent> frames = client.sent();
    ASSERT_THAT(frames.size(), 2u) << body;
    const auto decoded = codec::decode_base64(frames[1].payload);
    ASSERT_TRUE(decoded) << body;
    EXPECT_THAT(as_text(*decoded), HasSubstr(trailer)) << body;
    id += 2;
  }
  EXPECT_TRUE(client.events.empty());
  EXPECT_EQ(client.session().open_calls(), 0u);
}

TEST_F(WebSession, AnswersAPersonWithALineOfJson) {
  echo();

  client.feed(call(post("application/x-www-form-urlencoded"), "\"world\""));

  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1", "DATA 1 end"));
  EXPECT_EQ(frames[0].fields.at("content-type"), "application/json");
  EXPECT_EQ(frames[1].payload, "\"world\"");
}

TEST_F(WebSession, StreamsLinesToAPerson) {
  stream_two(json(), {StatusCode::aborted, "enough"});

  client.feed(call(post("application/json"), "1"));

  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1", "DATA 1", "DATA 1", "DATA 1 end"));
  EXPECT_EQ(frames[0].fields.at("content-type"), "application/x-ndjson");
  EXPECT_EQ(frames[0].fields.at("l"), "1");
  EXPECT_EQ(frames[1].payload, "{  \"a\":1}\n");
  EXPECT_EQ(frames[2].payload, "2\n");
  EXPECT_EQ(frames[3].payload, "{\"error\":{\"code\":\"aborted\",\"message\":\"enough\"}}\n");
}

TEST_F(WebSession, EndsLinesWithoutFurtherBytes) {
  stream_two(json());

  client.feed(call(post("application/json"), "1"));

  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1", "DATA 1", "DATA 1", "DATA 1 end"));
  EXPECT_EQ(frames[3].payload, "");
}

TEST_F(WebSession, StreamsEventsIfThoseAreAskedFor) {
  stream_two(json());

  client.feed(client.headers(1, get("/a/B?message=1", {{"accept", "text/event-stream"}}), true));

  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1", "DATA 1", "DATA 1", "DATA 1 end"));
  EXPECT_EQ(frames[0].fields.at("content-type"), "text/event-stream");
  EXPECT_EQ(frames[1].payload, "data: {  \"a\":1}\n\n");
  EXPECT_EQ(frames[3].payload, "event: end\ndata: {\"metadata\":{\"t\":[\"2\"]}}\n\n");
}

TEST_F(WebSession, TakesTheMessageOfAGet) {
  bool was_get = false;
  client.on_event = [&](Event& event) {
    was_get = event.is_get;
    static_cast<void>(client.session().finish(event.id, {}, payload_in(json(), "2"), nullptr, false));
  };

  client.feed(client.headers(1, get("/a/B?connect=v1&encoding=json&message=%22x%22"), true));

  EXPECT_EQ(client.events.at(0).payload, "\"x\"");
  EXPECT_EQ(client.events.at(0).method, "a/B");
  EXPECT_TRUE(client.events.at(0).end);
  EXPECT_TRUE(was_get);
  EXPECT_EQ(client.sent().at(1).payload, "2");
  EXPECT_EQ(client.session().open_calls(), 0u);
}

TEST_F(WebSession, RefusesAGetWithContent) {
  client.feed(client.headers(1, get("/a/B")) + Http2Client::data(1, "x", true));

  EXPECT_TRUE(client.events.empty());
  const std::vector<Sent> frames = client.sent();
  EXPECT_EQ(frames.at(0).fields.at(":status"), "400");
  EXPECT_THAT(frames.at(1).payload, HasSubstr("invalid_argument"));
  EXPECT_EQ(client.session().open_calls(), 0u);
}

/// As Go's client does it.
TEST_F(WebSession, TakesAGetThatEndsByAFrameWithoutContent) {
  echo();

  client.feed(client.headers(1, get("/a/B?message=1")));
  client.feed(Http2Client::data(1, {}, true));
  client.feed(client.headers(3, get("/a/B?message=2")) + Http2Client::data(3, {}, true));

  std::vector<std::string> bodies;
  for (const Sent& frame : Http2Client::of_type(client.sent(), FrameType::data)) bodies.push_back(frame.payload);
  EXPECT_THAT(bodies, ElementsAre("1", "2"));
}

TEST_F(WebSession, DecompressesABody) {
  client.on_event = [this](Event& event) {
    ASSERT_TRUE(event.is_compressed);
    ASSERT_TRUE(client.session().decompress(event).is_ok());
    EXPECT_EQ(as_text(event.payload), std::string(5000, 'x'));
    static_cast<void>(client.session().finish(event.id, {},
                                              {.codec = codecs().find("bytes"),
                                               .compressor = event.compressor_of_request(),
                                               .payload = event.payload_slice()},
                                              nullptr, false));
  };
  BufferWriter compressed;
  ASSERT_TRUE(kit::snappy().compress_unsized(as_bytes(std::string(5000, 'x')), compressed).is_ok());

  client.feed(call(connect("application/bytes", {{"content-encoding", "snappy"}, {"accept-encoding", "snappy"}}),
                   as_text(compressed.bytes())));

  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1", "DATA 1 end"));
  EXPECT_EQ(frames[0].fields.at("content-encoding"), "snappy");
  EXPECT_EQ(frames[1].payload, as_text(compressed.bytes()));
}

TEST_F(WebSession, ACorruptBodyIsTheFaultOfTheClientButNotInGrpc) {
  std::vector<StatusCode> codes;
  client.on_event = [&](Event& event) {
    ASSERT_TRUE(event.is_compressed);
    codes.push_back(client.session().decompress(event).code());
    static_cast<void>(client.session().finish(event.id, {codes.back(), "corrupt"}, {}, nullptr, false));
  };
  const std::string message = "\x01" + std::string("\0\0\0\3", 4) + "\xFF\xFF\xFF";

  client.feed(call(connect("application/bytes", {{"content-encoding", "snappy"}}), "\xFF\xFF\xFF"));
  EXPECT_EQ(client.sent()[0].fields.at(":status"), "400");
  client.feed(client.headers(3, connect("application/grpc-web+bytes", {{"grpc-encoding", "snappy"}})) +
              Http2Client::data(3, message, true));

  EXPECT_THAT(codes, ElementsAre(StatusCode::invalid_argument, StatusCode::internal));
}

TEST_F(WebSession, RefusesABodyOverTheLimit) {
  SessionOptions options = web_options();
  options.limits.max_message_bytes = 1000;
  const std::vector<Fields> kinds{{}, {{"content-length", "1001"}}};
  for (const Fields& more : kinds) {
    for (const bool is_whole : {true, false}) {
      Http2Client limited(options);
      limited.feed(Http2Client::preface());
      limited.sent();
      limited.on_event = [&limited](Event& event) {
        if (event.type == EventType::call) limited.session().attach(event.id, &limited);
      };

      limited.feed(limited.headers(1, connect("application/bytes", more)));
      if (is_whole) {
        limited.feed(Http2Client::data(1, std::string(1001, 'x'), true));
      } else {
        limited.feed(Http2Client::data(1, std::string(500, 'x')));
        limited.feed(Http2Client::data(1, std::string(501, 'x'), true));
      }

      const std::vector<Sent> frames = limited.sent();
      ASSERT_FALSE(frames.empty());
      EXPECT_EQ(frames[0].fields.at(":status"), "413");
      EXPECT_EQ(limited.session().open_calls(), 0u);
    }
  }
}

/// curl takes a reset that comes with the response for a failure.
TEST_F(WebSession, DiscardsTheRestOfARequestThatIsAnsweredEarlyBeforeItResetsTheStream) {
  fail({StatusCode::unimplemented, "no such method"}, true);
  client.feed(client.headers(1, connect("application/bytes")));
  EXPECT_THAT(shape_of(client.sent()), ElementsAre("HEADERS 1", "DATA 1 end"));

  for (int i = 0; i < 12; ++i) client.feed(Http2Client::data(1, std::string(10'000, 'x')));
  EXPECT_THAT(shape_of(Http2Client::of_type(client.sent(), FrameType::rst_stream)), ElementsAre());
  client.advance(6s);

  const auto resets = Http2Client::of_type(client.sent(), FrameType::rst_stream);
  ASSERT_EQ(resets.size(), 1u);
  EXPECT_EQ(resets[0].payload, std::string(4, '\0'));
  EXPECT_EQ(client.session().open_calls(), 0u);
  client.feed(Http2Client::data(1, "late"));
  EXPECT_FALSE(client.session().is_closed());
}

TEST_F(WebSession, EndsARequestThatIsAnsweredEarlyWithoutAReset) {
  fail({StatusCode::unimplemented, "no such method"}, true);
  client.feed(client.headers(1, connect("application/bytes")));
  EXPECT_EQ(client.session().open_calls(), 1u);

  client.feed(Http2Client::data(1, "x", true));

  EXPECT_THAT(shape_of(Http2Client::of_type(client.sent(), FrameType::rst_stream)), ElementsAre());
  EXPECT_EQ(client.session().open_calls(), 0u);
}

TEST_F(WebSession, GivesUpARequestThatIsAnsweredEarlyAndDoesNotEnd) {
  fail({StatusCode::unimplemented, "no such method"}, true);
  client.feed(client.headers(1, connect("application/bytes")));
  client.sent();

  client.advance(6s);

  EXPECT_THAT(shape_of(client.sent()), ElementsAre("RST_STREAM 1"));
  EXPECT_EQ(client.session().open_calls(), 0u);
}

TEST_F(WebSession, AnswersABrowserThatAsks) {
  SessionOptions options = web_options();
  options.cors_origins = {"https://app.example"};
  Http2Client allowing(options);
  allowing.feed(Http2Client::preface());
  allowing.sent();
  const Fields question{{":method", "OPTIONS"},
                        {":scheme", "http"},
                        {":path", "/a/B"},
                        {":authority", "server"},
                        {"origin", "https://app.example"},
                        {"access-control-request-method", "POST"},
                        {"access-control-request-headers", "x-a"}};
  Fields other = question;
  other[4].second = "https://evil.example";

  allowing.feed(allowing.headers(1, question, true));
  allowing.feed(allowing.headers(3, other, true));

  const auto heads = Http2Client::of_type(allowing.sent(), FrameType::headers);
  ASSERT_EQ(heads.size(), 2u);
  EXPECT_TRUE(heads[0].is_end);
  EXPECT_EQ(heads[0].fields.at(":status"), "204");
  EXPECT_EQ(heads[0].fields.at("access-control-allow-origin"), "https://app.example");
  EXPECT_THAT(heads[0].fields.at("access-control-allow-headers"), testing::EndsWith(", x-a"));
  EXPECT_EQ(heads[1].fields.at(":status"), "405");
  EXPECT_EQ(heads[1].fields.count("access-control-allow-origin"), 0u);
  EXPECT_EQ(allowing.session().open_calls(), 0u);
}

TEST_F(WebSession, LetsPagesOfOriginsThatAreAllowedReadResponses) {
  SessionOptions options = web_options();
  options.cors_origins = {"*"};
  Http2Client allowing(options);
  allowing.feed(Http2Client::preface());
  allowing.sent();
  allowing.on_event = [&](Event& event) {
    const OutgoingMessage message = payload_in(json(), "1");
    static_cast<void>(allowing.session().finish(event.id, {}, message, nullptr, false));
  };
  const Fields origin{{"origin", "https://app.example"}};

  std::uint32_t id = 1;
  for (const char* type : {"application/json", "application/connect+json", "application/grpc-web+json", "image/png"}) {
    allowing.feed(allowing.headers(id, post(type, origin)) + Http2Client::data(id, Http2Client::message("1"), true));
    allowing.feed(allowing.headers(id + 2, post(type)) + Http2Client::data(id + 2, Http2Client::message("1"), true));
    const auto heads = Http2Client::of_type(allowing.sent(), FrameType::headers);
    ASSERT_EQ(heads.size(), 2u) << type;
    EXPECT_EQ(heads[0].fields.count("access-control-allow-origin"), 1u) << type;
    EXPECT_EQ(heads[1].fields.count("access-control-allow-origin"), 0u) << type;
    id += 4;
  }
}

TEST_F(WebSession, SaysWhichMethodsOfHttpAMethodTakes) {
  const auto put = [](std::string path) {
    return Fields{{":method", "PUT"}, {":scheme", "http"}, {":path", std::move(path)}, {":authority", "server"}};
  };

  std::string requests = client.headers(1, put("/A"), true);
  requests += client.headers(3, put("/Pure"), true);
  requests += client.headers(5, put("/Absent"), true);
  requests += client.headers(7, put("/A"), true);
  client.feed(requests);

  const auto heads = Http2Client::of_type(client.sent(), FrameType::headers);
  ASSERT_EQ(heads.size(), 4U);
  for (const std::size_t at : {0, 1, 3}) EXPECT_EQ(heads[at].fields.at(":status"), "405") << at;
  EXPECT_EQ(heads[0].fields.at("allow"), "POST");
  EXPECT_EQ(heads[1].fields.at("allow"), "GET, POST");
  EXPECT_EQ(heads[2].fields.at(":status"), "404");
  EXPECT_EQ(heads[2].fields.count("allow"), 0U);
  EXPECT_EQ(heads[3].fields.at("allow"), "POST");
}

TEST(WebSessionHosts, RefusesRequestsForOthersWhateverTheirProtocol) {
  SessionOptions options = web_options();
  options.allowed_hosts = {"api.example"};
  Http2Client client(options);
  client.routes_version_of_owner = 1;
  client.routes["GET /route"] = {"GET /route", {}};
  client.feed(Http2Client::preface());
  client.sent();
  client.events.clear();

  std::string requests = client.headers(1, get("/route"), true);
  requests += client.headers(3, post("application/json"), true);
  requests += client.headers(5, post("application/grpc+json"), true);
  requests += client.headers(7,
                             {{":method", "POST"},
                              {":scheme", "http"},
                              {":path", "/a/B"},
                              {":authority", "API.example:1"},
                              {"content-type", "application/json"}},
                             true);
  client.feed(requests);

  const auto heads = Http2Client::of_type(client.sent(), FrameType::headers);
  ASSERT_EQ(heads.size(), 4U) << "the last one is that of the call";
  EXPECT_EQ(heads[0].fields.at(":status"), "421");
  EXPECT_EQ(heads[1].fields.at(":status"), "421");
  EXPECT_EQ(heads[2].fields.at(":status"), "200");
  EXPECT_EQ(heads[2].fields.at("grpc-status"), "7");
  EXPECT_THAT(heads[2].fields.at("grpc-message"), HasSubstr("the host server is neither one of allowed_hosts"));
  ASSERT_EQ(client.events.size(), 1U);
  EXPECT_EQ(client.events[0].id, 7U);
}

TEST_F(WebSession, RefusesInTheProtocolOfTheCall) {
  client.feed(call(connect("application/json", {{"content-encoding", "foo"}}), "1"));
  client.feed(client.headers(3, connect("application/connect+json", {{"connect-content-encoding", "foo"}}), true));
  client.feed(client.headers(5, post("application/grpc-web+json", {{"grpc-encoding", "foo"}}), true));
  client.feed(client.headers(7, post("image/png"), true));

  const auto heads = Http2Client::of_type(client.sent(), FrameType::headers);
  ASSERT_EQ(heads.size(), 4u);
  EXPECT_EQ(heads[0].fields.at(":status"), "501");
  EXPECT_EQ(heads[1].fields.at(":status"), "200");
  EXPECT_EQ(heads[1].fields.at("content-type"), "application/connect+json");
  EXPECT_EQ(heads[2].fields.at(":status"), "200");
  EXPECT_EQ(heads[2].fields.at("content-type"), "application/grpc-web+json");
  EXPECT_EQ(heads[3].fields.at(":status"), "415");
  EXPECT_TRUE(client.events.empty());
  EXPECT_EQ(client.session().open_calls(), 0u);
}

TEST_F(WebSession, BlamesTheClientOfConnectForMessagesThatAreCorrupt) {
  const std::string bad_flag = Http2Client::message("1", 4);
  const std::string cut_off = Http2Client::message("123").substr(0, 6);
  std::uint32_t id = 1;
  for (const std::string& content : {bad_flag, cut_off}) {
    client.feed(client.headers(id, connect("application/connect+json"), false) + client.data(id, content, true));
    client.feed(client.headers(id + 2, post("application/grpc-web+json"), false) + client.data(id + 2, content, true));
    id += 4;

    const std::vector<Sent> frames = client.sent();
    std::string connect_end, grpc_web_end;
    for (const Sent& frame : frames) {
      std::string& end = frame.stream == id - 4 ? connect_end : grpc_web_end;
      end += frame.payload;
      if (const auto status = frame.fields.find("grpc-status"); status != frame.fields.end()) end += status->second;
    }
    EXPECT_THAT(connect_end, HasSubstr("\"invalid_argument\"")) << content;
    EXPECT_THAT(grpc_web_end, HasSubstr("13")) << content;
  }
}

TEST_F(WebSession, EndsACallAtItsDeadline) {
  client.on_event = [this](Event& event) {
    if (event.type == EventType::call) client.session().attach(event.id, this);
  };
  client.feed(call(connect("application/json", {{"connect-timeout-ms", "1000"}}), "1"));

  client.advance(2s);

  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1", "DATA 1 end"));
  EXPECT_EQ(frames[0].fields.at(":status"), "504");
  EXPECT_THAT(frames[1].payload, HasSubstr("\"deadline_exceeded\""));
}

TEST_F(WebSession, ResetsAStreamThatIsStuckAmidAMessageAtItsDeadline) {
  client.feed(Http2Client::settings({{http::http2::SettingId::initial_window_size, 10}}));
  client.on_event = [this](Event& event) {
    if (event.type != EventType::call) return;
    client.session().attach(event.id, this);
    static_cast<void>(client.session().send(event.id, payload_in(json(), std::string(100, '1')), nullptr, false));
  };
  client.feed(call(connect("application/connect+json", {{"connect-timeout-ms", "1000"}}), Http2Client::message("1")));
  client.sent();

  client.advance(2s);

  EXPECT_THAT(shape_of(client.sent()), ElementsAre("RST_STREAM 1"));
  EXPECT_EQ(client.session().open_calls(), 0u);
}

TEST_F(WebSession, SendsTheEndBehindWhatIsQueued) {
  client.feed(Http2Client::settings({{http::http2::SettingId::initial_window_size, 10}}));
  stream_two(json());
  client.feed(call(connect("application/connect+json"), Http2Client::message("1")));
  client.sent();
  EXPECT_EQ(client.session().open_calls(), 1u);

  client.feed(Http2Client::window_update(1, 1000));

  const std::vector<Sent> frames = client.sent();
  ASSERT_FALSE(frames.empty());
  EXPECT_TRUE(frames.back().is_end);
  EXPECT_THAT(frames.back().payload, HasSubstr("metadata"));
  EXPECT_EQ(client.session().open_calls(), 0u);
}

/// The PING makes the call wait until all that has come has been read, and its error waits for the window.
TEST_F(WebSession, HandsOutNoCallThatHasFailedBeforeAnyoneHasSeenIt) {
  client.feed(Http2Client::settings({{http::http2::SettingId::initial_window_size, 0}}));
  client.sent();

  client.feed(client.headers(1, connect("application/connect+json")) + Http2Client::ping(false, "12345678") +
              Http2Client::data(1, Http2Client::message("", 0x40), true));
  const auto events = client.events.size();
  client.feed(Http2Client::window_update(1, 1000));

  EXPECT_EQ(events, 0u);
  const std::vector<Sent> frames = Http2Client::of_type(client.sent(), FrameType::data);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_TRUE(frames[0].is_end);
  EXPECT_THAT(frames[0].payload, HasSubstr("bad prefix"));
  EXPECT_EQ(client.session().open_calls(), 0u);
}

/// The deadline passes in a pause of the turn, when the next frame has not been looked at.
TEST_F(WebSession, EndsACallAtItsDeadlineBeforeItsFirstMessageIsRead) {
  const std::string priority("\0\0\5\2\0\0\0\0\3\0\0\0\1\1", 14);
  int calls_that_nobody_saw = 0;
  for (int frames_before = 500; frames_before < 520; ++frames_before) {
    Http2Client paused(web_options());
    paused.on_event = [&paused](Event& event) {
      if (event.type == EventType::pause) paused.pass(2s);
      if (event.type == EventType::call) paused.session().attach(event.id, &paused.events);
    };
    paused.feed(Http2Client::preface() + Http2Client::settings({{http::http2::SettingId::initial_window_size, 0}}));
    paused.events.clear();
    std::string bytes;
    for (int i = 0; i < frames_before; ++i) bytes += priority;
    bytes += paused.headers(1, connect("application/connect+json", {{"connect-timeout-ms", "1000"}}));
    bytes += Http2Client::data(1, Http2Client::message("1"), true);

    paused.feed(bytes);
    const bool was_seen = std::any_of(paused.events.begin(), paused.events.end(),
                                      [](const Seen& event) { return event.type == EventType::call; });
    paused.feed(Http2Client::window_update(1, 1000));

    EXPECT_FALSE(paused.session().is_closed()) << frames_before;
    if (was_seen) continue;
    ++calls_that_nobody_saw;
    paused.sent();
    EXPECT_EQ(paused.session().open_calls(), 0u) << frames_before;
  }
  EXPECT_EQ(calls_that_nobody_saw, 1);
}

/// So much is unsent that messages have to wait, but an end without content has nothing to wait with.
TEST(WebSessionEnd, IsSentBehindAnyAmountOfOutput) {
  SessionOptions options = web_options();
  options.limits.max_unsent_bytes = 1;
  Http2Client client(options);
  client.on_event = [&client](Event& event) {
    if (event.type != EventType::call) return;
    static_cast<void>(client.session().finish(event.id, {}, payload_in(json(), ""), nullptr, false));
  };
  client.feed(Http2Client::preface());
  // Its greeting, and its answer to the client's.
  for (int i = 0; i < 2; ++i) {
    client.sent();
    client.turn();
  }

  client.feed(client.headers(1, connect("application/json")) + Http2Client::data(1, "1", true));

  EXPECT_THAT(shape_of(client.sent()), ElementsAre("HEADERS 1", "DATA 1 end"));
  EXPECT_EQ(client.session().open_calls(), 0u);
}

TEST_F(WebSession, MixesProtocolsOnOneConnection) {
  echo();

  client.feed(client.headers(1, Http2Client::request("/a/B")) +
              Http2Client::data(1, Http2Client::message("one"), true));
  client.feed(client.headers(3, connect("application/bytes")) + Http2Client::data(3, "two", true));
  client.feed(client.headers(5, post("application/grpc-web+bytes")) +
              Http2Client::data(5, Http2Client::message("three"), true));
  client.feed(client.headers(7, Http2Client::request("/a/B")) +
              Http2Client::data(7, Http2Client::message("four"), true));

  std::vector<std::string> bodies;
  for (const Sent& frame : Http2Client::of_type(client.sent(), FrameType::data)) bodies.push_back(frame.payload);
  EXPECT_THAT(bodies, ElementsAre(Http2Client::message("one"), "two", Http2Client::message("three"),
                                  Http2Client::message("grpc-status: 0\r\n", '\x80'), Http2Client::message("four")));
}

TEST_F(WebSession, GivesGrpcTheFieldsOfConnectAsMetadata) {
  echo();

  client.feed(client.headers(1, Http2Client::request("/a/B", {{"connect-timeout-ms", "5"}, {"origin", "x"}})) +
              Http2Client::data(1, Http2Client::message("one"), true));

  EXPECT_EQ(client.events.at(0).metadata, (Metadata{{"origin", "x"}, {"connect-timeout-ms", "5"}}));
  EXPECT_EQ(client.events.at(0).deadline, base::never);
}

TEST_F(WebSession, RefusesMetadataThatHttpReserves) {
  client.on_event = [this](Event& event) {
    const Metadata trailing{{"content-encoding", "gzip"}};
    static_cast<void>(client.session().finish(event.id, {}, payload_in(json(), "2"), &trailing, false));
  };

  client.feed(call(connect("application/json"), "1"));

  EXPECT_EQ(client.sent().at(0).fields.at(":status"), "500");
}

}  // namespace
}  // namespace trunkline::session::grpc
