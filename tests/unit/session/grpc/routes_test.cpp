// SPDX-License-Identifier: MIT
// Routes over HTTP/2, between calls of gRPC.
#include "codec/bytes_codec.h"
#include "codec/json_codec.h"
#include "unit/session/grpc/http2_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace trunkline::session::grpc {
namespace {

using http::http2::FrameType;
using testing::HasSubstr;

SessionOptions route_options() {
  static const CodecRegistry registry =
      CodecRegistry().add(std::make_shared<codec::BytesCodec>()).add(std::make_shared<codec::JsonCodec>(CodecLimits()));
  SessionOptions options = kit::plain_options();
  options.codecs = &registry;
  return options;
}

class Http2Routes : public testing::Test {
 protected:
  Http2Routes() : client(route_options()) {
    client.routes_version_of_owner = 1;
    client.routes = {{"GET /a b", {"GET /a b", {}}},
                     {"HEAD /a b", {"GET /a b", {}}},
                     {"POST /a/B", {"POST /a/B", {}}},
                     {"DELETE /a/B", {{}, "POST"}}};
    client.feed(Http2Client::preface());
    client.sent();
    client.events.clear();
    client.on_event = [this](Event& event) {
      if (event.type == EventType::call && !event.end) return client.session().attach(event.id, this);
      if (event.type != EventType::call && event.type != EventType::message) return;
      accepted = client.session().send(event.id, {}, &leading, false);
      const OutgoingMessage message{.codec = event.codec, .payload = Slice::copy_of("<p>")};
      static_cast<void>(client.session().finish(event.id, accepted, message, nullptr, false));
    };
  }
  std::string request(std::string verb, std::string path, Fields more = {}, bool is_end = true) {
    Fields fields{{":method", std::move(verb)}, {":scheme", "http"}, {":path", std::move(path)}, {":authority", "h:1"}};
    fields.insert(fields.end(), more.begin(), more.end());
    return client.headers(next_id += 2, fields, is_end);
  }
  /// Status, fields and content of the one response.
  Sent answer(const std::string& bytes) {
    client.feed(bytes);
    Sent head;
    std::string content;
    for (Sent& frame : client.sent()) {
      if (frame.type == FrameType::headers) head = frame;
      if (frame.type == FrameType::data) content += frame.payload;
    }
    head.payload = content;
    return head;
  }

