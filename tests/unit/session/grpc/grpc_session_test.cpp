// SPDX-License-Identifier: MIT
// GrpcSession: calls, streams, windows, refusals, deadlines and the end of a connection.
#include "codec/bytes_codec.h"
#include "codec/json_codec.h"
#include "unit/session/grpc/http2_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::session::grpc {
namespace {

using http::http2::ErrorCode;
using http::http2::FrameType;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using namespace std::chrono_literals;
using namespace std::string_literals;

/// Answers each call with its message, as a handler that runs at once.
void echo_in_place(Http2Client& client) {
  client.on_event = [&client](Event& event) {
    if (event.type != EventType::call) return;
    static_cast<void>(client.session().finish(event.id, {}, kit::payload(as_text(event.payload)), nullptr, false));
  };
}
/// Attaches each call with a context of its own.
void attach_all(Http2Client& client) {
  client.on_event = [&client](Event& event) {
    if (event.type == EventType::call) client.session().attach(event.id, &client.events);
  };
}

/// A codec of the application's that does something else while it encodes, as one that runs the loop does.
struct BusyCodec final : Codec {
  std::string_view name() const noexcept override { return "bytes"; }
  bool supports(const MessageType&) const noexcept override { return true; }
  Status encode(MessageView, BufferWriter& out) const override {
    if (const auto task = std::exchange(meanwhile, nullptr)) task();
    out.append(std::string_view("encoded"));
    return {};
  }
  Status decode(const Slice&, MutableMessageView) const override { return {}; }
  mutable std::function<void()> meanwhile;
};
struct Plain {
  static constexpr std::string_view trunkline_codec = "bytes";
};

std::vector<std::string> shape_of(const std::vector<Sent>& frames) {
  std::vector<std::string> shape;
  for (const Sent& frame : frames) {
    shape.push_back(std::string(to_string(frame.type)) + " " + std::to_string(frame.stream) +
                    (frame.is_end ? " end" : ""));
  }
  return shape;
}

std::uint32_t code_of(const Sent& frame, std::size_t at = 0) {
  return http::http2::load_uint32(as_bytes(frame.payload).data() + at);
}

/// The code of the GOAWAY that has ended the session.
ErrorCode goaway_of(Http2Client& client) {
  const auto goaways = Http2Client::of_type(client.sent(), FrameType::goaway);
  EXPECT_EQ(goaways.size(), 1u);
  return goaways.empty() ? ErrorCode::no_error : static_cast<ErrorCode>(code_of(goaways[0], 4));
}

TEST(GrpcSession, GreetsWithItsLimits) {
  Http2Client client;

  client.feed(Http2Client::preface());

  EXPECT_THAT(shape_of(client.sent()), ElementsAre("SETTINGS 0", "WINDOW_UPDATE 0", "SETTINGS 0"));
  ASSERT_EQ(client.events.size(), 1u);
  EXPECT_EQ(client.events[0].type, EventType::opened);
  EXPECT_TRUE(client.session().is_open());
}

TEST(GrpcSession, AnswersAUnaryCallInPlace) {
  Http2Client client;
  echo_in_place(client);
  client.feed(Http2Client::preface());
  client.sent();

  client.feed(
      client.headers(1, Http2Client::request("/a.B/C", {{"grpc-timeout", "2S"}, {"k", "v"}, {"k-bin", "AP8"}})) +
      Http2Client::data(1, Http2Client::message("hello"), true));

  const Seen& call = client.events.at(1);
  EXPECT_EQ(call.type, EventType::call);
  EXPECT_EQ(call.method, "a.B/C");
  EXPECT_EQ(call.codec, "bytes");
  EXPECT_EQ(call.payload, "hello");
  EXPECT_TRUE(call.end);
  EXPECT_EQ(call.deadline, client.now() + 2s);
  EXPECT_EQ(call.metadata, (Metadata{{"k", "v"}, {"k-bin", std::string("\0\xff", 2)}}));
  const std::vector<Sent> frames = client.sent();
  EXPECT_THAT(shape_of(frames), ElementsAre("HEADERS 1", "DATA 1", "HEADERS 1 end"));
  EXPECT_EQ(frames[0].fields.at(":status"), "200");
  EXPECT_EQ(frames[0].fields.at("content-type"), "application/grpc+bytes");
  EXPECT_EQ(frames[1].payload, Http2Client::message("hello"));
  EXPECT_EQ(frames[2].fields.at("grpc-status"), "0");
  EXPECT_EQ(client.session().open_calls(), 0u);
}

TEST(GrpcSession, StripsBlanksAroundTheValuesOfARequest) {
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface());

  client.feed(client.headers(
      1, Http2Client::request("/a/B", {{"grpc-timeout", " 2S"}, {"k", "\t a value "}, {"empty", " "}}), true));

  const Seen& call = client.events.at(1);
  EXPECT_EQ(call.type, EventType::call);
  EXPECT_EQ(call.deadline, client.now() + 2s);
  EXPECT_EQ(call.metadata, (Metadata{{"k", "a value"}, {"empty", ""}}));
}

TEST(GrpcSession, GivesTheSameEventsForPartsOfEverySize) {
  // One after the other, because the encoder has to see the blocks in their order.
  const auto script = [](Http2Client& client) {
    std::string bytes = Http2Client::preface();
    bytes += client.headers(1, Http2Client::request("/a/Unary"));
    bytes += Http2Client::data(1, Http2Client::message("one"), true);
    bytes += client.headers(3, Http2Client::request("/a/Stream"));
    bytes += Http2Client::data(3, Http2Client::message("two") + Http2Client::message(""));
    bytes += Http2Client::data(3, Http2Client::message("three").substr(0, 3));
    bytes += Http2Client::data(3, Http2Client::message("three").substr(3));
    bytes += Http2Client::ping(false, "12345678");
    bytes += Http2Client::data(3, {}, true);
    bytes += client.headers(5, Http2Client::request("/a/Late"));
    bytes += Http2Client::reset(5);
    return bytes;
  };
  for (std::size_t part = 1; part <= 400; part += part < 100 ? 1 : 50) {
    Http2Client client;
    attach_all(client);

    client.feed(script(client), part);

    std::map<CallId, std::string> seen;
    for (const Seen& event : client.events) {
      if (event.type == EventType::call) seen[event.id] += event.method + ":";
      if (event.has_message) seen[event.id] += event.payload + ",";
      if (event.end) seen[event.id] += "end";
      if (event.type == EventType::cancelled) seen[event.id] += "cancelled";
    }
    EXPECT_EQ(seen[1], "a/Unary:one,end") << part;
    EXPECT_EQ(seen[3], "a/Stream:two,,three,end") << part;
    EXPECT_EQ(seen[5], "a/Late:cancelled") << part;
    EXPECT_FALSE(client.session().is_closed()) << part;
  }
}

TEST(GrpcSession, SendsTheSameBytesForTheSameHeaders) {
  Http2Client client;
  echo_in_place(client);
  client.feed(Http2Client::preface());
  std::vector<Sent> last;

  for (std::uint32_t id = 1; id < 20; id += 2) {
    client.feed(client.headers(id, Http2Client::request("/a/B")) +
                Http2Client::data(id, Http2Client::message("x"), true));
    last = Http2Client::of_type(client.sent(), FrameType::headers);
    ASSERT_EQ(last.size(), 2u) << id;
    EXPECT_EQ(last[0].fields.at("content-type"), "application/grpc+bytes") << id;
    EXPECT_EQ(last[1].fields.at("grpc-status"), "0") << id;
  }

  EXPECT_LE(last[0].payload.size(), 3u);
  EXPECT_EQ(last[1].payload.size(), 1u);
}

TEST(GrpcSession, HandsOutACallWithoutWaitingForAMessage) {
  Http2Client client;
  attach_all(client);

  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B")));

  ASSERT_EQ(client.events.size(), 2u);
  EXPECT_EQ(client.events[1].type, EventType::call);
  EXPECT_FALSE(client.events[1].has_message);
  EXPECT_FALSE(client.events[1].end);
}

TEST(GrpcSession, HandsOutCallsWithMessagesBehindTheHeadersOfOthers) {
  Http2Client client;
  echo_in_place(client);
  client.feed(Http2Client::preface());
  client.sent();
  const auto names_of = [&client] {
    std::vector<std::string> names;
    for (const Seen& event : std::exchange(client.events, {})) {
      if (event.type == EventType::call) names.push_back(event.method + ":" + event.payload + (event.end ? "." : ""));
    }
    return names;
  };

  std::string bytes = client.headers(1, Http2Client::request("/a/One", {{"grpc-timeout", "1S"}, {"k", "v"}}));
  bytes += client.headers(3, Http2Client::request("/a/Two"));
  bytes += client.headers(5, Http2Client::request("/a/Three"));
  bytes += Http2Client::data(3, Http2Client::message("2"), true);
  bytes += Http2Client::data(1, Http2Client::message("1"), true);
  client.feed(bytes);

  EXPECT_EQ(client.events.at(2).deadline, client.now() + 1s);
  EXPECT_EQ(client.events.at(2).metadata, (Metadata{{"k", "v"}}));
  // The third one's message has not come.
  EXPECT_THAT(names_of(), ElementsAre("a/Two:2.", "a/One:1.", "a/Three:"));
  EXPECT_THAT(shape_of(client.sent()),
              ElementsAre("HEADERS 3", "DATA 3", "HEADERS 3 end", "HEADERS 1", "DATA 1", "HEADERS 1 end", "HEADERS 5",
                          "DATA 5", "HEADERS 5 end", "RST_STREAM 5"));
  EXPECT_EQ(client.session().open_calls(), 0u);
}

TEST(GrpcSession, HandsOutDeferredCallsWithTheirOwnUserAgents) {
  Http2Client client;
  echo_in_place(client);
  client.feed(Http2Client::preface());
  const auto message = [](std::uint32_t stream) { return Http2Client::data(stream, Http2Client::message("x"), true); };

  std::string bytes = client.headers(1, Http2Client::request("/a/B", {{"user-agent", "one"}}));
  bytes += client.headers(3, Http2Client::request("/a/B", {{"user-agent", "three"}}));
  bytes += client.headers(5, Http2Client::request("/a/B"));
  client.feed(bytes + message(5) + message(1) + message(3));

  // Those of the calls before are forgotten, and a call is held while others are handed out.
  bytes = client.headers(7, Http2Client::request("/a/B", {{"user-agent", "seven"}}));
  bytes += client.headers(9, Http2Client::request("/a/B", {{"user-agent", "one"}}));
  client.feed(bytes + message(9) + client.headers(11, Http2Client::request("/a/B", {{"user-agent", "one"}})) +
              client.headers(13, Http2Client::request("/a/B", {{"user-agent", "seven"}})) + message(13) + message(7) +
              message(11));

  std::map<CallId, std::string> agents;
  for (const Seen& seen : client.events) {
    if (seen.type == EventType::call) agents[seen.id] = seen.user_agent;
  }
  EXPECT_EQ(agents, (std::map<CallId, std::string>{
                        {1, "one"}, {3, "three"}, {5, "none"}, {7, "seven"}, {9, "one"}, {11, "one"}, {13, "seven"}}));
}

TEST(GrpcSession, ForgetsDeferredCallsThatAreRefusedOrEndWithTheConnection) {
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface());

  std::string bytes = client.headers(1, Http2Client::request("/a/One"));
  bytes += client.headers(3, Http2Client::request("/a/Two"));
  bytes += Http2Client::data(1, Http2Client::message("?", 7), true);
  bytes += Http2Client::data(5, "x");
  client.feed(bytes);

  EXPECT_TRUE(client.session().is_closed());
  ASSERT_EQ(client.events.size(), 2u);
  EXPECT_EQ(client.events[1].type, EventType::closed);
  EXPECT_EQ(client.session().open_calls(), 0u);
}

