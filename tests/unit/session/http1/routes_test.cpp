// SPDX-License-Identifier: MIT
// Routes over HTTP/1.1: which requests they take, what their handlers get, and how their responses are written.
#include "unit/session/http1/http1_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace trunkline::session::http1 {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// A session whose owner has routes, with a handler that answers at once.
class Http1Routes : public testing::Test {
 protected:
  Http1Routes() {
    client.routes_version_of_owner = 1;
    client.routes = {{"GET /a b", {"GET /a b", {}}},
                     {"HEAD /a b", {"GET /a b", {}}},
                     {"POST /form", {"POST /form", {}}},
                     {"PUT /form", {{}, "POST"}}};
    client.on_event = [this](Event& event) {
      if (event.type != EventType::call) return;
      if (!event.is_route) {
        static_cast<void>(client.session().finish(event.id, {}, Http1Client::text("1"), nullptr, false));
        return;
      }
      accepted = client.session().send(event.id, {}, &leading, false);
      static_cast<void>(client.session().finish(event.id, accepted, Http1Client::text(body), nullptr, false));
    };
  }
  static std::string get(std::string_view target, std::string_view fields = {}, std::string_view verb = "GET") {
    return std::string(verb)
        .append(" ")
        .append(target)
        .append(" HTTP/1.1\r\nHost: h:1\r\n")
        .append(fields)
        .append("\r\n");
  }
  std::string answer(const std::string& request) {
    client.feed(request);
    return client.sent();
  }

  Metadata leading{{"content-type", "text/html"}, {"set-cookie", "a=1"}, {"set-cookie", "b=2"}, {"x-bin", "raw"}};
  std::string body = "<p>";
  Status accepted;
  Http1Client client;
};

TEST_F(Http1Routes, HandsOutTheRequestAsItIsAndSendsStatusAndHeaders) {
  leading.add("trunkline-status", "404");

  const std::string sent = answer(get("/a%20b?q=%31",
                                      "Content-Type: text/plain\r\nCookie: c\r\nX-Bin: !\r\n"
                                      "Trunkline-Request: GET /forged\r\nConnection: keep-alive\r\n"));

  ASSERT_EQ(client.events.size(), 1U);
  const Seen& call = client.events[0];
  EXPECT_EQ(call.method, "GET /a b");
  EXPECT_TRUE(call.is_route);
  EXPECT_TRUE(call.end);
  EXPECT_EQ(call.metadata, (Metadata{{"trunkline-request", "GET /a%20b?q=%31"},
                                     {"host", "h:1"},
                                     {"content-type", "text/plain"},
                                     {"cookie", "c"},
                                     {"x-bin", "!"}}));
  EXPECT_EQ(sent,
            "HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\nset-cookie: a=1\r\nset-cookie: b=2\r\nx-bin: raw\r\n"
            "content-length: 3\r\n\r\n<p>");
}

TEST_F(Http1Routes, KeepsTheQueryOfATargetWithoutAPath) {
  client.routes["GET /"] = {"GET /", {}};

  answer(get("http://h:1?q=1&r") + get("http://h:1") + get("http://h:1/?s"));

  ASSERT_EQ(client.events.size(), 3U);
  EXPECT_EQ(client.events[0].metadata.get("trunkline-request"), "GET /?q=1&r");
  EXPECT_EQ(client.events[1].metadata.get("trunkline-request"), "GET /");
  EXPECT_EQ(client.events[2].metadata.get("trunkline-request"), "GET /?s");
}