  Metadata leading{{"content-type", "text/html"}, {"x-bin", "raw"}};
  Status accepted;
  std::uint32_t next_id = static_cast<std::uint32_t>(-1);
  Http2Client client;
};

TEST_F(Http2Routes, HandsOutTheRequestAsItIsAndSendsStatusAndHeaders) {
  leading.add("trunkline-status", "404");

  const Sent sent = answer(request("GET", "/a%20b?q=%31",
                                   {{"content-type", "text/plain"},
                                    {"user-agent", "u"},
                                    {"accept-encoding", "gzip"},
                                    {"x-bin", "!"},
                                    {"cookie", "a=1"},
                                    {"cookie", "b=2"},
                                    {"trunkline-request", "GET /forged"}}));

  const Seen& call = client.events.at(0);
  EXPECT_EQ(call.method, "GET /a b");
  EXPECT_TRUE(call.is_route);
  EXPECT_TRUE(call.end);
  EXPECT_EQ(call.metadata, (Metadata{{"trunkline-request", "GET /a%20b?q=%31"},
                                     {"host", "h:1"},
                                     {"content-type", "text/plain"},
                                     {"user-agent", "u"},
                                     {"accept-encoding", "gzip"},
                                     {"x-bin", "!"},
                                     {"cookie", "a=1; b=2"}}));
  EXPECT_EQ(sent.fields,
            (std::map<std::string, std::string>{
                {":status", "404"}, {"content-type", "text/html"}, {"x-bin", "raw"}, {"content-length", "3"}}));
  EXPECT_EQ(sent.payload, "<p>");
  EXPECT_EQ(client.session().open_calls(), 0U);
}

TEST_F(Http2Routes, TakesTheHostOfEachRequestByItself) {
  const Fields line{{":method", "GET"}, {":scheme", "http"}, {":path", "/a%20b"}};
  Fields with_host = line;
  with_host.emplace_back("accept", "*/*");
  with_host.emplace_back("host", "other");

  answer(request("GET", "/a%20b"));
  answer(client.headers(next_id += 2, line, true));
  answer(client.headers(next_id += 2, with_host, true));
  answer(request("GET", "/a%20b", {{"host", "H:1"}}));

  ASSERT_EQ(client.events.size(), 4U);
  EXPECT_EQ(client.events[1].metadata.get("host"), std::nullopt);
  EXPECT_THAT(client.events[2].metadata.get_all("host"), testing::ElementsAre("other"));
  EXPECT_THAT(client.events[3].metadata.get_all("host"), testing::ElementsAre("h:1"));
}

TEST_F(Http2Routes, ResetsARequestThatNamesTwoHosts) {
  client.feed(request("GET", "/a%20b", {{"host", "h:2"}}));
  client.feed(request("GET", "/a%20b", {{"host", "h"}}));

  EXPECT_TRUE(client.events.empty());
  EXPECT_EQ(Http2Client::of_type(client.sent(), FrameType::rst_stream).size(), 2U);
}

TEST_F(Http2Routes, AnswersHeadWithTheLengthAlone) {
  const Sent sent = answer(request("HEAD", "/a%20b"));

  EXPECT_EQ(sent.fields.at("content-length"), "3");
  EXPECT_EQ(sent.payload, "");
}

TEST_F(Http2Routes, RefusesHeadWithoutContent) {
  const Sent sent = answer(request("HEAD", "/a%20b", {{"connect-timeout-ms", "x"}}));

  EXPECT_EQ(sent.fields.at(":status"), "400");
  EXPECT_EQ(sent.payload, "");
  EXPECT_EQ(client.session().open_calls(), 0U);
}

TEST_F(Http2Routes, TakesABodyInFrames) {
  client.feed(request("POST", "/a/B", {{"content-type", "multipart/form-data"}}, false));
  client.feed(Http2Client::data(next_id, "abc"));

  const Sent sent = answer(Http2Client::data(next_id, "def", true));

  EXPECT_EQ(client.events.back().payload, "abcdef");
  EXPECT_EQ(sent.fields.at(":status"), "200");
}

TEST_F(Http2Routes, HasAnEmptyBodyWhereThereIsNone) {
  answer(request("POST", "/a/B", {{"content-type", "text/plain"}}));

  EXPECT_TRUE(client.events.at(0).has_message);
  EXPECT_EQ(client.events.at(0).payload, "");
}

TEST_F(Http2Routes, LeavesGrpcAndConnectToMethods) {
  Fields fields = Http2Client::request("/a/B", {{"k-bin", "AP8"}});
  client.on_event = [this](Event& event) {
    if (event.type == EventType::call) client.session().attach(event.id, this);
  };

  client.feed(client.headers(1, fields));
  client.feed(client.headers(3, fields));
  client.feed(client.headers(5, Http2Client::request("/a/B", {{"connect-protocol-version", "1"}})));
  Fields connect = fields;
  for (auto& [name, value] : connect) {
    if (name == "content-type") value = "application/json";
  }
  connect.emplace_back("connect-protocol-version", "1");
  client.feed(client.headers(7, connect) + Http2Client::data(7, "1", true));

  ASSERT_GE(client.events.size(), 4U);
  for (const Seen& seen : client.events) EXPECT_FALSE(seen.is_route);
  EXPECT_EQ(client.events[0].method, "a/B");
  EXPECT_EQ(client.events[0].metadata, (Metadata{{"k-bin", std::string("\0\xff", 2)}}));
  EXPECT_EQ(client.events[1].metadata, client.events[0].metadata);
}

TEST_F(Http2Routes, TakesTheSameRequestAsARouteOnceThereIsOne) {
  client.routes.clear();
  client.routes_version_of_owner = 0;
  const Fields fields{{":method", "POST"},
                      {":scheme", "http"},
                      {":path", "/a/B"},
                      {":authority", "h"},
                      {"content-type", "application/json"}};
  for (const std::uint32_t id : {1U, 3U, 5U})
    client.feed(client.headers(id, fields) + Http2Client::data(id, "1", true));
  EXPECT_FALSE(client.events.back().is_route);
  client.routes["POST /a/B"] = {"POST /a/B", {}};
  client.routes_version_of_owner = 7;

  client.feed(client.headers(7, fields) + Http2Client::data(7, "1", true));
  EXPECT_TRUE(client.events.back().is_route);
  client.routes.clear();
  client.routes_version_of_owner = 0;
  client.feed(client.headers(9, fields) + Http2Client::data(9, "1", true));
  EXPECT_FALSE(client.events.back().is_route);
}

TEST_F(Http2Routes, SaysWhichMethodsAPathTakes) {
  const Sent sent = answer(request("DELETE", "/a/B"));

  EXPECT_EQ(sent.fields.at(":status"), "405");
  EXPECT_EQ(sent.fields.at("allow"), "POST");
  EXPECT_TRUE(client.events.empty());
}

TEST_F(Http2Routes, RefusesHeadersThatAreNotTheHandlers) {
  for (const auto& [name, value] :
       Fields{{"content-length", "1"}, {"connection", "close"}, {"x", "a\r\nb: c"}, {"x", "a "}}) {
    leading = {};
    leading.add(name, value);

    const Sent sent = answer(request("GET", "/a%20b"));

    EXPECT_EQ(sent.fields.at(":status"), "500") << name;
    EXPECT_THAT(sent.payload, HasSubstr(name));
    EXPECT_EQ(sent.fields.count("x"), 0U);
  }
}

TEST_F(Http2Routes, SendsNoContentWithStatus204) {
  leading.set("trunkline-status", "204");

  const Sent sent = answer(request("GET", "/a%20b"));

  EXPECT_EQ(sent.fields.at(":status"), "204");
  EXPECT_EQ(sent.fields.count("content-length"), 0U);
  EXPECT_EQ(sent.payload, "");
}

TEST_F(Http2Routes, RefusesFormsOfOtherSites) {
  const Sent sent = answer(request("POST", "/a/B", {{"origin", "http://evil"}}));

  EXPECT_EQ(sent.fields.at(":status"), "403");
}

}  // namespace
}  // namespace trunkline::session::grpc