TEST(GrpcSession, EndsDeferredCallsAtTheirDeadline) {
  Http2Client client;
  client.on_event = [&client](Event& event) {
    if (event.type != EventType::call || event.id != 3) return;
    static_cast<void>(client.session().finish(3, {}, kit::payload("done"), nullptr, false));
    client.advance(2s);
  };
  client.feed(Http2Client::preface());

  // The first one's message does not come before the second one is served.
  std::string bytes = client.headers(1, Http2Client::request("/a/One", {{"grpc-timeout", "1S"}}));
  bytes += client.headers(3, Http2Client::request("/a/Two"));
  bytes += Http2Client::data(3, Http2Client::message("2"), true);
  client.feed(bytes);

  EXPECT_EQ(client.events.size(), 2u);
  EXPECT_EQ(client.session().open_calls(), 0u);
  const auto headers = Http2Client::of_type(client.sent(), FrameType::headers);
  ASSERT_EQ(headers.size(), 3u);
  EXPECT_EQ(headers[2].stream, 1u);
  EXPECT_EQ(headers[2].fields.at("grpc-status"), "4");
}

TEST(GrpcSession, SendsAStatusWithItsDetailsAndMetadata) {
  Http2Client client;
  client.on_event = [&client](Event& event) {
    if (event.type != EventType::call) return;
    Status status(StatusCode::not_found, "50 %");
    status.add_detail("t/x", "v");
    const Metadata trailing{{"a", "b"}, {"a-bin", std::string("\0", 1)}};
    static_cast<void>(client.session().finish(event.id, status, {}, &trailing, false));
  };
  client.feed(Http2Client::preface());
  client.sent();

  client.feed(client.headers(1, Http2Client::request("/a/B"), true));

  const std::vector<Sent> frames = client.sent();
  EXPECT_THAT(shape_of(frames), ElementsAre("HEADERS 1 end"));
  EXPECT_EQ(frames[0].fields.at("grpc-status"), "5");
  EXPECT_EQ(frames[0].fields.at("grpc-message"), "50 %25");
  EXPECT_EQ(frames[0].fields.at("a"), "b");
  EXPECT_EQ(frames[0].fields.at("a-bin"), "AA");
  // code = 5, message = "50 %", details = {type_url = "t/x", value = "v"}
  EXPECT_EQ(frames[0].fields.at("grpc-status-details-bin"), "CAUSBDUwICUaCAoDdC94EgF2");
}

TEST(GrpcSession, SaysWhenToComeBackInAFieldOfItsOwn) {
  Http2Client client;
  client.on_event = [&client](Event& event) {
    if (event.type != EventType::call) return;
    Status status(StatusCode::unavailable, "x");
    status.set_retry_after(std::chrono::milliseconds(1250));
    static_cast<void>(client.session().finish(event.id, status, {}, nullptr, true));
  };
  client.feed(Http2Client::preface());
  client.sent();

  client.feed(client.headers(1, Http2Client::request("/a/B"), true));

  EXPECT_EQ(client.sent().at(0).fields.at("grpc-retry-pushback-ms"), "1250");
}

TEST(GrpcSession, CutsAStatusToTheClientsHeaderList) {
  Http2Client client;
  client.on_event = [&client](Event& event) {
    if (event.type != EventType::call) return;
    Status status(StatusCode::not_found, std::string(2000, 'x'));
    status.add_detail("t/x", std::string(2000, 'x'));
    const Metadata trailing{{"a", std::string(100, 'b')}};
    static_cast<void>(client.session().finish(event.id, status, {}, &trailing, false));
  };
  constexpr std::uint32_t limit = 1000;
  client.feed(Http2Client::preface() + Http2Client::settings({{http::http2::SettingId::max_header_list_size, limit}}));
  client.sent();

  client.feed(client.headers(1, Http2Client::request("/a/B"), true));

  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1 end"));
  std::size_t bytes = 0;
  for (const auto& [name, value] : frames[0].fields) bytes += name.size() + value.size() + 32;
  EXPECT_LE(bytes, limit);
  EXPECT_EQ(frames[0].fields.at("grpc-status"), "5");
  EXPECT_GT(frames[0].fields.at("grpc-message").size(), 300u);
  EXPECT_EQ(frames[0].fields.at("a"), std::string(100, 'b'));
}

/// gRPC's core announces 16 KiB, and drops some lists that are longer than 8 KiB.
TEST(GrpcSession, SendsAStatusThatClientsOfGrpcTakeForCertain) {
  Http2Client client;
  Status finished;
  std::size_t trailing_bytes = 0;
  client.on_event = [&](Event& event) {
    if (event.type != EventType::call) return;
    Status status(StatusCode::not_found, std::string(20000, 'x'));
    status.add_detail("t/x", std::string(9000, 'x'));
    const Metadata trailing{{"a", std::string(trailing_bytes, 'b')}};
    const bool is_ok = trailing_bytes > 0;
    finished = client.session().finish(event.id, is_ok ? Status() : status, {}, &trailing, false);
  };
  client.feed(Http2Client::preface() + Http2Client::settings({{http::http2::SettingId::max_header_list_size, 16384}}));
  client.sent();

  client.feed(client.headers(1, Http2Client::request("/a/B"), true));
  const std::vector<Sent> frames = client.sent();
  trailing_bytes = 9000;
  client.feed(client.headers(3, Http2Client::request("/a/B"), true));
  const std::vector<Sent> of_long_trailers = client.sent();

  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1 end"));
  std::size_t bytes = 0;
  for (const auto& [name, value] : frames[0].fields) bytes += name.size() + value.size() + 32;
  EXPECT_LE(bytes, 8192u);
  EXPECT_EQ(frames[0].fields.at("grpc-status"), "5");
  EXPECT_THAT(frames[0].fields.at("grpc-message"), AllOf(StartsWith("xxxx"), HasSubstr("bytes are left out")));
  EXPECT_EQ(frames[0].fields.count("grpc-status-details-bin"), 0u);
  EXPECT_EQ(finished.code(), StatusCode::resource_exhausted);
  EXPECT_THAT(std::string(finished.message()), HasSubstr("metadata exceeds 8192 bytes"));
  ASSERT_FALSE(of_long_trailers.empty());
  EXPECT_EQ(of_long_trailers.back().fields.at("grpc-status"), "8");
}

TEST(GrpcSession, SendsNoMetadataThatGrpcCannotCarry) {
  for (const Metadata::Entry& entry : {Metadata::Entry{"grpc-status", "0"}, Metadata::Entry{"connection", "close"},
                                       Metadata::Entry{"text", "a\nb"}, Metadata::Entry{"a!b", ""}}) {
    Http2Client client;
    Status sent, finished;
    client.on_event = [&](Event& event) {
      if (event.type != EventType::call) return;
      const Metadata metadata{entry};
      client.session().attach(event.id, &client.events);
      sent = client.session().send(event.id, kit::payload("x"), &metadata, false);
      finished = client.session().finish(event.id, {}, kit::payload("x"), &metadata, false);
    };
    client.feed(Http2Client::preface());
    client.sent();

    client.feed(client.headers(1, Http2Client::request("/a/B"), true));

    EXPECT_EQ(sent.code(), StatusCode::internal) << entry.name;
    EXPECT_EQ(finished.code(), StatusCode::internal) << entry.name;
    const std::vector<Sent> frames = client.sent();
    ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1 end")) << entry.name;
    EXPECT_EQ(frames[0].fields.at("grpc-status"), "13");
    EXPECT_THAT(frames[0].fields.at("grpc-message"), HasSubstr("entry " + entry.name + " has"));
    EXPECT_EQ(frames[0].fields.count(entry.name), entry.name == "grpc-status" ? 1u : 0u);
  }
}

TEST(GrpcSession, KnowsAMethodByItsPathHoweverItIsEncoded) {
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface());
  const std::vector<std::string> paths{"/a.B/C", "/a.B/C", "/a%2eB/%43", "/a%2eB/%43", "/d%20e"};

  std::uint32_t id = 1;
  for (const std::string& path : paths) {
    client.feed(client.headers(id, Http2Client::request(path)));
    id += 2;
  }

  std::vector<std::string> methods;
  for (const Seen& event : client.events) {
    if (event.type == EventType::call) methods.push_back(event.method);
  }
  EXPECT_THAT(methods, ElementsAre("a.B/C", "a.B/C", "a.B/C", "a.B/C", "d e"));
}

TEST(GrpcSession, KnowsACodecByItsContentTypeHoweverItIsWritten) {
  CodecRegistry registry;
  registry.add(std::make_shared<codec::BytesCodec>()).add(std::make_shared<codec::JsonCodec>(CodecLimits{}));
  SessionOptions options = kit::plain_options();
  options.codecs = &registry;
  Http2Client client(options);
  attach_all(client);
  client.feed(Http2Client::preface());
  const std::vector<std::string> types{"application/grpc+bytes", "application/grpc+json",
                                       "Application/GRPC+JSON;charset=utf-8", "application/grpc+bytes",
                                       "application/grpc+json"};

  std::uint32_t id = 1;
  for (const std::string& type : types) {
    Fields fields = Http2Client::request("/a/B");
    fields.back().second = type;
    client.feed(client.headers(id, fields) + Http2Client::data(id, Http2Client::message("1"), true));
    id += 2;
  }

  std::vector<std::string> codecs;
  for (const Seen& event : client.events) {
    if (event.type == EventType::call) codecs.push_back(event.codec);
  }
  EXPECT_THAT(codecs, ElementsAre("bytes", "json", "json", "bytes", "json"));
}

TEST(GrpcSession, TellsAClientThatSendsOnThatNobodyReads) {
  Http2Client client;
  client.on_event = [&client](Event& event) {
    if (event.type != EventType::call) return;
    static_cast<void>(client.session().finish(event.id, {StatusCode::unimplemented, "no"}, {}, nullptr, true));
  };
  client.feed(Http2Client::preface());
  client.sent();

  client.feed(client.headers(1, Http2Client::request("/a/B")));
  client.feed(Http2Client::data(1, Http2Client::message("late"), true));

  EXPECT_THAT(shape_of(client.sent()), ElementsAre("HEADERS 1 end", "RST_STREAM 1"));
  EXPECT_FALSE(client.session().is_closed());
}

struct Refused {
  Fields fields;
  std::string http_status;
  std::string grpc_status;
  /// Its client is no client of gRPC.
  bool is_plain = false;
};

TEST(GrpcSession, RefusesWhatIsNoGrpcRequest) {
  const auto with = [](std::string_view name, std::string value) {
    Fields fields = Http2Client::request("/a/B");
    for (auto& field : fields) {
      if (field.first == name) field.second = value;
    }
    return fields;
  };
  const std::vector<Refused> all{
      {with(":method", "GET"), "405", "13", true},
      {with("content-type", "text/html"), "415", "12", true},
      {with("content-type", "application/grpc+unknown"), "415", "12"},
      {with("content-type", "application/grpcx"), "415", "12", true},
      {Http2Client::request("/a/B", {{"grpc-timeout", "soon"}}), "400", "13"},
      {Http2Client::request("/a/B", {{"grpc-encoding", "unknown"}}), "200", "12"},
      {Http2Client::request("/a/B", {{"a-bin", "*"}}), "400", "13"},
      // Few bytes, and many values.
      {Http2Client::request("/a/B", {{"a-bin", std::string(2000, ',')}}), "431", "8"},
      {Http2Client::request("*"), "200", "12"},
      {Http2Client::request("/"), "200", "12"},
      {Http2Client::request("/a/B?c"), "200", "12"},
      {Http2Client::request("/%zz"), "200", "12"},
      {Http2Client::request("/" + std::string(1025, 'a')), "200", "12"},
      {Http2Client::request("/a/B", {{"long", std::string(20000, 'x')}}), "431", "8"},
  };
  for (const Refused& refused : all) {
    Http2Client client;
    client.feed(Http2Client::preface());
    client.sent();

    client.feed(client.headers(1, refused.fields, true));

    const std::vector<Sent> frames = client.sent();
    if (refused.is_plain) {
      ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1", "DATA 1 end")) << refused.http_status;
      EXPECT_EQ(frames[0].fields.at("content-type"), "text/plain; charset=utf-8");
      EXPECT_EQ(frames[0].fields.at("content-length"), std::to_string(frames[1].payload.size()));
      EXPECT_THAT(frames[1].payload, StartsWith(refused.http_status + ": receive headers: "));
    } else {
      ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1 end")) << refused.http_status;
    }
    EXPECT_EQ(frames[0].fields.at(":status"), refused.http_status);
    EXPECT_EQ(frames[0].fields.at("grpc-status"), refused.grpc_status) << frames[0].fields.at("grpc-message");
    EXPECT_EQ(frames[0].fields.count("allow"), refused.http_status == "405" ? 1u : 0u);
    EXPECT_EQ(client.events.size(), 1u);
    EXPECT_EQ(client.session().open_calls(), 0u);
  }
}