TEST_F(Http1Routes, AnswersHeadWithTheLengthAlone) {
  const std::string sent = answer(get("/a%20b", {}, "HEAD") + get("/a%20b"));

  EXPECT_THAT(sent, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(sent, HasSubstr("content-length: 3\r\n\r\nHTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(sent, EndsWith("content-length: 3\r\n\r\n<p>"));
  EXPECT_THAT(client.events.at(0).metadata.get("trunkline-request"), "HEAD /a%20b");
}

TEST_F(Http1Routes, SendsNoContentAndNoLengthWhereHttpHasNone) {
  for (const std::string_view status : {"204", "304"}) {
    leading.set("trunkline-status", status);

    const std::string sent = answer(get("/a%20b"));

    EXPECT_THAT(sent, StartsWith("HTTP/1.1 " + std::string(status)));
    EXPECT_THAT(sent, Not(HasSubstr("content-length")));
    EXPECT_THAT(sent, EndsWith("x-bin: raw\r\n\r\n"));
  }
}

TEST_F(Http1Routes, SendsNoContentThatAStatusForbids) {
  leading.set("trunkline-status", "205");

  const std::string sent = answer(get("/a%20b"));

  EXPECT_THAT(sent, StartsWith("HTTP/1.1 205 Reset Content\r\n"));
  EXPECT_THAT(sent, EndsWith("content-length: 0\r\n\r\n"));
}

TEST_F(Http1Routes, TakesTheBodyOfAnyTypeAndEncoding) {
  const std::string content = "k=v&\xff";

  const std::string sent = answer(
      "POST /form HTTP/1.1\r\nHost: h\r\nContent-Type: multipart/form-data\r\n"
      "Content-Encoding: br\r\nContent-Length: 5\r\n\r\n" +
      content);

  EXPECT_EQ(client.events.at(0).payload, content);
  EXPECT_EQ(client.events.at(0).metadata.get("content-encoding"), "br");
  EXPECT_THAT(sent, StartsWith("HTTP/1.1 200 OK\r\n"));
}

TEST_F(Http1Routes, SaysWhichMethodsAPathTakes) {
  const std::string sent = answer("PUT /form HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nxx" + get("/a%20b"));

  EXPECT_THAT(sent, StartsWith("HTTP/1.1 405 Method Not Allowed\r\n"));
  EXPECT_THAT(sent, HasSubstr("allow: POST\r\n"));
  EXPECT_THAT(sent, EndsWith("<p>"));
  EXPECT_EQ(client.events.size(), 1U);
}

TEST_F(Http1Routes, LeavesRequestsOfConnectAndGrpcWebToMethods) {
  for (const std::string_view type : {"application/connect+json", "application/grpc-web+json"}) {
    client.events.clear();

    client.feed("POST /form HTTP/1.1\r\nHost: h\r\nContent-Type: " + std::string(type) +
                "\r\nContent-Length: 0\r\n\r\n");

    EXPECT_EQ(client.events.at(0).method, "form") << type;
    EXPECT_FALSE(client.events.at(0).is_route);
  }
  client.events.clear();
  client.feed(Http1Client::post("/form", "1", "Connect-Protocol-Version: 1\r\n"));
  EXPECT_FALSE(client.events.at(0).is_route);
}

TEST_F(Http1Routes, RefusesPathsThatLeadElsewhere) {
  client.routes["GET /../b"] = {"GET /*", {}};
  client.routes["GET /x/./b"] = {"GET /*", {}};
  client.routes["GET /\x01"] = {"GET /*", {}};
  for (const std::string_view target : {"/../b", "/%2e%2E/b", "/..%2fb", "/x/%2e/b", "/%01", "/%zz"}) {
    client.events.clear();

    client.feed(get(target));

    for (const Seen& seen : client.events) EXPECT_FALSE(seen.is_route) << target;
  }
}

TEST_F(Http1Routes, RefusesHeadersThatWouldEndTheHead) {
  const auto refused = [this](std::string_view name, std::string_view value) {
    leading = {};
    leading.add(name, value);
    const std::string sent = answer(get("/a%20b"));
    EXPECT_THAT(sent, StartsWith("HTTP/1.1 500 Internal Server Error\r\ncontent-type: application/json\r\n")) << name;
    EXPECT_THAT(std::string(accepted.message()), HasSubstr(std::string(name))) << name;
    EXPECT_THAT(sent, Not(HasSubstr("<p>")));
    EXPECT_EQ(sent.find("evil"), sent.npos);
  };

  refused("x", "a\r\nevil: 1");
  refused("x", "a\nevil");
  refused("x", std::string_view("a\0evil", 6));
  refused("x", " evil");
  for (const std::string_view name : {"content-length", "transfer-encoding", "connection", "keep-alive", "upgrade",
                                      "te", "trailer", "host", "trunkline-other"}) {
    refused(name, "evil");
  }
  for (const std::string_view status : {"100", "101", "199", "600", "20", "2000", "-20", "evil"}) {
    leading = {{"trunkline-status", std::string(status)}};
    EXPECT_THAT(answer(get("/a%20b")), StartsWith("HTTP/1.1 500")) << status;
  }
}

TEST_F(Http1Routes, RefusesFormsOfOtherSitesButNotTheirLinks) {
  const std::string foreign = "Origin: http://evil\r\n";

  EXPECT_THAT(answer(get("/form", foreign + "Content-Length: 0\r\n", "POST")), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(answer(get("/a%20b", foreign)), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer(get("/form", "Origin: http://h:1\r\nContent-Length: 0\r\n", "POST")), StartsWith("HTTP/1.1 200"));
}

TEST_F(Http1Routes, KnowsAHeadAgainUntilTheRoutesChange) {
  client.feed(get("/a%20b") + get("/a%20b", {}, "HEAD") + get("/a%20b"));
  EXPECT_EQ(client.events.size(), 3U);
  EXPECT_EQ(client.events[2].metadata, client.events[0].metadata);
  client.sent();
  client.routes.clear();
  client.routes_version_of_owner = 2;
  client.events.clear();

  EXPECT_THAT(answer(get("/a%20b")), StartsWith("HTTP/1.1 200"));

  ASSERT_EQ(client.events.size(), 1U);
  EXPECT_FALSE(client.events[0].is_route);
  EXPECT_EQ(client.events[0].method, "a b");
}

TEST_F(Http1Routes, AnswersAnErrorAsThatOfAMethod) {
  client.on_event = [this](Event& event) {
    if (event.type != EventType::call) return;
    static_cast<void>(client.session().send(event.id, {}, &leading, false));
    static_cast<void>(client.session().finish(event.id, {StatusCode::not_found, "no page"}, {}, nullptr, false));
  };

  const std::string sent = answer(get("/a%20b"));

  EXPECT_THAT(sent, StartsWith("HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: "));
  EXPECT_THAT(sent, HasSubstr("no page"));
  EXPECT_THAT(sent, Not(HasSubstr("cookie")));
}

TEST_F(Http1Routes, HasTheDeadlineThatItsClientAsksFor) {
  client.feed(get("/a%20b", "Connect-Timeout-Ms: 2000\r\n"));

  EXPECT_EQ(client.events.at(0).deadline, client.now() + std::chrono::seconds(2));
  EXPECT_THAT(answer(get("/a%20b", "Connect-Timeout-Ms: x\r\n")), HasSubstr("HTTP/1.1 400"));
}

}  // namespace
}  // namespace trunkline::session::http1