/// Asks with the fields in each of their orders, pseudo-fields first, and returns what the answers say.
std::set<std::string> answers_in_any_order(Fields pseudo, Fields regular) {
  std::sort(pseudo.begin(), pseudo.end());
  std::sort(regular.begin(), regular.end());
  std::set<std::string> answers;
  do {
    do {
      Fields fields = pseudo;
      fields.insert(fields.end(), regular.begin(), regular.end());
      Http2Client client;
      client.feed(Http2Client::preface());
      client.sent();
      client.feed(client.headers(1, fields, true));
      const std::vector<Sent> frames = client.sent();
      const auto& sent = frames.at(0).fields;
      const auto code = sent.find("grpc-status");
      answers.insert(sent.at(":status") + (code == sent.end() ? "" : " " + code->second));
    } while (std::next_permutation(regular.begin(), regular.end()));
  } while (std::next_permutation(pseudo.begin(), pseudo.end()));
  return answers;
}

TEST(GrpcSession, RefusesARequestAlikeInAnyOrderOfItsFields) {
  const Fields::value_type post{":method", "POST"};
  const Fields::value_type get{":method", "GET"};
  const Fields::value_type scheme{":scheme", "http"};
  const Fields::value_type authority{":authority", "server"};
  const Fields::value_type path{":path", "/a/B"};
  const Fields::value_type wrong_path{":path", "/a/B?c"};
  const Fields::value_type grpc{"content-type", "application/grpc+bytes"};
  const Fields::value_type unknown_codec{"content-type", "application/grpc+unknown"};
  const Fields::value_type html{"content-type", "text/html"};
  const Fields::value_type timeout{"grpc-timeout", "soon"};
  const Fields::value_type encoding{"grpc-encoding", "unknown"};
  const Fields::value_type value{"a-bin", "*"};
  const Fields good{post, scheme, authority, path};
  const Fields bad{post, scheme, authority, wrong_path};
  const auto answers = [](const Fields& pseudo, Fields regular) {
    return answers_in_any_order(pseudo, std::move(regular));
  };

  EXPECT_THAT(answers({get, scheme, authority, wrong_path}, {grpc, timeout, encoding, value}), ElementsAre("405 13"));
  EXPECT_THAT(answers({get, scheme, authority, wrong_path}, {unknown_codec}), ElementsAre("405 13"));
  EXPECT_THAT(answers(bad, {unknown_codec, timeout, encoding, value}), ElementsAre("415 12"));
  EXPECT_THAT(answers(bad, {html, timeout, encoding, value}), ElementsAre("415 12"));
  EXPECT_THAT(answers(bad, {grpc, timeout, encoding, value}), ElementsAre("200 12"));
  EXPECT_THAT(answers(good, {grpc, timeout, encoding, value}), ElementsAre("400 13"));
  EXPECT_THAT(answers(good, {grpc, encoding, value}), ElementsAre("200 12"));
  EXPECT_THAT(answers(good, {grpc, value}), ElementsAre("400 13"));
  // What only gRPC knows is no fault of a request of Connect, and hides none.
  EXPECT_THAT(answers(good, {{"content-type", "application/bytes"}, timeout, encoding, value}), ElementsAre("400"));
}

/// What is skipped is decoded, so that later blocks mean the same on both sides.
TEST(GrpcSession, SkipsAVeryLongHeaderListForItsCallAlone) {
  Http2Client client;
  client.feed(Http2Client::preface());
  client.sent();
  Fields fields = Http2Client::request("/a/B", {{"long", std::string(300000, 'x')}});
  for (int i = 0; i < 3000; ++i) fields.emplace_back("field-" + std::to_string(i), std::to_string(i));

  client.feed(client.headers(1, fields, true));
  client.feed(client.headers(3, Http2Client::request("/a/B", {{"field-2999", "2999"}}), true));

  const std::vector<Sent> frames = client.sent();
  ASSERT_FALSE(frames.empty());
  EXPECT_EQ(frames[0].stream, 1u);
  EXPECT_EQ(frames[0].fields.at(":status"), "431");
  EXPECT_EQ(frames[0].fields.at("grpc-status"), "8");
  EXPECT_THAT(frames[0].fields.at("grpc-message"), HasSubstr("max_header_bytes"));
  EXPECT_FALSE(client.session().is_closed());
  ASSERT_EQ(client.events.back().type, EventType::call);
  EXPECT_EQ(client.events.back().metadata.get("field-2999"), "2999");
}

Fields plain_request(std::string method) {
  return {{":method", std::move(method)}, {":scheme", "http"}, {":path", "/"}, {":authority", "server"}};
}

TEST(GrpcSession, AnswersHeadWithHeadersAlone) {
  Http2Client client;
  client.feed(Http2Client::preface());
  client.sent();

  client.feed(client.headers(1, plain_request("HEAD"), true));

  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1 end"));
  EXPECT_EQ(frames[0].fields.at(":status"), "405");
  EXPECT_EQ(client.session().open_calls(), 0u);
}

TEST(GrpcSession, SendsTheTextOfARefusalAsTheWindowAllows) {
  Http2Client client;
  client.feed(Http2Client::preface() + Http2Client::settings({{http::http2::SettingId::initial_window_size, 0}}));
  client.sent();

  client.feed(client.headers(1, plain_request("GET"), true));
  const std::vector<Sent> first = client.sent();
  client.feed(Http2Client::window_update(1, 1));
  const std::vector<Sent> second = client.sent();
  client.feed(Http2Client::window_update(1, 1000));
  const std::vector<Sent> third = client.sent();

  EXPECT_THAT(shape_of(first), ElementsAre("HEADERS 1"));
  EXPECT_THAT(shape_of(second), ElementsAre("DATA 1"));
  EXPECT_EQ(second.at(0).payload.size(), 1u);
  EXPECT_THAT(shape_of(third), ElementsAre("DATA 1 end"));
  EXPECT_EQ(client.session().open_calls(), 0u);
}

/// A connection whose stream 1 has an answer, and has not ended.
void refuse_unended(Http2Client& client) {
  client.feed(Http2Client::preface());
  Fields fields = plain_request("POST");
  fields.emplace_back("content-length", "3");
  client.feed(client.headers(1, fields));
  ASSERT_THAT(Http2Client::of_type(client.sent(), FrameType::rst_stream), testing::IsEmpty());
}

TEST(GrpcSession, DiscardsTheRestOfARefusedRequest) {
  Http2Client client;
  refuse_unended(client);

  client.feed(Http2Client::data(1, "ab"));
  client.feed(Http2Client::data(1, "c", true));

  EXPECT_THAT(client.sent(), testing::IsEmpty());
  EXPECT_EQ(client.session().open_calls(), 0u);
}

TEST(GrpcSession, KeepsTheRulesOfStreamsForRefusedRequests) {
  struct Case {
    std::string name;
    std::function<std::string(Http2Client&)> bytes;
    FrameType answer;
    ErrorCode code;
  };
  const std::string zero_update = std::string("\0\0\4\10\0\0\0\0\1\0\0\0\0", 13);
  const std::string short_priority = std::string("\0\0\4\2\0\0\0\0\1\0\0\0\0", 13);
  const std::vector<Case> cases{
      {"DATA beyond content-length", [](Http2Client&) { return Http2Client::data(1, "abcd"); }, FrameType::rst_stream,
       ErrorCode::protocol_error},
      {"END_STREAM before content-length", [](Http2Client&) { return Http2Client::data(1, "a", true); },
       FrameType::rst_stream, ErrorCode::protocol_error},
      {"HEADERS without END_STREAM",
       [](Http2Client& client) {
         return client.headers(1, {{"a", "b"}});
       },
       FrameType::rst_stream, ErrorCode::protocol_error},
      {"a pseudo-header in trailers",
       [](Http2Client& client) {
         return client.headers(1, {{":path", "/"}}, true);
       },
       FrameType::rst_stream, ErrorCode::protocol_error},
      {"WINDOW_UPDATE of 0", [&](Http2Client&) { return zero_update; }, FrameType::rst_stream,
       ErrorCode::protocol_error},
      {"a window that is too large", [](Http2Client&) { return Http2Client::window_update(1, 0x7FFFFFFF); },
       FrameType::rst_stream, ErrorCode::flow_control_error},
      {"PRIORITY of a wrong length", [&](Http2Client&) { return short_priority; }, FrameType::rst_stream,
       ErrorCode::frame_size_error},
      {"DATA after RST_STREAM", [](Http2Client&) { return Http2Client::reset(1) + Http2Client::data(1, "a"); },
       FrameType::rst_stream, ErrorCode::stream_closed},
      {"HEADERS after RST_STREAM",
       [](Http2Client& client) { return Http2Client::reset(1) + client.headers(1, plain_request("GET"), true); },
       FrameType::goaway, ErrorCode::stream_closed},
  };
  for (const Case& one : cases) {
    Http2Client client;
    refuse_unended(client);

    client.feed(one.bytes(client));

    const std::vector<Sent> frames = client.sent();
    ASSERT_EQ(frames.size(), 1u) << one.name;
    EXPECT_EQ(frames[0].type, one.answer) << one.name;
    EXPECT_EQ(code_of(frames[0], one.answer == FrameType::goaway ? 4 : 0), static_cast<std::uint32_t>(one.code))
        << one.name;
    EXPECT_EQ(client.session().open_calls(), 0u) << one.name;
  }
}

TEST(GrpcSession, StopsAClientThatSendsMuchOfARefusedRequest) {
  Http2Client client;
  client.feed(Http2Client::preface());
  client.feed(client.headers(1, plain_request("POST")));
  client.sent();

  for (int i = 0; i < 4; ++i) client.feed(Http2Client::data(1, std::string(16000, 'x')));
  const std::vector<Sent> before = client.sent();
  client.feed(Http2Client::data(1, std::string(16000, 'x')));
  const std::vector<Sent> after = client.sent();

  EXPECT_THAT(before, testing::IsEmpty());
  ASSERT_THAT(shape_of(after), ElementsAre("RST_STREAM 1"));
  EXPECT_EQ(code_of(after[0]), static_cast<std::uint32_t>(ErrorCode::no_error));
  EXPECT_EQ(client.session().open_calls(), 0u);
}

TEST(GrpcSession, ForgetsARefusedRequestInTime) {
  Http2Client client;
  client.feed(Http2Client::preface() + Http2Client::settings({{http::http2::SettingId::initial_window_size, 0}}));
  client.feed(client.headers(1, plain_request("POST")));
  client.feed(Http2Client::settings({{http::http2::SettingId::initial_window_size, 65535}}));
  client.sent();
  client.feed(Http2Client::settings({{http::http2::SettingId::initial_window_size, 0}}));
  client.feed(client.headers(3, plain_request("GET"), true));
  client.sent();

  client.advance(4s);
  const std::size_t open_before = client.session().open_calls();
  client.advance(2s);

  EXPECT_EQ(open_before, 2u);
  EXPECT_EQ(client.session().open_calls(), 0u);
  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), testing::UnorderedElementsAre("RST_STREAM 1", "RST_STREAM 3"));
  for (const Sent& frame : frames) {
    EXPECT_EQ(code_of(frame), static_cast<std::uint32_t>(frame.stream == 1 ? ErrorCode::no_error : ErrorCode::cancel));
  }
}

TEST(GrpcSession, KeepsFewRefusedRequests) {
  constexpr std::uint32_t most = 1024;
  Http2Client client;
  client.feed(Http2Client::preface());
  client.sent();
  auto refuse_another = [&client, id = std::uint32_t{1}]() mutable {
    client.feed(client.headers(std::exchange(id, id + 2), plain_request("POST")));
  };

  for (std::uint32_t i = 0; i < most; ++i) refuse_another();
  const auto resets = Http2Client::of_type(client.sent(), FrameType::rst_stream);
  refuse_another();
  const std::vector<Sent> frames = client.sent();
  client.feed(Http2Client::data(1, {}, true));
  refuse_another();

  EXPECT_THAT(resets, testing::IsEmpty());
  ASSERT_EQ(frames.size(), 1u);
  ASSERT_EQ(frames[0].type, FrameType::rst_stream);
  EXPECT_EQ(code_of(frames[0]), static_cast<std::uint32_t>(ErrorCode::refused_stream));
  EXPECT_EQ(client.session().open_calls(), most);
  EXPECT_THAT(Http2Client::of_type(client.sent(), FrameType::rst_stream), testing::IsEmpty());
}

TEST(GrpcSession, WaitsForNoRefusedRequestWhenItDrains) {
  Http2Client client;
  refuse_unended(client);

  client.session().drain();

  EXPECT_THAT(shape_of(client.sent()), ElementsAre("GOAWAY 0", "PING 0", "RST_STREAM 1"));
  EXPECT_EQ(client.session().open_calls(), 0u);
}

TEST(GrpcSession, ResetsClosedStreamsForAWrongPriorityOnce) {
  for (const std::string& priority :
       {std::string("\0\0\4\2\0\0\0\0\1\0\0\0\0", 13), std::string("\0\0\5\2\0\0\0\0\1\0\0\0\1\0", 14)}) {
    Http2Client client;
    echo_in_place(client);
    client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B"), true));
    client.sent();

    client.feed(priority + priority);

    const std::vector<Sent> frames = client.sent();
    ASSERT_THAT(shape_of(frames), ElementsAre("RST_STREAM 1"));
    EXPECT_EQ(code_of(frames[0]), static_cast<std::uint32_t>(priority.size() == 13 ? ErrorCode::frame_size_error
                                                                                   : ErrorCode::protocol_error));
  }
}

TEST(GrpcSession, TreatsAnIdleStreamThatDependsOnItselfAsAnErrorOfTheConnection) {
  Http2Client client;
  client.feed(Http2Client::preface());
  client.sent();

  client.feed(std::string("\0\0\5\2\0\0\0\0\1\0\0\0\1\0", 14));

  EXPECT_EQ(goaway_of(client), ErrorCode::protocol_error);
}

TEST(GrpcSession, ResetsMalformedRequests) {
  const std::vector<Fields> all{
      {{":method", "POST"}, {":path", "/a/B"}, {"content-type", "application/grpc"}},
      Http2Client::request("/a/B", {{"Upper", "case"}}),
      Http2Client::request("/a/B", {{":path", "/late"}}),
      Http2Client::request("/a/B", {{"connection", "close"}}),
  };
  for (const Fields& fields : all) {
    Http2Client client;
    client.feed(Http2Client::preface());
    client.sent();

    client.feed(client.headers(1, fields, true));

    const std::vector<Sent> frames = client.sent();
    ASSERT_THAT(shape_of(frames), ElementsAre("RST_STREAM 1"));
    EXPECT_EQ(code_of(frames[0]), static_cast<std::uint32_t>(ErrorCode::protocol_error));
    EXPECT_FALSE(client.session().is_closed());
  }
}

TEST(GrpcSession, ResetsRequestsWhoseContentLengthIsWrong) {
  struct Request {
    Fields more;
    std::vector<std::string> data;
    bool is_valid;
  };
  const std::string whole = Http2Client::message("hello");
  const std::vector<Request> all{
      {{{"content-length", "10"}}, {whole}, true},
      {{{"content-length", "10"}}, {whole.substr(0, 3), whole.substr(3)}, true},
      {{{"content-length", "10"}, {"content-length", "10"}}, {whole}, true},
      {{{"content-length", "0"}}, {}, true},
      {{{"content-length", "9"}}, {whole}, false},
      {{{"content-length", "11"}}, {whole}, false},
      {{{"content-length", "1"}}, {whole.substr(0, 1), whole.substr(1)}, false},
      {{{"content-length", "10"}}, {}, false},
      {{{"content-length", "10"}, {"content-length", "11"}}, {whole}, false},
      {{{"content-length", "18446744073709551616"}}, {whole}, false},
  };
  for (const Request& request : all) {
    Http2Client client;
    attach_all(client);
    client.feed(Http2Client::preface());
    client.sent();

    client.feed(client.headers(1, Http2Client::request("/a/B", request.more), request.data.empty()));
    for (std::size_t i = 0; i < request.data.size(); ++i) {
      client.feed(Http2Client::data(1, request.data[i], i + 1 == request.data.size()));
    }

    const std::vector<Sent> resets = Http2Client::of_type(client.sent(), FrameType::rst_stream);
    EXPECT_EQ(client.session().open_calls(), request.is_valid ? 1u : 0u) << request.more[0].second;
    ASSERT_EQ(resets.empty(), request.is_valid) << request.more[0].second;
    for (const Sent& reset : resets) EXPECT_EQ(code_of(reset), static_cast<std::uint32_t>(ErrorCode::protocol_error));
    EXPECT_FALSE(client.session().is_closed());
  }
}

TEST(GrpcSession, ResetsAStreamWhoseTrailersComeBeforeItsContent) {
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface());
  client.feed(client.headers(1, Http2Client::request("/a/B", {{"content-length", "10"}})));
  client.sent();

  client.feed(client.headers(1, {{"late", "field"}}, true));

  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("RST_STREAM 1"));
  EXPECT_EQ(code_of(frames[0]), static_cast<std::uint32_t>(ErrorCode::protocol_error));
  EXPECT_EQ(client.events.back().type, EventType::cancelled);
}

TEST(GrpcSession, BreaksCallsWithMalformedMessages) {
  SessionOptions options = kit::plain_options();
  options.limits.max_message_bytes = 1000;
  const std::vector<std::pair<std::string, std::string>> all{
      {Http2Client::data(1, Http2Client::message("x", 2)), "13"},
      {Http2Client::data(1, Http2Client::message("x", 1)), "13"},
      {Http2Client::data(1, Http2Client::message(std::string(1001, 'x'))), "8"},
      {Http2Client::data(1, Http2Client::message("long").substr(0, 7), true), "13"},
      {Http2Client::data(1, std::string_view("\0\0", 2), true), "13"},
  };
  for (const auto& [bytes, code] : all) {
    Http2Client client(options);
    attach_all(client);
    client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B")));
    client.sent();

    client.feed(bytes);

    const std::vector<Sent> frames = Http2Client::of_type(client.sent(), FrameType::headers);
    ASSERT_EQ(frames.size(), 1u);
    EXPECT_EQ(frames[0].fields.at("grpc-status"), code) << frames[0].fields.at("grpc-message");
    EXPECT_EQ(client.events.back().type, EventType::cancelled);
    EXPECT_EQ(client.session().open_calls(), 0u);
    EXPECT_FALSE(client.session().is_closed());
  }
}

TEST(GrpcSession, EndsConnectionsThatBreakTheProtocol) {
  struct Breach {
    std::string bytes;
    ErrorCode code;
  };
  Http2Client maker;
  const std::string open = maker.headers(1, Http2Client::request("/a/B"));
  const std::string later = Http2Client().headers(3, Http2Client::request("/a/B"));
  const std::vector<Breach> all{
      {Http2Client::data(1, "x"), ErrorCode::protocol_error},
      {Http2Client::reset(1), ErrorCode::protocol_error},
      {Http2Client::window_update(1, 1), ErrorCode::protocol_error},
      {Http2Client::window_update(0, 0x7FFFFFFF), ErrorCode::flow_control_error},
      {maker.headers(2, Http2Client::request("/a/B")), ErrorCode::protocol_error},
      // Streams that no client can have opened, below one that it has.
      {later + Http2Client::data(2, "x"), ErrorCode::protocol_error},
      {later + Http2Client::reset(2), ErrorCode::protocol_error},
      {later + Http2Client::window_update(2, 1), ErrorCode::protocol_error},
      {later + maker.headers(2, Http2Client::request("/a/B")), ErrorCode::protocol_error},
      // PRIORITY of four bytes, about a stream that is idle.
      {std::string("\0\0\4\2\0\0\0\0\1\0\0\0\3", 13), ErrorCode::frame_size_error},
      {open + Http2Client::reset(1) + std::string(open), ErrorCode::stream_closed},
      {Http2Client::settings({{http::http2::SettingId::initial_window_size, 0x80000000}}),
       ErrorCode::flow_control_error},
      {std::string("\0\0\1\1\5\0\0\0\1\x80", 10), ErrorCode::compression_error},
  };
  for (const Breach& breach : all) {
    Http2Client client;
    attach_all(client);
    client.feed(Http2Client::preface());
    client.sent();

    client.feed(breach.bytes);

    EXPECT_TRUE(client.session().is_closed());
    EXPECT_EQ(goaway_of(client), breach.code);
    EXPECT_EQ(client.events.back().type, EventType::closed);
  }
}

TEST(GrpcSession, RefusesStreamsBeyondItsLimit) {
  SessionOptions options = kit::plain_options();
  options.max_concurrent_calls = 2;
  Http2Client client(options);
  attach_all(client);
  client.feed(Http2Client::preface());
  client.sent();

  for (const std::uint32_t id : {1, 3, 5}) client.feed(client.headers(id, Http2Client::request("/a/B")));

  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("RST_STREAM 5"));
  EXPECT_EQ(code_of(frames[0]), static_cast<std::uint32_t>(ErrorCode::refused_stream));
  client.feed(Http2Client::reset(1) + client.headers(7, Http2Client::request("/a/B")));
  EXPECT_EQ(client.events.back().id, 7u);
}

TEST(GrpcSession, EndsFloods) {
  const std::string ping = Http2Client::ping(false, "12345678");
  const std::string settings = Http2Client::settings({});
  const std::string window = Http2Client::window_update(0, 1);
  const std::string empty = Http2Client::data(1, {});
  const std::string priority("\0\0\5\2\0\0\0\0\3\0\0\0\1\1", 14);
  for (const std::string& frame : {ping, settings, window, empty, priority}) {
    Http2Client client;
    attach_all(client);
    client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B")));
    client.sent();

    for (int i = 0; i < 5000 && !client.session().is_closed(); ++i) client.feed(frame);

    EXPECT_TRUE(client.session().is_closed());
    EXPECT_EQ(goaway_of(client), ErrorCode::enhance_your_calm);
  }
}

/// A client that has made many calls for one of its own cancels them all when that is cancelled.
TEST(GrpcSession, LetsAClientCancelEachOfItsCallsOnce) {
  constexpr std::uint32_t calls = 5000;
  SessionOptions options = kit::plain_options();
  options.max_concurrent_calls = calls;
  Http2Client client(options);
  attach_all(client);
  client.feed(Http2Client::preface());
  for (std::uint32_t i = 0; i < calls; ++i) client.feed(client.headers(2 * i + 1, Http2Client::request("/a/B")));
  ASSERT_EQ(client.session().open_calls(), calls);
  // It does not know yet that this one is over.
  static_cast<void>(client.session().finish(1, {}, {}, nullptr, false));
  client.sent();

  for (std::uint32_t i = 0; i < calls; ++i) client.feed(Http2Client::reset(2 * i + 1));

  EXPECT_FALSE(client.session().is_closed());
  EXPECT_EQ(client.session().open_calls(), 0u);
  int further = 0;
  for (; further < 5000 && !client.session().is_closed(); ++further) client.feed(Http2Client::reset(1));
  EXPECT_LT(further, 3000);
  EXPECT_EQ(goaway_of(client), ErrorCode::enhance_your_calm);
}

TEST(GrpcSession, EndsFloodsOfMalformedRequests) {
  Http2Client client;
  client.feed(Http2Client::preface());

  std::uint32_t requests = 0;
  for (; requests < 5000 && !client.session().is_closed(); ++requests) {
    client.feed(client.headers(2 * requests + 1, {{":method", "POST"}}, true));
  }

  EXPECT_LT(requests, 3000u);
  EXPECT_EQ(goaway_of(client), ErrorCode::enhance_your_calm);
}

TEST(GrpcSession, EndsFloodsOfHeadersOnAStreamThatItHasReset) {
  Http2Client client;
  client.feed(Http2Client::preface() + client.headers(1, {{":method", "POST"}}));

  int blocks = 0;
  for (; blocks < 5000 && !client.session().is_closed(); ++blocks) client.feed(client.headers(1, {{"a", "b"}}, true));

  EXPECT_LT(blocks, 3000);
  EXPECT_EQ(goaway_of(client), ErrorCode::enhance_your_calm);
}

TEST(GrpcSession, IgnoresFramesOnStreamsThatItHasResetHoweverLate) {
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface());
  constexpr std::uint32_t last = 999;
  for (std::uint32_t id = 1; id <= last; id += 2) {
    client.feed(client.headers(id, Http2Client::request("/a/B")) + Http2Client::window_update(id, 0));
  }
  client.sent();

  for (std::uint32_t id = 1; id <= last; id += 2) {
    client.feed(Http2Client::data(id, "late") + client.headers(id, {{"late", "field"}}, true));
  }

  EXPECT_FALSE(client.session().is_closed());
  EXPECT_THAT(client.sent(), testing::IsEmpty());
}

TEST(GrpcSession, OpensNoWindowForACallThatIsFinished) {
  SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = 64 << 10;
  Http2Client client(options);
  attach_all(client);
  client.feed(Http2Client::preface() + Http2Client::settings({{http::http2::SettingId::initial_window_size, 0}}) +
              client.headers(1, Http2Client::request("/a/B")));
  static_cast<void>(client.session().finish(1, {}, kit::payload("x"), nullptr, false));
  client.sent();

  for (int i = 0; i < 4; ++i) client.feed(Http2Client::data(1, std::string(16 << 10, 'x')));
  const std::vector<Sent> answers = client.sent();
  client.feed(Http2Client::window_update(1, 100));
  const std::vector<Sent> end = client.sent();

  for (const Sent& update : Http2Client::of_type(answers, FrameType::window_update)) EXPECT_NE(update.stream, 1u);
  EXPECT_THAT(shape_of(end), ElementsAre("DATA 1", "DATA 1", "HEADERS 1 end", "RST_STREAM 1"));
  EXPECT_EQ(code_of(end.back()), static_cast<std::uint32_t>(ErrorCode::no_error));
  EXPECT_FALSE(client.session().is_closed());
}

/// HAProxy does.
TEST(GrpcSession, LetsAClientReturnTheWindowsOfEachMessage) {
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B")));

  for (int i = 0; i < 5000; ++i) {
    ASSERT_TRUE(client.session().send(1, kit::payload("x"), nullptr, false).is_ok()) << i;
    client.sent();
    client.feed(Http2Client::window_update(1, 6) + Http2Client::window_update(0, 6));
  }

  EXPECT_FALSE(client.session().is_closed());
}

TEST(GrpcSession, EndsTinyWindows) {
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface() + Http2Client::settings({{http::http2::SettingId::initial_window_size, 0}}) +
              client.headers(1, Http2Client::request("/a/B")));
  static_cast<void>(client.session().send(1, kit::payload(std::string(100000, 'x')), nullptr, false));
  client.sent();

  int updates = 0;
  for (; updates < 5000 && !client.session().is_closed(); ++updates) {
    client.feed(Http2Client::window_update(1, 1));
    if (!client.session().is_closed()) client.sent();
  }

  EXPECT_LT(updates, 3000);
  EXPECT_EQ(goaway_of(client), ErrorCode::enhance_your_calm);
}

TEST(GrpcSession, EndsChangesOfTheWindowsOfManyStreams) {
  constexpr std::uint32_t streams = 2560;
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface());
  for (std::uint32_t i = 0; i < streams; ++i)
    client.feed(client.headers(2 * i + 1, Http2Client::request("/a/B"), true));
  ASSERT_EQ(client.session().open_calls(), streams);
  client.sent();

  int changes = 0;
  for (; changes < 5000 && !client.session().is_closed(); ++changes) {
    client.feed(Http2Client::settings({{http::http2::SettingId::initial_window_size, changes % 2 == 0 ? 0u : 65535u}}));
  }

  EXPECT_TRUE(client.session().is_closed());
  EXPECT_LT(changes, 200) << "each costs as much as eleven frames";
  EXPECT_GT(changes, 100);
  EXPECT_EQ(goaway_of(client), ErrorCode::enhance_your_calm);
}

TEST(GrpcSession, ReportsEveryResetSoThatTheyAreCounted) {
  Http2Client client;
  client.feed(Http2Client::preface());

  client.feed(client.headers(1, Http2Client::request("/a/B")) + Http2Client::reset(1));
  attach_all(client);
  client.feed(client.headers(3, Http2Client::request("/a/B")) + Http2Client::reset(3));

  EXPECT_EQ(client.events.back().type, EventType::cancelled);
  EXPECT_EQ(client.events.back().context, &client.events);
  EXPECT_EQ(client.events.back().status.origin(), StatusOrigin::peer);
  EXPECT_EQ(client.session().open_calls(), 0u);
}

TEST(GrpcSession, ReportsCallsThatAClientMakesItReset) {
  const std::string too_much = Http2Client::data(1, "123456");
  for (const std::string& wrong : {Http2Client::window_update(1, 0), Http2Client::window_update(1, 0x7FFFFFFF),
                                   too_much, Http2Client::data(1, Http2Client::message("x", 2).substr(0, 5))}) {
    Http2Client client;
    attach_all(client);
    client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B", {{"content-length", "5"}})));

    client.feed(wrong);

    EXPECT_EQ(client.events.back().type, EventType::cancelled);
    EXPECT_EQ(client.events.back().context, &client.events);
    EXPECT_EQ(client.events.back().status.code(), StatusCode::internal);
    EXPECT_EQ(client.events.back().status.origin(), StatusOrigin::peer);
    EXPECT_EQ(client.session().open_calls(), 0u);
  }
}

TEST(GrpcSession, ReportsCallsThatAClientMakesItResetAfterTheirEnd) {
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface() + Http2Client::settings({{http::http2::SettingId::initial_window_size, 0}}) +
              client.headers(1, Http2Client::request("/a/B"), true));
  static_cast<void>(client.session().finish(1, {}, kit::payload("x"), nullptr, false));

  client.feed(Http2Client::window_update(1, 0));

  EXPECT_EQ(client.events.back().type, EventType::cancelled);
  EXPECT_EQ(client.events.back().context, nullptr);
  EXPECT_EQ(client.events.back().status.origin(), StatusOrigin::peer);
}

TEST(GrpcSession, SendsAsMuchAsTheWindowsAllow) {
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface() + Http2Client::settings({{http::http2::SettingId::initial_window_size, 10}}) +
              client.headers(1, Http2Client::request("/a/B"), true));
  client.sent();
  GrpcSession& session = client.session();

  static_cast<void>(session.finish(1, {}, kit::payload("0123456789abcdef"), nullptr, false));

  EXPECT_THAT(shape_of(client.sent()), ElementsAre("HEADERS 1", "DATA 1", "DATA 1"));
  EXPECT_FALSE(session.has_output());
  client.feed(Http2Client::window_update(1, 4));
  const std::vector<Sent> next = client.sent();
  ASSERT_THAT(shape_of(next), ElementsAre("DATA 1"));
  EXPECT_EQ(next[0].payload, "5678");
  client.feed(Http2Client::settings({{http::http2::SettingId::initial_window_size, 100}}));
  EXPECT_THAT(shape_of(client.sent()), ElementsAre("SETTINGS 0", "DATA 1", "HEADERS 1 end"));
  EXPECT_EQ(session.open_calls(), 0u);
}

/// All of a message stays in memory until its last byte has been taken.
TEST(GrpcSession, CountsMessagesThatAreSentInPart) {
  constexpr std::size_t size = 100000;
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface() +
              Http2Client::settings({{http::http2::SettingId::initial_window_size, size + 4}}) +
              Http2Client::window_update(0, 1 << 20) + client.headers(1, Http2Client::request("/a/B"), true));

  ASSERT_TRUE(client.session().send(1, kit::payload(std::string(size, 'x')), nullptr, false).is_ok());
  client.sent();
  const std::size_t held = client.session().held_bytes();
  const std::size_t unsent = client.session().unsent_bytes();
  client.feed(Http2Client::window_update(1, 1));
  client.sent();

  EXPECT_EQ(unsent, 1u);
  EXPECT_GE(held, size);
  EXPECT_LT(client.session().held_bytes(), 4096u);
}

/// The client stops one byte before the end, and others want the memory.
TEST(GrpcSession, EndsAConnectionThatLeavesTheEndsOfMessages) {
  constexpr std::size_t size = 100000;
  MemoryBudget budget(1 << 20, 100000);
  SessionOptions options = kit::plain_options();
  options.memory = &budget;
  options.limits.stall_timeout = 20s;
  Http2Client client(options);
  attach_all(client);
  client.feed(Http2Client::preface() +
              Http2Client::settings({{http::http2::SettingId::initial_window_size, size + 4}}) +
              Http2Client::window_update(0, 1 << 20) + client.headers(1, Http2Client::request("/a/B"), true));
  ASSERT_TRUE(client.session().send(1, kit::payload(std::string(size, 'x')), nullptr, false).is_ok());
  client.sent();

  budget.add(1 << 20);
  for (int second = 0; second < 60 && !client.session().is_closed(); ++second) client.advance(1s);

  EXPECT_TRUE(client.session().is_closed());
  budget.subtract(1 << 20);
}

TEST(GrpcSession, SendsNothingOnceSettingsHaveShutAWindow) {
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface() + Http2Client::settings({{http::http2::SettingId::initial_window_size, 10}}) +
              client.headers(1, Http2Client::request("/a/B"), true));
  client.sent();
  static_cast<void>(client.session().finish(1, {}, kit::payload("0123456789abcdef"), nullptr, false));

  client.feed(Http2Client::settings({{http::http2::SettingId::initial_window_size, 0}}));

  EXPECT_THAT(shape_of(client.sent()), ElementsAre("HEADERS 1", "SETTINGS 0"));
  client.feed(Http2Client::window_update(1, 100));
  EXPECT_THAT(shape_of(client.sent()), ElementsAre("DATA 1", "DATA 1", "HEADERS 1 end"));
}

TEST(GrpcSession, SendsLongMessagesInChunksAlsoIfTheClientTakesLongerFrames) {
  SessionOptions options = kit::plain_options();
  options.limits.chunk_bytes = 64 << 10;
  Http2Client client(options);
  attach_all(client);
  client.feed(Http2Client::preface() +
              Http2Client::settings({{http::http2::SettingId::max_frame_size, http::http2::max_frame_bytes_limit},
                                     {http::http2::SettingId::initial_window_size, 16 << 20}}) +
              Http2Client::window_update(0, 16 << 20) + client.headers(1, Http2Client::request("/a/B"), true));
  client.feed(client.headers(3, Http2Client::request("/a/B"), true));
  client.sent();

  for (const CallId id : {1, 3}) {
    static_cast<void>(client.session().send(id, kit::payload(std::string(200 << 10, 'x')), nullptr, false));
  }

  std::vector<std::uint32_t> order;
  for (const Sent& frame : Http2Client::of_type(client.sent(), FrameType::data)) {
    EXPECT_LE(frame.payload.size(), 64u << 10);
    if (frame.payload.size() > 5) order.push_back(frame.stream);
  }
  ASSERT_EQ(order.size(), 8u);
  const auto other = std::find(order.begin(), order.end(), 3u);
  EXPECT_LT(other - order.begin(), 3) << "the other stream does not wait for the whole message";
}

TEST(GrpcSession, GoesThroughTheLeastTableOfHeaders) {
  Http2Client client;
  echo_in_place(client);
  client.feed(Http2Client::preface());
  client.sent();

  client.feed(Http2Client::settings(
                  {{http::http2::SettingId::header_table_size, 0}, {http::http2::SettingId::header_table_size, 4096}}) +
              client.headers(1, Http2Client::request("/a/B"), true));
  client.turn();

  const std::vector<Sent> blocks = Http2Client::of_type(client.sent(), FrameType::headers);
  ASSERT_FALSE(blocks.empty());
  EXPECT_EQ(blocks[0].payload.substr(0, 4), "\x20\x3F\xE1\x1F") << "size updates to 0 and to 4096";
}

TEST(GrpcSession, LetsStreamsTakeTurns) {
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B"), true));
  client.feed(client.headers(3, Http2Client::request("/a/B"), true));
  client.sent();

  for (const CallId id : {1, 3}) {
    static_cast<void>(client.session().send(id, kit::payload(std::string(20000, 'x')), nullptr, false));
  }

  std::vector<std::uint32_t> order;
  for (const Sent& frame : Http2Client::of_type(client.sent(), FrameType::data)) {
    if (frame.payload.size() > 5) order.push_back(frame.stream);
  }
  EXPECT_THAT(order, ElementsAre(1, 3, 1, 3));
}

std::vector<std::size_t> sizes_of_data(const std::vector<Sent>& frames) {
  std::vector<std::size_t> sizes;
  for (const Sent& frame : Http2Client::of_type(frames, FrameType::data)) sizes.push_back(frame.payload.size());
  return sizes;
}

TEST(GrpcSession, SendsFramesAsLongAsTheClientAcceptsAndChunksAllow) {
  constexpr std::size_t prefix = 5;
  constexpr std::size_t longest = 128 << 10;
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface() +
              Http2Client::settings({{http::http2::SettingId::initial_window_size, 1 << 24},
                                     {http::http2::SettingId::max_frame_size, 1 << 22}}) +
              Http2Client::window_update(0, 1 << 24) + client.headers(1, Http2Client::request("/a/B"), true));
  client.sent();
  const auto send = [&](std::size_t size) {
    static_cast<void>(client.session().send(1, kit::payload(std::string(size, 'x')), nullptr, false));
    return sizes_of_data(client.sent());
  };

  EXPECT_THAT(send(65536), ElementsAre(prefix + 65536));
  EXPECT_THAT(send(longest - prefix), ElementsAre(longest));
  std::size_t sum = 0;
  for (const std::size_t size : send(3 * longest)) {
    EXPECT_LE(size, longest);
    sum += size;
  }
  EXPECT_EQ(sum, prefix + 3 * longest);
}

/// A message in frames of the size that holds before SETTINGS say anything else.
std::string in_short_frames(std::uint32_t stream, std::string_view bytes) {
  std::string frames;
  for (std::size_t at = 0; at < bytes.size(); at += http::http2::min_max_frame_bytes) {
    const std::string_view part = bytes.substr(at, http::http2::min_max_frame_bytes);
    frames += Http2Client::data(stream, part, at + part.size() == bytes.size());
  }
  return frames;
}

TEST(GrpcSession, ExpectsNoAnswerOfAClientThatHasOnlyBackgroundCalls) {
  using namespace std::chrono_literals;
  SessionOptions options = kit::plain_options();
  options.limits.keepalive_interval = 10s;
  options.limits.keepalive_timeout = 3s;
  Http2Client client(options);
  attach_all(client);
  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B"), true));
  client.sent();

  client.background = 1;
  client.advance(11s);
  EXPECT_THAT(client.sent(), testing::IsEmpty());
  client.background = 0;
  client.advance(11s);
  EXPECT_THAT(shape_of(client.sent()), ElementsAre("PING 0"));
  client.background = 1;
  client.advance(4s);
  EXPECT_FALSE(client.session().is_closed()) << "its other calls have ended before it has answered";
  client.background = 0;
  client.advance(11s);
  client.advance(4s);
  EXPECT_TRUE(client.session().is_closed());
}

/// A connection with one call, whose application keeps what it gets.
struct Unread {
  explicit Unread(SessionOptions options) : client(options) {
    client.on_event = [this](Event& event) {
      if (event.type == EventType::call) client.session().attach(event.id, &client.events);
      event.is_retained = event.has_message;
    };
    client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B")));
    client.sent();
    client.turn();
    client.sent();
  }
  /// Turns once a second, also where nothing comes.
  void wait(int seconds) {
    std::array<MutableByteSpan, 2> room;
    for (; seconds > 0 && !client.session().is_closed(); --seconds) {
      static_cast<void>(client.session().prepare_receive(room));
      client.advance(1s);
    }
  }

  Http2Client client;
};

/// A pong of the client's may wait in the socket.
TEST(GrpcSession, ExpectsNoAnswerWhileItDoesNotReadForWantOfMemory) {
  MemoryBudget budget(1 << 20, 100000);
  SessionOptions options = kit::plain_options();
  options.memory = &budget;
  options.limits.keepalive_interval = 10s;
  options.limits.keepalive_timeout = 3s;
  Unread unread(options);
  const std::string message = Http2Client::data(1, Http2Client::message(std::string(16000, 'x')));
  for (int i = 0; i < 5; ++i) unread.client.feed(message);

  budget.add(1 << 20);
  unread.wait(60);
  EXPECT_FALSE(unread.client.session().is_closed());
  budget.subtract(1 << 20);
  unread.wait(60);

  EXPECT_TRUE(unread.client.session().is_closed()) << "it reads again, and the client is silent";
}

/// The rest of the message may wait in the socket until the client has taken some output.
TEST(GrpcSession, BlamesNobodyForAnIncompleteMessageWhileItDoesNotRead) {
  SessionOptions options = kit::plain_options();
  options.limits.max_unsent_bytes = 10;
  options.limits.stall_timeout = 20s;
  options.limits.max_message_bytes = 100000;
  Unread unread(options);
  unread.client.feed(
      Http2Client::data(1, std::string_view(Http2Client::message(std::string(100000, 'x'))).substr(0, 16000)));
  unread.client.feed(Http2Client::ping(false, "12345678"));

  for (int second = 0; second < 100; ++second) unread.wait(1);
  EXPECT_FALSE(unread.client.session().is_closed());
  unread.client.sent();
  unread.wait(100);

  EXPECT_TRUE(unread.client.session().is_closed()) << "it reads again, and nothing comes";
}

/// The client may send nothing more on the stream until earlier messages have been taken.
TEST(GrpcSession, BlamesNobodyForAnIncompleteMessageThatHasNoWindow) {
  SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = 64 << 10;
  options.limits.stall_timeout = 20s;
  options.limits.max_message_bytes = 100000;
  Unread unread(options);
  const std::string message = Http2Client::message(std::string(16000, 'x'));
  for (int i = 0; i < 4; ++i) unread.client.feed(Http2Client::data(1, message));
  const std::size_t left = (64 << 10) - 4 * message.size();
  unread.client.feed(
      Http2Client::data(1, std::string_view(Http2Client::message(std::string(100000, 'x'))).substr(0, left)));

  unread.wait(100);
  EXPECT_FALSE(unread.client.session().is_closed());
  for (const Seen& event : unread.client.events) {
    if (event.has_message) unread.client.session().release(1, event.credit);
  }
  unread.wait(100);

  EXPECT_TRUE(unread.client.session().is_closed()) << "its window is open, and nothing comes";
}

TEST(GrpcSession, AllowsLongFramesOnceAMessageNeedsThem) {
  constexpr auto max_frame_size = http::http2::SettingId::max_frame_size;
  constexpr std::uint32_t longest = 128 << 10;
  const std::string fits = Http2Client::message(std::string(http::http2::min_max_frame_bytes - 5, 'x'));
  const std::string is_longer = Http2Client::message(std::string(http::http2::min_max_frame_bytes - 4, 'x'));
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface());
  EXPECT_THAT(Http2Client::announced(client.sent(), max_frame_size), testing::IsEmpty());

  client.feed(client.headers(1, Http2Client::request("/a/B")) + in_short_frames(1, fits), 1000);
  EXPECT_THAT(Http2Client::announced(client.sent(), max_frame_size), testing::IsEmpty());
  client.feed(client.headers(3, Http2Client::request("/a/B")) + in_short_frames(3, is_longer));
  EXPECT_THAT(Http2Client::announced(client.sent(), max_frame_size), ElementsAre(longest));
  client.feed(client.headers(5, Http2Client::request("/a/B")) + in_short_frames(5, is_longer));
  EXPECT_THAT(Http2Client::announced(client.sent(), max_frame_size), testing::IsEmpty());
}

TEST(GrpcSession, TakesFramesAsLongAsItAnnounces) {
  constexpr std::uint32_t longest = 128 << 10;
  const std::string message(longest - 5, 'y');
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B")) +
              in_short_frames(1, Http2Client::message(message)));
  client.sent();

  client.feed(
      client.headers(3, Http2Client::request("/a/B")) + Http2Client::data(3, Http2Client::message(message), true),
      10000);
  EXPECT_EQ(client.events.back().id, 3u);
  EXPECT_TRUE(client.events.back().end);
  EXPECT_EQ(client.events.back().payload, message);

  client.feed(client.headers(5, Http2Client::request("/a/B")) + Http2Client::data(5, std::string(longest + 1, 'y')));
  EXPECT_EQ(Http2Client::of_type(client.sent(), FrameType::goaway).size(), 1u);
}

TEST(GrpcSession, TakesALongBlockOfHeadersInOneFrame) {
  constexpr std::uint32_t longest = 128 << 10;
  SessionOptions options = kit::plain_options();
  options.limits.max_header_bytes = 64 << 10;
  Http2Client client(options);
  attach_all(client);
  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B")) +
              in_short_frames(1, Http2Client::message(std::string(20000, 'x'))));
  client.sent();
  const auto call = [&](std::uint32_t id, std::size_t size) {
    // No byte of it becomes shorter by the code of Huffman.
    client.feed(client.headers(id, Http2Client::request("/a/B", {{"long", std::string(size, '~')}}), true, longest));
  };

  call(3, 60000);
  EXPECT_EQ(client.events.back().id, 3u);
  EXPECT_TRUE(client.events.back().metadata.get("long") == std::string(60000, '~'));
  call(5, 70000);
  const std::vector<Sent> frames = client.sent();

  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 5 end"));
  EXPECT_EQ(frames[0].fields.at("grpc-status"), "8");
  EXPECT_THAT(frames[0].fields.at("grpc-message"), HasSubstr("more than max_header_bytes 65536"));
  EXPECT_FALSE(client.session().is_closed());
}

TEST(GrpcSession, RefusesAnyBlockOfHeadersThatFitsIntoAFrameByItsStream) {
  constexpr std::uint32_t longest = 128 << 10;
  for (const std::uint32_t frame_bytes : {http::http2::min_max_frame_bytes, longest}) {
    Http2Client client;
    attach_all(client);
    client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B")) +
                in_short_frames(1, Http2Client::message(std::string(20000, 'x'))));
    client.sent();

    client.feed(
        client.headers(3, Http2Client::request("/a/B", {{"long", std::string(130000, '~')}}), true, frame_bytes));

    const std::vector<Sent> frames = client.sent();
    ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 3 end"));
    EXPECT_EQ(frames[0].fields.at("grpc-status"), "8");
    client.feed(client.headers(5, Http2Client::request("/a/B"), true));
    EXPECT_EQ(client.events.back().id, 5u);
  }
}

TEST(GrpcSession, SaysWhenAQueuedCallMayWriteAgain) {
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface() + Http2Client::settings({{http::http2::SettingId::initial_window_size, 0}}) +
              client.headers(1, Http2Client::request("/a/B"), true));
  GrpcSession& session = client.session();

  static_cast<void>(session.send(1, kit::payload("x"), nullptr, false));
  EXPECT_FALSE(session.is_writable(1));
  client.feed(Http2Client::window_update(1, 100));
  client.sent();
  client.turn();

  EXPECT_EQ(client.events.back().type, EventType::writable);
  EXPECT_TRUE(session.is_writable(1));
}

TEST(GrpcSession, OpensWindowsAsMessagesAreTaken) {
  SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = 64 << 10;
  Http2Client client(options);
  attach_all(client);
  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B")));
  client.sent();
  const std::string message = Http2Client::data(1, Http2Client::message(std::string(16000, 'x')));

  client.feed(message + message);
  EXPECT_TRUE(Http2Client::of_type(client.sent(), FrameType::window_update).empty());
  client.feed(message + message);
  client.turn();

  const std::vector<Sent> updates = Http2Client::of_type(client.sent(), FrameType::window_update);
  ASSERT_EQ(updates.size(), 1u);
  EXPECT_EQ(updates[0].stream, 1u);
  EXPECT_GE(code_of(updates[0]), 32u << 10);
}

TEST(GrpcSession, KeepsWindowsShutWhileMessagesAreUnread) {
  SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = 64 << 10;
  Http2Client client(options);
  client.on_event = [&client](Event& event) {
    if (event.type == EventType::call) client.session().attach(event.id, &client.events);
    event.is_retained = event.has_message;
  };
  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B")));
  client.sent();
  const std::string message = Http2Client::data(1, Http2Client::message(std::string(16000, 'x')));

  client.feed(message + message + message + message);
  EXPECT_TRUE(Http2Client::of_type(client.sent(), FrameType::window_update).empty());
  EXPECT_GE(client.session().held_bytes(), 64000u);
  for (const Seen& event : client.events) {
    if (event.has_message) client.session().release(1, event.credit);
  }

  EXPECT_EQ(Http2Client::of_type(client.sent(), FrameType::window_update).size(), 1u);
}

/// A message may be taken and given back while its event is in hand.
TEST(GrpcSession, OpensTheWindowByNoMoreThanHasComeWhenAMessageIsReleasedInItsEvent) {
  SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = 64 << 10;
  Http2Client client(options);
  client.on_event = [&client](Event& event) {
    if (event.type == EventType::call) client.session().attach(event.id, &client.events);
    if (!event.has_message) return;
    event.is_retained = true;
    client.session().release(event.id, event.credit);
  };
  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B")));
  client.sent();
  const std::string message = Http2Client::message(std::string(16000, 'x'));

  constexpr std::size_t count = 30;
  std::size_t granted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    // In two frames, so that it is gathered.
    client.feed(Http2Client::data(1, std::string_view(message).substr(0, 8000)));
    client.feed(Http2Client::data(1, std::string_view(message).substr(8000)));
    for (const Sent& update : Http2Client::of_type(client.sent(), FrameType::window_update)) {
      if (update.stream == 1) granted += code_of(update);
    }
    EXPECT_LE(granted, (i + 1) * message.size());
  }
  EXPECT_GE(granted + (32 << 10), count * message.size());
  EXPECT_LT(client.session().held_bytes(), 4096u);
}

/// Messages that take more memory than their bytes: empty ones, also with prefixes that come in parts, and gathered
/// ones.
TEST(GrpcSession, ChargesWhatUnreadMessagesOccupy) {
  const std::string empty = Http2Client::message("");
  const std::string two = Http2Client::message("xy");
  const std::vector<std::vector<std::string>> shapes{
      {empty}, {empty.substr(0, 4), empty.substr(4)}, {empty.substr(0, 1), empty.substr(1)}, {two.substr(0, 6), "y"}};
  for (const std::vector<std::string>& shape : shapes) {
    SessionOptions options = kit::plain_options();
    options.limits.call_credit_bytes = 64 << 10;
    Http2Client client(options);
    client.on_event = [&client](Event& event) {
      if (event.type == EventType::call) client.session().attach(event.id, &client.events);
      event.is_retained = event.has_message;
    };
    client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B")));
    client.sent();
    std::string frames;
    for (const std::string& part : shape) frames += Http2Client::data(1, part);

    constexpr std::size_t count = 9000;
    for (std::size_t i = 0; i < count; ++i) client.feed(frames);

    EXPECT_GE(client.session().held_bytes(), 16 * count);
    for (const Sent& update : Http2Client::of_type(client.sent(), FrameType::window_update)) {
      EXPECT_NE(update.stream, 1u) << "while nothing is read";
    }
    for (const Seen& event : client.events) {
      if (event.has_message) client.session().release(1, event.credit);
    }
    std::uint32_t granted = 0;
    for (const Sent& update : Http2Client::of_type(client.sent(), FrameType::window_update)) {
      if (update.stream == 1) granted += code_of(update);
    }
    EXPECT_GE(granted, 32u << 10);
    EXPECT_LT(client.session().held_bytes(), 4096u);
  }
}

TEST(GrpcSession, OpensTheWindowForPartsOfMessagesThatGoNowhere) {
  SessionOptions options = kit::plain_options();
  options.limits.connection_credit_bytes = 65535;
  Http2Client client(options);
  attach_all(client);
  client.feed(Http2Client::preface());
  client.sent();
  const std::string message = Http2Client::message("long");
  std::size_t sent = 0;
  std::size_t granted = 65535;

  for (std::uint32_t id = 1; id < 40000 && !client.session().is_closed(); id += 2) {
    const std::size_t part = 1 + id / 2 % 8;
    const std::string headers = client.headers(id, Http2Client::request("/a/B"));
    client.feed(headers);
    client.feed(Http2Client::data(id, message.substr(0, part)));
    sent += part;
    switch (id / 2 % 3) {
      case 0:
        client.feed(Http2Client::reset(id));
        break;
      case 1:
        client.feed(Http2Client::window_update(id, 0));
        break;
      default:
        client.feed(Http2Client::data(id, "", true));
        break;
    }
    for (const Sent& update : Http2Client::of_type(client.sent(), FrameType::window_update)) {
      if (update.stream == 0) granted += code_of(update);
    }
    ASSERT_LE(granted - sent, 65535u);
  }

  EXPECT_FALSE(client.session().is_closed());
  EXPECT_GE(granted - sent, 65535u / 2);
}

TEST(GrpcSession, RefusesDataBeyondAWindow) {
  SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = 64 << 10;
  Http2Client client(options);
  client.on_event = [&client](Event& event) {
    if (event.type == EventType::call) client.session().attach(event.id, &client.events);
    event.is_retained = event.has_message;
  };
  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B")));
  client.sent();
  const std::string message = Http2Client::data(1, Http2Client::message(std::string(16000, 'x')));

  for (int i = 0; i < 5; ++i) client.feed(message);

  const std::vector<Sent> resets = Http2Client::of_type(client.sent(), FrameType::rst_stream);
  ASSERT_EQ(resets.size(), 1u);
  EXPECT_EQ(code_of(resets[0]), static_cast<std::uint32_t>(ErrorCode::flow_control_error));
  EXPECT_EQ(client.events.back().type, EventType::cancelled);
}

TEST(GrpcSession, GathersMessagesLongerThanTheWindow) {
  SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = 64 << 10;
  Http2Client client(options);
  attach_all(client);
  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B")));
  std::string text(500000, '\0');
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i * 7 / 3);
  const std::string message = Http2Client::message(text);

  std::int64_t window = 64 << 10;
  for (std::size_t at = 0; at < message.size(); at += 16000) {
    const std::string_view part = std::string_view(message).substr(at, 16000);
    window -= static_cast<std::int64_t>(part.size());
    ASSERT_GE(window, 0) << at;
    client.feed(Http2Client::data(1, part, at + 16000 >= message.size()));
    for (const Sent& update : Http2Client::of_type(client.sent(), FrameType::window_update)) {
      if (update.stream == 1) window += code_of(update);
    }
  }

  EXPECT_EQ(client.events.back().payload, text);
  EXPECT_TRUE(client.events.back().end);
}

/// A client that sends one message of `bytes` at the other end of a link with a round trip of 100 ms, as fast as its
/// windows allow. Returns after how many round trips the message is there.
std::size_t round_trips_of(const SessionOptions& options, std::size_t bytes, int calls = 1) {
  constexpr std::size_t frame_bytes = http::http2::min_max_frame_bytes;
  Http2Client client(options);
  attach_all(client);
  const std::string message = Http2Client::message(std::string(bytes, 'x'));
  std::int64_t initial = 65535, connection = 65535, window = 65535;
  std::size_t at = 0;
  std::uint32_t id = 1;
  const auto send = [&] {
    while (at < message.size() && std::min(window, connection) > 0) {
      const std::size_t room = static_cast<std::size_t>(std::min(window, connection));
      const std::size_t size = std::min({frame_bytes, message.size() - at, room});
      client.feed(Http2Client::data(id, std::string_view(message).substr(at, size), at + size == message.size()));
      at += size;
      window -= static_cast<std::int64_t>(size);
      connection -= static_cast<std::int64_t>(size);
    }
  };
  const auto take = [&](const Sent& frame) {
    if (frame.type == FrameType::ping) client.feed(Http2Client::ping(true, frame.payload));
    if (frame.type == FrameType::window_update) {
      if (frame.stream == 0) connection += code_of(frame);
      if (frame.stream == id) window += code_of(frame);
    }
    if (frame.type != FrameType::settings) return;
    http::http2::SettingsReader reader(as_bytes(frame.payload));
    for (http::http2::Setting setting; reader.next(setting);) {
      if (setting.id != http::http2::SettingId::initial_window_size) continue;
      window += setting.value - initial;
      initial = setting.value;
    }
  };
  client.feed(Http2Client::preface());
  for (const Sent& frame : client.sent()) take(frame);
  std::size_t trips = 0;
  for (int call = 0; call < calls; ++call, id += 2) {
    client.feed(client.headers(id, Http2Client::request("/a/B")));
    window = initial;
    at = 0;
    for (; at < message.size() && trips < 1000; ++trips) {
      // In their order: what a frame allows is sent before the next one is looked at.
      for (const Sent& frame : client.sent()) {
        take(frame);
        send();
      }
      send();
      client.advance(100ms);
    }
    EXPECT_EQ(client.events.back().payload.size(), bytes);
  }
  EXPECT_FALSE(client.session().is_closed());
  return trips;
}

TEST(GrpcSession, OpensWindowsWiderWhereTheNetworkIsSlow) {
  constexpr std::size_t bytes = 32 << 20;
  const SessionOptions fixed = kit::plain_options();
  SessionOptions growing = kit::plain_options();
  growing.limits.max_call_credit_bytes = 8 << 20;
  SessionOptions narrow = growing;
  narrow.limits.call_credit_bytes = 64 << 10;
  MemoryBudget budget(256 << 20, 64 << 20);
  SessionOptions short_of_memory = growing;
  short_of_memory.memory = &budget;
  budget.add(129 << 20);

  EXPECT_EQ(round_trips_of(fixed, bytes), 33u) << "1 MiB each";
  EXPECT_LE(round_trips_of(growing, bytes), 12u);
  EXPECT_LE(round_trips_of(narrow, bytes), 24u) << "513 without growth";
  EXPECT_EQ(round_trips_of(short_of_memory, bytes), 99u + 33u) << "it waits for room for ten seconds";
  budget.subtract(129 << 20);
}

/// The client knows of no other window than the one that the settings have announced.
TEST(GrpcSession, BeginsCallsWithTheAnnouncedWindowAlsoAfterOthersHaveGrown) {
  SessionOptions growing = kit::plain_options();
  growing.limits.max_call_credit_bytes = 8 << 20;

  EXPECT_LE(round_trips_of(growing, 32 << 20, 3), 36u);
}

TEST(GrpcSession, MakesLongMessagesWaitForMemory) {
  MemoryBudget budget(1 << 20, 100000);
  SessionOptions options = kit::plain_options();
  options.memory = &budget;
  options.limits.call_credit_bytes = 64 << 10;
  options.limits.max_message_bytes = 100000;
  Http2Client client(options);
  attach_all(client);
  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B")));
  const void* const other = &budget;
  budget.add(800 << 10);
  ASSERT_TRUE(budget.try_add_from_reserve(0, other));
  const std::string message = Http2Client::message(std::string(100000, 'x'));
  client.sent();

  for (std::size_t at = 0; at < 64000; at += 16000)
    client.feed(Http2Client::data(1, std::string_view(message).substr(at, 16000)));
  EXPECT_TRUE(Http2Client::of_type(client.sent(), FrameType::window_update).empty());
  budget.subtract(800 << 10);
  budget.free_reserve(other);
  client.advance(200ms);

  EXPECT_EQ(Http2Client::of_type(client.sent(), FrameType::window_update).size(), 1u);
  for (std::size_t at = 64000; at < message.size(); at += 16000) {
    client.feed(Http2Client::data(1, std::string_view(message).substr(at, 16000)));
  }
  EXPECT_EQ(client.events.back().payload.size(), 100000u);
}

/// A client that interleaves the messages of `calls` calls frame by frame, as far as its windows allow. Returns how
/// many have ended when it can send nothing more.
std::size_t uploads_that_end(const SessionOptions& options, std::uint32_t calls, std::size_t bytes) {
  constexpr std::size_t frame_bytes = 16000;
  Http2Client client(options);
  attach_all(client);
  const std::string message = Http2Client::message(std::string(bytes, 'x'));
  struct Upload {
    std::size_t at = 0;
    std::int64_t window = 0;
  };
  std::map<std::uint32_t, Upload> uploads;
  std::int64_t connection = options.limits.connection_credit_bytes;
  client.feed(Http2Client::preface());
  client.sent();
  for (std::uint32_t i = 0; i < calls; ++i) {
    client.feed(client.headers(2 * i + 1, Http2Client::request("/a/B")));
    uploads[2 * i + 1].window = options.limits.call_credit_bytes;
  }
  for (bool has_sent = true; has_sent;) {
    has_sent = false;
    for (auto& [id, upload] : uploads) {
      const std::int64_t window = std::min(upload.window, connection);
      if (window <= 0 || upload.at == message.size()) continue;
      const std::size_t size = std::min({frame_bytes, message.size() - upload.at, static_cast<std::size_t>(window)});
      const bool is_end = upload.at + size == message.size();
      client.feed(Http2Client::data(id, std::string_view(message).substr(upload.at, size), is_end));
      upload.at += size;
      upload.window -= static_cast<std::int64_t>(size);
      connection -= static_cast<std::int64_t>(size);
      has_sent = true;
    }
    if (!has_sent) client.advance(200ms);
    for (const Sent& update : Http2Client::of_type(client.sent(), FrameType::window_update)) {
      (update.stream == 0 ? connection : uploads[update.stream].window) += code_of(update);
      has_sent = true;
    }
  }
  EXPECT_FALSE(client.session().is_closed());
  return static_cast<std::size_t>(std::count_if(client.events.begin(), client.events.end(), [&](const Seen& event) {
    return event.has_message && event.payload.size() == bytes;
  }));
}

/// What waits for room may not use up the connection's window, which the message that has room needs.
TEST(GrpcSession, CompletesOneMessageAfterTheOtherHoweverManyInterleave) {
  SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = 64 << 10;
  options.limits.connection_credit_bytes = 1 << 20;
  options.limits.max_message_bytes = options.limits.max_unread_bytes = 200000;
  MemoryBudget budget(8 << 20, 200000);
  SessionOptions with_budget = options;
  with_budget.memory = &budget;

  EXPECT_EQ(uploads_that_end(options, 10, 200000), 10u);
  EXPECT_EQ(uploads_that_end(options, 100, 200000), 100u);
  EXPECT_EQ(uploads_that_end(with_budget, 60, 200000), 60u);
  EXPECT_EQ(budget.used(), 0u);
}

/// Nor may it use up the memory of others.
TEST(GrpcSession, LetsNoMoreInterleaveThanTheBudgetHas) {
  SessionOptions options = kit::plain_options();
  options.limits.call_credit_bytes = 64 << 10;
  options.limits.connection_credit_bytes = 1 << 20;
  options.limits.max_message_bytes = options.limits.max_unread_bytes = 200000;
  MemoryBudget budget(2 << 20, 200000);
  options.memory = &budget;

  EXPECT_LT(uploads_that_end(options, 100, 200000), 100u);
  EXPECT_EQ(budget.used(), 0u);
}

/// The deadline has passed, and its event has not been taken: what finishes the call must learn that it came too late.
TEST(GrpcSession, SaysThatTheDeadlineHasEndedACallThatIsFinished) {
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface() +
              client.headers(1, Http2Client::request("/a/B", {{"grpc-timeout", "10m"}}), true));
  client.sent();
  client.pass(20ms);

  const Status sent = client.session().finish(1, {}, kit::payload("x"), nullptr, false);
  client.turn();

  EXPECT_EQ(sent.code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(client.sent().at(0).fields.at("grpc-status"), "4");
  EXPECT_TRUE(client.events.empty() || client.events.back().type == EventType::call);
  EXPECT_TRUE(client.session().finish(1, {}, kit::payload("x"), nullptr, false).is_ok());
}

TEST(GrpcSession, EndsCallsAtTheirDeadline) {
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface() +
              client.headers(1, Http2Client::request("/a/B", {{"grpc-timeout", "10m"}}), true));
  client.sent();

  client.advance(20ms);

  EXPECT_EQ(client.events.back().type, EventType::cancelled);
  EXPECT_EQ(client.events.back().status.code(), StatusCode::deadline_exceeded);
  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1 end"));
  EXPECT_EQ(frames[0].fields.at("grpc-status"), "4");
}

TEST(GrpcSession, DrainsInTwoSteps) {
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B"), true));
  client.sent();
  GrpcSession& session = client.session();

  session.drain();
  const std::vector<Sent> first = client.sent();
  ASSERT_THAT(shape_of(first), ElementsAre("GOAWAY 0", "PING 0"));
  EXPECT_EQ(code_of(first[0]), 0x7FFFFFFFu);
  client.feed(client.headers(3, Http2Client::request("/a/B"), true));
  EXPECT_EQ(client.events.back().id, 3u);
  client.feed(Http2Client::ping(true, first[1].payload));
  const std::vector<Sent> second = client.sent();
  ASSERT_THAT(shape_of(second), ElementsAre("GOAWAY 0"));
  EXPECT_EQ(code_of(second[0]), 3u);
  client.feed(client.headers(5, Http2Client::request("/a/B"), true));
  EXPECT_EQ(client.events.back().id, 3u);
  EXPECT_FALSE(session.is_drained());
  for (const CallId id : {1, 3}) static_cast<void>(session.finish(id, {}, kit::payload("x"), nullptr, false));
  client.sent();

  EXPECT_TRUE(session.is_drained());
}

TEST(GrpcSession, NamesNoLaterStreamThanBefore) {
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B"), true));
  client.session().drain();
  client.feed(Http2Client::ping(true, client.sent().back().payload));
  const std::vector<Sent> last = Http2Client::of_type(client.sent(), FrameType::goaway);
  ASSERT_EQ(last.size(), 1u);
  EXPECT_EQ(code_of(last[0]), 1u);

  client.feed(client.headers(3, Http2Client::request("/a/B"), true));
  client.session().close({StatusCode::unavailable, "too old"});

  const std::vector<Sent> closing = Http2Client::of_type(client.sent(), FrameType::goaway);
  ASSERT_EQ(closing.size(), 1u);
  EXPECT_EQ(code_of(closing[0]), 1u);
}

TEST(GrpcSession, EndsACallOnceThatEndsWhileItsResponseIsEncoded) {
  const auto codec = std::make_shared<BusyCodec>();
  const CodecRegistry codecs = CodecRegistry().add(codec);
  SessionOptions options = kit::plain_options();
  options.codecs = &codecs;
  Http2Client client(options);
  attach_all(client);
  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B"), true));
  client.sent();
  codec->meanwhile = [&client] { client.feed(Http2Client::reset(1)); };
  const Plain response;

  const OutgoingMessage message{.codec = codec.get(), .message = MessageView::of(response)};
  const Status sent = client.session().finish(1, {}, message, nullptr, false);

  EXPECT_EQ(sent.code(), StatusCode::cancelled);
  EXPECT_EQ(client.events.back().type, EventType::cancelled);
  EXPECT_TRUE(client.sent().empty());
}

/// Its first call may be on its way, and proxies do not repeat a call that a GOAWAY does not cover.
TEST(GrpcSession, DrainsInTwoStepsAlsoIfTheClientHasNotSentItsSettings) {
  Http2Client client;
  attach_all(client);

  client.session().drain();
  client.session().drain();
  EXPECT_FALSE(client.session().is_drained());
  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B"), true));
  const std::vector<Sent> first = Http2Client::of_type(client.sent(), FrameType::goaway);
  ASSERT_EQ(first.size(), 1u);
  EXPECT_EQ(code_of(first[0]), 0x7FFFFFFFu);
  ASSERT_EQ(client.session().open_calls(), 1u);

  client.feed(Http2Client::ping(true, "goaway\0\1"s));
  const std::vector<Sent> second = Http2Client::of_type(client.sent(), FrameType::goaway);
  ASSERT_EQ(second.size(), 1u);
  EXPECT_EQ(code_of(second[0]), 1u);
  EXPECT_FALSE(client.session().is_drained());
  static_cast<void>(client.session().finish(1, {}, kit::payload("x"), nullptr, false));
  client.sent();

  EXPECT_TRUE(client.session().is_drained());
}

TEST(GrpcSession, GoesOnWithItsDrainWithoutAnAnswer) {
  Http2Client client;
  client.feed(Http2Client::preface());
  client.session().drain();
  client.sent();

  client.advance(19s);
  const std::vector<Sent> early = client.sent();
  client.advance(2s);
  const std::vector<Sent> frames = client.sent();
  client.feed(Http2Client::ping(true, "goaway\0\1"s));

  EXPECT_THAT(early, testing::IsEmpty());
  ASSERT_THAT(shape_of(frames), ElementsAre("GOAWAY 0"));
  EXPECT_EQ(code_of(frames[0]), 0u);
  EXPECT_TRUE(client.session().is_drained());
  EXPECT_THAT(client.sent(), testing::IsEmpty()) << "the second step comes once";
}

TEST(GrpcSession, EndsAConnectionThatPingsTooOften) {
  SessionOptions options = kit::plain_options();
  options.min_ping_interval = 300s;
  Http2Client client(options);
  attach_all(client);
  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B")));
  for (int i = 0; i < 3; ++i) client.feed(Http2Client::ping(false, "12345678"));
  const bool is_closed_early = client.session().is_closed();
  client.sent();

  client.feed(Http2Client::ping(false, "12345678"));

  EXPECT_FALSE(is_closed_early);
  const auto goaways = Http2Client::of_type(client.sent(), FrameType::goaway);
  ASSERT_EQ(goaways.size(), 1u);
  EXPECT_EQ(static_cast<ErrorCode>(code_of(goaways[0], 4)), ErrorCode::enhance_your_calm);
  EXPECT_EQ(goaways[0].payload.substr(8), "too_many_pings");
}

TEST(GrpcSession, LetsAClientPingThatIsSentSomething) {
  SessionOptions options = kit::plain_options();
  options.min_ping_interval = 300s;
  Http2Client client(options);
  attach_all(client);
  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B")));

  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(client.session().send(1, kit::payload(""), nullptr, false).is_ok());
    client.feed(Http2Client::ping(false, "12345678") + Http2Client::ping(true, "12345678"));
    client.feed(Http2Client::ping(false, "12345678"));
  }

  EXPECT_FALSE(client.session().is_closed());
}

TEST(GrpcSession, HasNoOutputOnceItHasClosed) {
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B"), true));
  client.sent();
  static_cast<void>(client.session().send(1, kit::payload(std::string(10000, 'x')), nullptr, false));
  static_cast<void>(client.session().send(1, kit::payload(std::string(1000000, 'x')), nullptr, false));

  client.session().close({});
  client.sent();

  EXPECT_FALSE(client.session().has_output());
}

TEST(GrpcSession, CancelsCallsWhenTheTransportEnds) {
  Http2Client client;
  attach_all(client);
  client.feed(Http2Client::preface() + client.headers(1, Http2Client::request("/a/B")));
  client.feed(client.headers(3, Http2Client::request("/a/B")));

  client.session().transport_closed({});
  client.turn();

  ASSERT_GE(client.events.size(), 3u);
  const auto end = client.events.end();
  EXPECT_EQ((end - 3)->type, EventType::cancelled);
  EXPECT_EQ((end - 2)->type, EventType::cancelled);
  EXPECT_EQ((end - 1)->type, EventType::closed);
  EXPECT_EQ((end - 1)->status.code(), StatusCode::unavailable);
}

TEST(GrpcSession, FinishesCallsThatNobodyTakes) {
  Http2Client client;
  client.feed(Http2Client::preface());
  client.sent();

  client.feed(client.headers(1, Http2Client::request("/a/B"), true));

  const std::vector<Sent> frames = client.sent();
  ASSERT_THAT(shape_of(frames), ElementsAre("HEADERS 1 end"));
  EXPECT_EQ(frames[0].fields.at("grpc-status"), "13");
}

}  // namespace
}  // namespace trunkline::session::grpc
