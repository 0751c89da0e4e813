// SPDX-License-Identifier: MIT
// Http1ServerSession: requests, pipelines, contents, responses, refusals, times and the end of a connection.
#include "unit/session/http1/http1_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trunkline::session::http1 {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using namespace std::chrono_literals;

constexpr std::string_view usual_head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ";

std::string response(std::string_view content) {
  return std::string(usual_head) + std::to_string(content.size()) + "\r\n\r\n" + std::string(content);
}

std::string chunked(std::string_view path, std::string_view chunks, std::string_view fields = {}) {
  std::string request = "POST " + std::string(path) + " HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n";
  return request.append(fields).append("Transfer-Encoding: chunked\r\n\r\n").append(chunks);
}

/// A message of a stream.
std::string envelope(std::string_view message, char flag = 0) {
  return std::string{flag, 0, 0, static_cast<char>(message.size() >> 8), static_cast<char>(message.size())}.append(
      message);
}

/// The head of a stream of Connect, and `content` of 6 bytes as the first chunk.
std::string begun_stream(std::string_view content) {
  return "POST /A HTTP/1.1\r\nHost: h\r\nContent-Type: application/connect+json\r\nTransfer-Encoding: chunked\r\n\r\n"
         "6\r\n" +
         std::string(content) + "\r\n";
}

TEST(Http1ServerSession, AnswersACallInPlace) {
  Http1Client client;
  client.echo_in_place();

  client.feed(Http1Client::post("/a.B/C", "\"hello\"", "Connect-Timeout-Ms: 2000\r\nK: v\r\nk-bin: AP8\r\n"));

  ASSERT_EQ(client.events.size(), 1U);
  const Seen& call = client.events[0];
  EXPECT_EQ(call.type, EventType::call);
  EXPECT_EQ(call.method, "a.B/C");
  EXPECT_EQ(call.payload, "\"hello\"");
  EXPECT_TRUE(call.end);
  EXPECT_EQ(call.deadline, client.now() + 2s);
  EXPECT_EQ(call.metadata, (Metadata{{"k", "v"}, {"k-bin", std::string("\0\xff", 2)}}));
  EXPECT_EQ(client.sent(), response("\"hello\""));
  EXPECT_TRUE(client.session().is_open());
  EXPECT_EQ(client.session().open_calls(), 0U);
}

TEST(Http1ServerSession, KnowsTheUserAgentOfEachRequest) {
  Http1Client client;
  client.echo_in_place();
  std::vector<std::string> agents{"a", "a", "none", "a", "b", "b", "a", std::string(2000, 'x'), ""};
  // More than a connection keeps.
  for (int i = 0; i < 100; ++i) agents.push_back("client/" + std::to_string(i % 11));
  std::string requests;
  for (const std::string& agent : agents) {
    requests += Http1Client::post("/A", "1", agent == "none" ? "" : "User-Agent: " + agent + "\r\n");
  }

  client.feed(requests);

  ASSERT_EQ(client.events.size(), agents.size());
  for (std::size_t i = 0; i < agents.size(); ++i) {
    EXPECT_EQ(client.events[i].user_agent, agents[i].substr(0, max_user_agent_bytes)) << i;
    EXPECT_EQ(client.events[i].metadata, Metadata());
  }
}

TEST(Http1ServerSession, GivesTheSameAnswersForPartsOfEverySize) {
  const std::string requests = Http1Client::post("/A", "1") +
                               chunked("/B", "2\r\n22\r\n1;a=b\r\n2\r\n0\r\nT: u\r\n\r\n") +
                               "GET /C?message=3 HTTP/1.1\r\nHost: h\r\n\r\n" + Http1Client::post("/A", "4") +
                               Http1Client::post("/A", "5", "Expect: 100-continue\r\n");
  const std::string answers = response("1") + response("222") + response("3") + response("4");
  for (std::size_t part : {1U, 2U, 3U, 7U, 64U, 1000U}) {
    Http1Client client;
    client.echo_in_place();

    client.feed(requests, part);

    std::string sent = client.sent();
    EXPECT_THAT(sent, StartsWith(answers)) << part;
    EXPECT_THAT(sent, EndsWith(response("5"))) << part;
    // Only who waits is told to go on.
    if (part == 1) {
      EXPECT_THAT(sent, HasSubstr("HTTP/1.1 100 Continue\r\n\r\n"));
    }
    if (part == 1000) {
      EXPECT_THAT(sent, Not(HasSubstr("100 Continue")));
    }
  }
}

TEST(Http1ServerSession, AnswersAPipelineInItsOrderAndAtOnce) {
  Http1Client client;
  client.echo_in_place();
  std::string requests;
  std::string answers;
  for (int i = 0; i < 100; ++i) {
    requests += Http1Client::post("/A", std::to_string(i));
    answers += response(std::to_string(i));
  }

  client.feed(requests);

  EXPECT_EQ(client.sent(), answers);
}

TEST(Http1ServerSession, ServesOneRequestAfterTheOther) {
  Http1Client client;
  client.attach_all();

  client.feed(Http1Client::post("/A", "1") + Http1Client::post("/A", "2"));
  ASSERT_EQ(client.events.size(), 1U);
  EXPECT_EQ(client.session().open_calls(), 1U);
  client.was_woken = false;
  static_cast<void>(client.session().finish(1, {}, Http1Client::text("one"), nullptr, false));

  EXPECT_TRUE(client.was_woken);
  client.turn();
  ASSERT_EQ(client.events.size(), 2U);
  EXPECT_EQ(client.events[1].payload, "2");
  static_cast<void>(client.session().finish(2, {}, Http1Client::text("two"), nullptr, false));
  EXPECT_EQ(client.sent(), response("one") + response("two"));
}

TEST(Http1ServerSession, NumbersMethodsThatComeAgain) {
  Http1Client client;
  client.echo_in_place();

  client.feed(Http1Client::post("/A", "1") + Http1Client::post("/B", "2") + Http1Client::post("/A", "3", "K: v\r\n") +
              Http1Client::post("/A", "1"));

  ASSERT_EQ(client.events.size(), 4U);
  EXPECT_EQ(client.events[0].method_number, 1U);
  EXPECT_EQ(client.events[1].method_number, 2U);
  EXPECT_EQ(client.events[2].method_number, 1U);
  EXPECT_EQ(client.events[3].method_number, 1U);
  EXPECT_EQ(client.events[3].method, "A");
  EXPECT_TRUE(client.events[3].metadata.empty());
  EXPECT_EQ(client.events[2].metadata, (Metadata{{"k", "v"}}));
}

TEST(Http1ServerSession, ReadsAKnownHeadThatComesInParts) {
  Http1Client client;
  client.echo_in_place();
  const std::string request = Http1Client::post("/A", "1", "K: v\r\n");
  client.feed(request);
  client.sent();

  client.feed(request, 10);
  client.feed(Http1Client::post("/B", "2"));

  EXPECT_EQ(client.sent(), response("1") + response("2"));
  EXPECT_EQ(client.events[1].metadata, (Metadata{{"k", "v"}}));
  EXPECT_EQ(client.events[2].method, "B");
}

TEST(Http1ServerSession, TellsAClientToGoOn) {
  Http1Client client;
  client.echo_in_place();
  const std::string request = Http1Client::post("/A", "\"hello\"", "Expect: 100-continue\r\n");

  client.feed(request.substr(0, request.size() - 7));
  EXPECT_EQ(client.sent(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.feed("\"hello\"");

  EXPECT_EQ(client.sent(), response("\"hello\""));
}

TEST(Http1ServerSession, TellsAClientOfChunksToGoOn) {
  Http1Client client;
  client.echo_in_place();

  client.feed(chunked("/A", "", "Expect: 100-continue\r\n"));
  EXPECT_EQ(client.sent(), "HTTP/1.1 100 Continue\r\n\r\n");
  client.feed("1\r\n7\r\n0\r\n\r\n");

  EXPECT_EQ(client.sent(), response("7"));
}

TEST(Http1ServerSession, RefusesBeforeTheContentIsSent) {
  Http1Client client;
  client.begun = Status(StatusCode::unimplemented, "call A: no such method");

  client.feed(
      "POST /A HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n"
      "Content-Length: 1000\r\n\r\n");

  const std::string sent = client.sent();
  EXPECT_THAT(sent, StartsWith("HTTP/1.1 404 "));
  EXPECT_THAT(sent, HasSubstr("connection: close\r\n"));
  EXPECT_THAT(sent, HasSubstr("\"message\":\"call A: no such method\""));
  EXPECT_TRUE(client.session().is_closed());
}

TEST(Http1ServerSession, KeepsTheConnectionOrNot) {
  struct Case {
    const char* head;
    bool keeps;
  };
  for (const Case& one : {Case{"GET /A?message=1 HTTP/1.1\r\nHost: h\r\n\r\n", true},
                          Case{"GET /A?message=1 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", false},
                          Case{"GET /A?message=1 HTTP/1.0\r\n\r\n", false},
                          Case{"GET /A?message=1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", true}}) {
    Http1Client client;
    client.echo_in_place();

    client.feed(one.head);

    const std::string sent = client.sent();
    EXPECT_EQ(client.session().is_closed(), !one.keeps) << one.head;
    EXPECT_EQ(sent.find("connection: close\r\n") != sent.npos, !one.keeps) << sent;
    const bool is_old = std::string_view(one.head).find("HTTP/1.0") != std::string_view::npos;
    EXPECT_EQ(sent.find("connection: keep-alive\r\n") != sent.npos, one.keeps && is_old) << sent;
    EXPECT_THAT(sent, EndsWith("\r\n\r\n1"));
  }
}

TEST(Http1ServerSession, WritesErrorsAsJson) {
  Http1Client client;
  client.on_event = [&](Event& event) {
    static_cast<void>(
        client.session().finish(event.id, {StatusCode::not_found, "no such \"thing\""}, {}, nullptr, false));
  };

  client.feed(Http1Client::post("/A", "1"));

  const std::string sent = client.sent();
  EXPECT_THAT(sent, StartsWith("HTTP/1.1 404 Not Found\r\n"));
  EXPECT_THAT(sent, HasSubstr("content-type: application/json\r\n"));
  EXPECT_THAT(sent, EndsWith("{\"code\":\"not_found\",\"message\":\"no such \\\"thing\\\"\"}\n"));
  EXPECT_FALSE(client.session().is_closed());
}

TEST(Http1ServerSession, SaysThatAMethodDoesNotExist) {
  Http1Client client;
  client.on_event = [&](Event& event) {
    static_cast<void>(
        client.session().finish(event.id, {StatusCode::unimplemented, "no such method"}, {}, nullptr, true));
  };

  client.feed(Http1Client::post("/A", "1"));

  EXPECT_EQ(client.sent_status(), "HTTP/1.1 404 Not Found");
}

TEST(Http1ServerSession, SendsAStreamAsLinesInChunks) {
  Http1Client client;
  client.attach_all();
  client.feed(Http1Client::post("/A", "1"));

  EXPECT_TRUE(client.session().send(1, Http1Client::text("{\"n\":1}"), nullptr, false).is_ok());
  EXPECT_EQ(client.sent(),
            "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ncache-control: no-store\r\n"
            "transfer-encoding: chunked\r\n\r\n8\r\n{\"n\":1}\n\r\n");
  EXPECT_TRUE(client.session().send(1, Http1Client::text("{\"n\":2}"), nullptr, false).is_ok());
  static_cast<void>(client.session().finish(1, {}, {}, nullptr, false));

  EXPECT_EQ(client.sent(), "8\r\n{\"n\":2}\n\r\n0\r\n\r\n");
  EXPECT_FALSE(client.session().is_closed());
}

TEST(Http1ServerSession, EndsABrokenStreamWithTheError) {
  Http1Client client;
  client.attach_all();
  client.feed(Http1Client::post("/A", "1"));
  static_cast<void>(client.session().send(1, Http1Client::text("1"), nullptr, false));

  static_cast<void>(client.session().finish(1, {StatusCode::aborted, "no more"}, {}, nullptr, false));

  EXPECT_THAT(client.sent(), EndsWith("{\"error\":{\"code\":\"aborted\",\"message\":\"no more\"}}\n\r\n0\r\n\r\n"));
}

TEST(Http1ServerSession, SendsAStreamToHttp10WithoutChunks) {
  Http1Client client;
  client.attach_all();
  client.feed("GET /A?message=1 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");

  static_cast<void>(client.session().send(1, Http1Client::text("1"), nullptr, false));
  static_cast<void>(client.session().finish(1, {}, {}, nullptr, false));

  const std::string sent = client.sent();
  EXPECT_THAT(sent, Not(HasSubstr("transfer-encoding")));
  EXPECT_THAT(sent, HasSubstr("connection: close\r\n"));
  EXPECT_THAT(sent, EndsWith("\r\n\r\n1\n"));
  EXPECT_TRUE(client.session().is_closed());
}

TEST(Http1ServerSession, SendsACommentInAStreamOfEventsThatIsQuiet) {
  SessionOptions options = Http1Client::options();
  options.limits.keepalive_interval = 30s;
  Http1Client client(options);
  client.attach_all();
  client.feed(Http1Client::post("/A", "1", "Accept: text/event-stream\r\n"));
  static_cast<void>(client.session().send(1, Http1Client::text("1"), nullptr, false));
  client.sent();

  const auto comments_in = [&client](int seconds) {
    std::string comments;
    for (int second = 0; second < seconds; ++second) {
      client.advance(1s);
      comments += client.sent();
    }
    return comments;
  };
  const std::string early = comments_in(29);
  const std::string in_time = comments_in(17);
  static_cast<void>(client.session().send(1, Http1Client::text("2"), nullptr, false));
  client.sent();
  const std::string behind_an_event = comments_in(29);
  const std::string later = comments_in(17);
  const std::string one_more = comments_in(30);
  static_cast<void>(client.session().finish(1, {}, {}, nullptr, false));
  client.sent();

  const std::string comment = "3\r\n:\n\n\r\n";
  EXPECT_EQ(early, "");
  EXPECT_EQ(in_time, comment);
  EXPECT_EQ(behind_an_event, "");
  EXPECT_EQ(later, comment);
  EXPECT_EQ(one_more, comment);
  EXPECT_EQ(comments_in(60), "") << "the stream is over";
}

TEST(Http1ServerSession, SendsNoCommentsInOtherStreamsNorToClientsThatTakeNothing) {
  SessionOptions options = Http1Client::options();
  options.limits.keepalive_interval = 30s;
  Http1Client lines(options);
  Http1Client slow(options);
  for (Http1Client* client : {&lines, &slow}) client->attach_all();
  lines.feed(Http1Client::post("/A", "1"));
  slow.feed(Http1Client::post("/A", "1", "Accept: text/event-stream\r\n"));
  static_cast<void>(lines.session().send(1, Http1Client::text("1"), nullptr, false));
  lines.sent();
  static_cast<void>(slow.session().send(1, Http1Client::text("1"), nullptr, false));
  const std::size_t unsent = slow.session().unsent_bytes();

  for (Http1Client* client : {&lines, &slow}) client->advance(61s);

  EXPECT_EQ(lines.sent(), "");
  EXPECT_EQ(slow.session().unsent_bytes(), unsent);
}

TEST(Http1ServerSession, SendsMetadataAsFields) {
  Http1Client client;
  client.attach_all();
  client.feed(Http1Client::post("/A", "1"));
  const Metadata leading{{"a", "b"}};
  const Metadata trailing{{"c", "d"}};

  static_cast<void>(client.session().send(1, {}, &leading, false));
  static_cast<void>(client.session().finish(1, {}, Http1Client::text("1"), &trailing, false));

  const std::string sent = client.sent();
  EXPECT_THAT(sent, HasSubstr("\r\na: b\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\ntrailer-c: d\r\n"));
}

TEST(Http1ServerSession, LetsNoMetadataEndAField) {
  for (const char* value : {"x\r\nSet-Cookie: y", "x\n", "x\r", "\x01"}) {
    Http1Client client;
    client.attach_all();
    client.feed(Http1Client::post("/A", "1"));
    const Metadata metadata{{"a", value}};

    EXPECT_EQ(client.session().send(1, {}, &metadata, false).code(), StatusCode::internal);
    const Status sent = client.session().finish(1, {}, Http1Client::text("1"), &metadata, false);

    EXPECT_EQ(sent.code(), StatusCode::internal);
    const std::string bytes = client.sent();
    EXPECT_THAT(bytes, StartsWith("HTTP/1.1 500 "));
    EXPECT_THAT(bytes, Not(HasSubstr("Set-Cookie")));
  }
}

TEST(Http1ServerSession, KeepsFieldsOfTheConnectionFromTheApplication) {
  Http1Client client;
  client.echo_in_place();

  client.feed(
      Http1Client::post("/A", "1", "Connection: keep-alive\r\nKeep-Alive: 5\r\nTE: trailers\r\nTrailer: x\r\n"));

  EXPECT_TRUE(client.events.at(0).metadata.empty());
}

// --- refusals ---

TEST(Http1ServerSession, AnswersWhatItRefusesAndEndsTheConnection) {
  struct Case {
    std::string request;
    const char* status;
  };
  const std::string post = "POST /A HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n";
  for (const Case& one :
       {Case{post + "Content-Length: 1\r\nContent-Length: 1\r\n\r\n1", "400 Bad Request"},
        Case{post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "400 Bad Request"},
        Case{post + "Transfer-Encoding: gzip, chunked\r\n\r\n", "501 Not Implemented"},
        Case{post + "A: b\r\n c\r\n\r\n", "400 Bad Request"}, Case{post + "A : b\r\n\r\n", "400 Bad Request"},
        Case{"GET /A HTTP/1.1\nHost: h\n\n", "400 Bad Request"}, Case{"GET /A HTTP/1.1\r\n\r\n", "400 Bad Request"},
        Case{"GET /A HTTP/2.0\r\nHost: h\r\n\r\n", "505 HTTP Version Not Supported"},
        Case{post + "Expect: what\r\n\r\n", "417 Expectation Failed"},
        Case{"GET /" + std::string(9000, 'a') + " HTTP/1.1\r\nHost: h\r\n\r\n", "414 URI Too Long"},
        Case{"GET /" + std::string(9000, 'a'), "414 URI Too Long"},
        Case{post + "A: " + std::string(17000, 'a'), "431 Request Header Fields Too Large"},
        Case{post + "Transfer-Encoding: chunked\r\n\r\nx\r\n", "400 Bad Request"},
        Case{post + "Transfer-Encoding: chunked\r\n\r\n1\n1\r\n", "400 Bad Request"},
        Case{post + "Transfer-Encoding: chunked\r\n\r\n1\r\n11\r\n", "400 Bad Request"},
        Case{post + "Transfer-Encoding: chunked\r\n\r\n0\r\nContent-Length: 5\r\n\r\n", "400 Bad Request"},
        Case{post + "Content-Length: 99999999999\r\n\r\n", "413 Content Too Large"}}) {
    Http1Client client;
    client.echo_in_place();

    client.feed(one.request + "GET /B?message=1 HTTP/1.1\r\nHost: h\r\n\r\n");

    const std::string sent = client.sent();
    EXPECT_THAT(sent, StartsWith(std::string("HTTP/1.1 ") + one.status + "\r\n")) << one.request;
    EXPECT_THAT(sent, HasSubstr("connection: close\r\n")) << one.request;
    EXPECT_THAT(sent, Not(HasSubstr("HTTP/1.1 200"))) << one.request;
    EXPECT_TRUE(client.session().is_closed());
    ASSERT_EQ(client.events.size(), 1U) << one.request;
    EXPECT_EQ(client.events[0].type, EventType::closed);
  }
}

TEST(Http1ServerSession, SendsNoContentToHead) {
  for (const std::string request : {"HEAD /a HTTP/1.1\r\nHost: a b\r\n\r\n", "HEAD /a HTTP/1.1\r\n\r\n"}) {
    Http1Client client;

    client.feed(request);

    const std::string sent = client.sent();
    EXPECT_THAT(sent, StartsWith("HTTP/1.1 400 Bad Request\r\n"));
    EXPECT_TRUE(sent.ends_with("\r\n\r\n")) << sent;
  }
}

TEST(Http1ServerSession, RefusesRequestsThatAreNoCallsAndGoesOn) {
  struct Case {
    const char* request;
    const char* status;
  };
  for (const Case& one :
       {Case{"DELETE /A HTTP/1.1\r\nHost: h\r\n\r\n", "405 Method Not Allowed"},
        Case{"OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n", "405 Method Not Allowed"},
        Case{"POST /A HTTP/1.1\r\nHost: h\r\nContent-Type: image/png\r\nContent-Length: 2\r\n\r\nxx",
             "415 Unsupported Media Type"},
        Case{"POST / HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\nxx",
             "404 Not Found"},
        Case{"POST /A HTTP/1.1\r\nHost: h\r\nContent-Type: application/grpc\r\nContent-Length: 2\r\n\r\nxx",
             "505 HTTP Version Not Supported"},
        Case{"POST /A HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nk-bin: ?\r\nContent-Length: 2\r\n\r\nxx",
             "400 Bad Request"}}) {
    Http1Client client;
    client.echo_in_place();

    client.feed(std::string(one.request) + "GET /B?message=1 HTTP/1.1\r\nHost: h\r\n\r\n");

    const std::string sent = client.sent();
    EXPECT_THAT(sent, StartsWith(std::string("HTTP/1.1 ") + one.status + "\r\n")) << one.request;
    EXPECT_THAT(sent, EndsWith(response("1"))) << one.request;
    EXPECT_FALSE(client.session().is_closed());
  }
}

TEST(Http1ServerSession, SaysWhichMethodsOfHttpAMethodTakes) {
  const std::pair<std::string_view, std::string_view> answers[] = {
      {"PUT /A", "405 Method Not Allowed|allow: POST"},
      {"DELETE /Pure?x", "405 Method Not Allowed|allow: GET, POST"},
      {"OPTIONS *", "405 Method Not Allowed|allow: GET, POST"},
      {"PUT /Absent", "404 Not Found|"}};
  for (const auto& [request, answer] : answers) {
    Http1Client client;

    client.feed(std::string(request) + " HTTP/1.1\r\nHost: h\r\n\r\n");

    const std::string sent = client.sent();
    const std::string_view allow = answer.substr(answer.find('|') + 1);
    EXPECT_THAT(sent, StartsWith("HTTP/1.1 " + std::string(answer.substr(0, answer.find('|'))))) << request;
    if (allow.empty()) {
      EXPECT_THAT(sent, Not(HasSubstr("allow:")));
    } else {
      EXPECT_THAT(sent, HasSubstr("\r\n" + std::string(allow) + "\r\n"));
    }
    EXPECT_FALSE(client.session().is_closed());
  }
}

TEST(Http1ServerSession, RefusesRequestsForOtherHosts) {
  SessionOptions options = Http1Client::options();
  options.allowed_hosts = {"h"};
  const std::string evil = "HTTP/1.1\r\nHost: evil.example\r\n";
  for (const std::string& request : {"POST /A " + evil + "Content-Type: application/json\r\nContent-Length: 1\r\n\r\n1",
                                     "GET /route " + evil + "\r\n", "GET http://evil.example/A " + evil + "\r\n",
                                     "OPTIONS /A " + evil + "Origin: http://evil.example\r\n\r\n"}) {
    Http1Client client(options);
    client.routes_version_of_owner = 1;
    client.routes["GET /route"] = {"GET /route", {}};
    client.echo_in_place();

    client.feed(request + Http1Client::post("/B", "1"));

    const std::string sent = client.sent();
    EXPECT_THAT(sent, StartsWith("HTTP/1.1 421 Misdirected Request\r\n")) << request;
    EXPECT_THAT(sent, HasSubstr("the host evil.example is neither one of allowed_hosts nor localhost")) << request;
    EXPECT_THAT(sent, EndsWith(response("1"))) << "a request for the right host is served";
    EXPECT_EQ(client.events.size(), 1U);
  }
  Http1Client nameless(options);
  nameless.feed("POST /A HTTP/1.0\r\n\r\n");
  EXPECT_THAT(nameless.sent(), HasSubstr("421: receive headers: the request names no host"));
}

TEST(Http1ServerSession, AnswersHeadWithoutContent) {
  Http1Client client;
  client.echo_in_place();

  client.feed("HEAD /A HTTP/1.1\r\nHost: h\r\n\r\nGET /A?message=1 HTTP/1.1\r\nHost: h\r\n\r\n");

  const std::string sent = client.sent();
  EXPECT_THAT(sent, StartsWith("HTTP/1.1 405 Method Not Allowed\r\n"));
  EXPECT_THAT(sent, HasSubstr("allow: "));
  EXPECT_THAT(sent, HasSubstr("\r\n\r\nHTTP/1.1 200 OK\r\n"));
}

TEST(Http1ServerSession, LimitsContentInChunks) {
  SessionOptions options = Http1Client::options();
  options.limits.max_message_bytes = 100;
  for (const std::size_t size : {100U, 101U}) {
    Http1Client client(options);
    client.echo_in_place();

    client.feed(chunked("/A", "32\r\n" + std::string(50, 'a') + "\r\n") + (size == 100 ? "32\r\n" : "33\r\n") +
                std::string(size - 50, 'b') + "\r\n0\r\n\r\n");

    EXPECT_EQ(client.sent_status(), size == 100 ? "HTTP/1.1 200 OK" : "HTTP/1.1 413 Content Too Large");
    // All of the content has come, so the next request is where it should be.
    EXPECT_FALSE(client.session().is_closed());
  }
}

TEST(Http1ServerSession, FindsTheNextRequestBehindAContentThatIsTooLong) {
  SessionOptions options = Http1Client::options();
  options.limits.max_message_bytes = 100;
  const std::string requests = chunked("/A", "3\r\nabc\r\n66\r\n" + std::string(102, 'b') + "\r\n0\r\n\r\n") +
                               chunked("/B", "1\r\n1\r\n0\r\n\r\n") + Http1Client::post("/B", "2");
  for (std::size_t split = 1; split < requests.size(); ++split) {
    Http1Client client(options);
    client.echo_in_place();

    client.feed(std::string_view(requests).substr(0, split));
    client.feed(std::string_view(requests).substr(split));

    const std::string sent = client.sent();
    EXPECT_THAT(sent, StartsWith("HTTP/1.1 413 ")) << split;
    EXPECT_THAT(sent, EndsWith(response("1") + response("2"))) << split;
  }
}

TEST(Http1ServerSession, AnswersABrowserThatAsks) {
  SessionOptions options = Http1Client::options();
  options.cors_origins = {"https://app.example"};
  Http1Client client(options);
  client.echo_in_place();
  const std::string question =
      "OPTIONS /A HTTP/1.1\r\nHost: h\r\nOrigin: https://app.example\r\nAccess-Control-Request-Method: POST\r\n"
      "Access-Control-Request-Headers: content-type,x-a\r\n\r\n";

  client.feed(question + Http1Client::post("/A", "1", "Origin: https://app.example\r\n"));

  const std::string sent = client.sent();
  EXPECT_THAT(sent, StartsWith("HTTP/1.1 204 No Content\r\naccess-control-allow-origin: https://app.example\r\n"));
  EXPECT_THAT(sent, HasSubstr("x-user-agent, content-type,x-a\r\n"));
  EXPECT_THAT(sent, HasSubstr("\r\n\r\nHTTP/1.1 200 OK\r\naccess-control-allow-origin: https://app.example\r\n"));
  EXPECT_THAT(sent, EndsWith("\r\n\r\n1"));
  EXPECT_EQ(client.events.size(), 1U);
}

TEST(Http1ServerSession, TellsPagesOfOtherOriginsNothing) {
  SessionOptions options = Http1Client::options();
  options.cors_origins = {"https://app.example"};
  Http1Client client(options);
  client.echo_in_place();
  client.feed(Http1Client::post("/A", "1", "Origin: https://app.example\r\n"));
  EXPECT_THAT(client.sent(), HasSubstr("access-control-allow-origin"));

  client.feed(Http1Client::post("/A", "2", "Origin: https://evil.example\r\n") + Http1Client::post("/A", "3") +
              "OPTIONS /A HTTP/1.1\r\nHost: h\r\nOrigin: https://evil.example\r\n"
              "Access-Control-Request-Method: POST\r\n\r\n");

  const std::string sent = client.sent();
  EXPECT_THAT(sent, StartsWith(response("2") + response("3") + "HTTP/1.1 405 Method Not Allowed\r\n"));
  EXPECT_THAT(sent, Not(HasSubstr("access-control")));
}

TEST(Http1ServerSession, LetsAllowedPagesReadRefusals) {
  SessionOptions options = Http1Client::options();
  options.cors_origins = {"*"};
  Http1Client client(options);
  client.begun = Status(StatusCode::unauthenticated, "who are you");

  client.feed("PUT /A HTTP/1.1\r\nHost: h\r\nOrigin: https://app.example\r\n\r\n");
  EXPECT_THAT(client.sent(), StartsWith("HTTP/1.1 405 Method Not Allowed\r\naccess-control-allow-origin: *\r\n"));
  client.feed("POST /A HTTP/1.1\r\nHost: h\r\nOrigin: https://app.example\r\nContent-Length: 2\r\n\r\n1");
  EXPECT_THAT(client.sent(), StartsWith("HTTP/1.1 401 Unauthorized\r\naccess-control-allow-origin: *\r\n"));
}

TEST(Http1ServerSession, RefusesAGetWithContent) {
  const std::string get = "GET /A?message=1 HTTP/1.1\r\nHost: h\r\n";
  for (const std::string& rest : {std::string("Content-Length: 2\r\n\r\nab"),
                                  std::string("Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n")}) {
    Http1Client client;
    client.echo_in_place();

    client.feed(get + rest + Http1Client::post("/B", "2"));

    const std::string sent = client.sent();
    EXPECT_THAT(sent, StartsWith("HTTP/1.1 400 Bad Request\r\n"));
    EXPECT_THAT(sent, HasSubstr("a GET has content"));
    EXPECT_THAT(sent, EndsWith(response("2")));
    ASSERT_EQ(client.events.size(), 1U);
    EXPECT_EQ(client.events[0].method, "B");
  }
}

TEST(Http1ServerSession, KeepsNothingOfAGetWhoseChunksAreMalformed) {
  Http1Client client;
  client.attach_all();
  client.feed("GET /A?message=1 HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n");

  client.feed(std::string(1 << 20, 'x'));

  EXPECT_TRUE(client.session().is_closed());
  EXPECT_EQ(client.sent_status(), "HTTP/1.1 400 Bad Request");
  EXPECT_LT(client.session().held_bytes(), 64U << 10);
}

TEST(Http1ServerSession, DropsTheContentOfACallThatIsAnsweredEarly) {
  const std::string next = chunked("/B", "1\r\n1\r\n0\r\n\r\n");
  for (const bool has_chunks : {false, true}) {
    const std::string request =
        has_chunks ? chunked("/A", "5\r\nhello\r\n0\r\n\r\n") : Http1Client::post("/A", "hello");
    const std::size_t size = request.size();
    for (std::size_t split = size - 5; split < size; ++split) {
      Http1Client client;
      client.begun = Status(StatusCode::unauthenticated, "who are you");
      client.feed(std::string_view(request).substr(0, split));
      EXPECT_EQ(client.sent_status(), "HTTP/1.1 401 Unauthorized");
      EXPECT_FALSE(client.session().is_closed());
      client.echo_in_place();

      client.feed(request.substr(split) + next);

      EXPECT_EQ(client.sent(), response("1")) << split;
    }
  }
}

TEST(Http1ServerSession, TakesNoRoomForALongContentThatIsRefused) {
  MemoryBudget budget(64 << 20, 1);
  SessionOptions options = Http1Client::options();
  options.memory = &budget;
  for (const bool has_chunks : {false, true}) {
    Http1Client client(options);
    client.begun = Status(StatusCode::unauthenticated, "who are you");
    const std::string body(70000, 'b');
    const std::string request =
        has_chunks ? chunked("/A", "11170\r\n" + body + "\r\n0\r\n\r\n") : Http1Client::post("/A", body);
    // All of it but what the response lets the connection go on with.
    const std::size_t first = request.size() - (60 << 10);
    client.feed(std::string_view(request).substr(0, first));
    EXPECT_EQ(client.sent_status(), "HTTP/1.1 401 Unauthorized");
    client.begun = {};
    client.echo_in_place();

    const std::string_view rest = client.feed(request.substr(first) + Http1Client::post("/B", "2"));

    EXPECT_EQ(rest, "");
    EXPECT_EQ(client.sent(), response("2"));
    EXPECT_EQ(budget.used(), 0U);
  }
}

TEST(Http1ServerSession, SendsNoInterimResponseWithinAResponse) {
  Http1Client client;
  client.on_event = [&](Event& event) {
    if (event.type != EventType::call) return;
    client.session().attach(event.id, &client);
    EXPECT_TRUE(client.session().send(event.id, Http1Client::text("1"), nullptr, false).is_ok());
  };

  // The client does not wait for the interim response that it has asked for.
  client.feed(
      "POST /A HTTP/1.1\r\nHost: h\r\nContent-Type: application/connect+json\r\nExpect: 100-continue\r\n"
      "Transfer-Encoding: chunked\r\n\r\n6\r\n" +
      envelope("1") + "\r\n");

  const std::string sent = client.sent();
  EXPECT_THAT(sent, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(sent, Not(HasSubstr("100 Continue")));
}

TEST(Http1ServerSession, TellsWhichMetadataItDoesNotSend) {
  Http1Client client;
  const Metadata trailing{{"content-length", "1"}};
  client.on_event = [&](Event& event) {
    if (event.type != EventType::call) return;
    const Status failed(StatusCode::aborted, "no");
    EXPECT_EQ(client.session().finish(event.id, failed, {}, &trailing, false).code(), StatusCode::aborted);
  };

  client.feed(Http1Client::post("/A", "1"));

  ASSERT_EQ(client.metadata_dropped.size(), 1U);
  EXPECT_THAT(client.metadata_dropped[0], HasSubstr("content-length"));
  EXPECT_THAT(client.sent(), HasSubstr("\"aborted\""));
}

TEST(Http1ServerSession, CountsTheIdleTimeFromTheResponse) {
  SessionOptions options = Http1Client::options();
  options.limits.stall_timeout = 20s;
  Http1Client client(options);
  client.attach_all();
  client.feed(Http1Client::post("/A", "1"));
  client.advance(60s);

  static_cast<void>(client.session().finish(client.events.at(0).id, {}, Http1Client::text("1"), nullptr, false));
  client.turn();
  client.sent();
  client.advance(1ms);
  client.advance(19s);
  EXPECT_FALSE(client.session().is_closed());
  client.advance(2s);

  EXPECT_TRUE(client.session().is_closed());
}

TEST(Http1ServerSession, CountsTheTimeForTheRestOfAContentFromTheResponse) {
  SessionOptions options = Http1Client::options();
  options.limits.handshake_timeout = 2s;
  Http1Client client(options);
  client.attach_all();
  client.feed(begun_stream(envelope("1")));
  client.advance(60s);

  static_cast<void>(client.session().finish(client.events.at(0).id, {}, {}, nullptr, false));
  client.turn();
  client.sent();
  client.advance(1ms);
  client.advance(1s);
  EXPECT_FALSE(client.session().is_closed());
  client.advance(2s);

  EXPECT_TRUE(client.session().is_closed());
}

TEST(Http1ServerSession, HearsTheClientOfAStreamThatAlwaysHasMoreToSend) {
  SessionOptions options = Http1Client::options();
  options.limits.max_unsent_bytes = 100000;
  Http1Client client(options);
  client.attach_all();
  client.feed(begun_stream(envelope("1")));
  const CallId id = client.events.at(0).id;
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(client.session().send(id, Http1Client::text(std::string(40000, '1')), nullptr, false).is_ok());
  }
  client.turn();
  EXPECT_EQ(client.feed("6\r\n" + envelope("2") + "\r\n").empty(), false) << "it does not read";

  client.was_woken = false;
  client.sent(75000);
  EXPECT_TRUE(client.was_woken);
  client.turn();
  client.feed("6\r\n" + envelope("2") + "\r\n");

  EXPECT_EQ(client.events.back().payload, "2");
}

TEST(Http1ServerSession, KnowsHowMuchOfAMessageHasCome) {
  Http1Client client;
  client.attach_all();

  client.feed(begun_stream(envelope("12345").substr(0, 6)));
  const CallId id = client.events.at(0).id;

  EXPECT_EQ(client.session().received_of_message(id), 1U);
  EXPECT_EQ(client.session().received_of_message(id + 1), 0U);
}

TEST(Http1ServerSession, KeepsAConnectionWhoseStreamEndsBeforeTheRequest) {
  // Many clients send the last chunk by itself.
  Http1Client client;
  client.on_event = [&](Event& event) {
    if (event.type != EventType::call) return;
    EXPECT_TRUE(client.session().send(event.id, Http1Client::text("1"), nullptr, false).is_ok());
    EXPECT_TRUE(client.session().finish(event.id, {}, {}, nullptr, false).is_ok());
  };
  client.feed(begun_stream(envelope("1")));
  EXPECT_THAT(client.sent(), EndsWith("\r\n0\r\n\r\n"));
  client.echo_in_place();

  client.feed("0\r\n\r\n" + Http1Client::post("/B", "2"));

  EXPECT_EQ(client.sent(), response("2"));
}

TEST(Http1ServerSession, EndsWithAResponseThatSaysSoIfMuchOfTheContentIsLeft) {
  for (const std::string_view type : {"application/json", "application/grpc-web+json"}) {
    for (const bool has_chunks : {false, true}) {
      Http1Client client;
      client.begun = Status(StatusCode::unauthenticated, "who are you");

      client.feed(
          "POST /A HTTP/1.1\r\nHost: h\r\nContent-Type: " + std::string(type) +
          (has_chunks ? "\r\nTransfer-Encoding: chunked\r\n\r\n11000\r\n" : "\r\nContent-Length: 70000\r\n\r\n") +
          std::string("\0\0\0\xF0\0", 5) + "a");

      EXPECT_THAT(client.sent(), HasSubstr("\r\nconnection: close\r\n")) << type << has_chunks;
      EXPECT_TRUE(client.session().is_closed());
    }
  }
}

TEST(Http1ServerSession, DropsAnyAmountOfAContentOnceItsResponseKeepsTheConnection) {
  // Clients use a connection again once they have sent the content and read the response, however long the content was.
  for (const bool has_begun : {false, true}) {
    Http1Client client;
    client.on_event = [&](Event& event) {
      if (event.type != EventType::call) return;
      if (has_begun) {
        EXPECT_TRUE(client.session().send(event.id, Http1Client::text("1"), nullptr, false).is_ok());
      }
      EXPECT_TRUE(client.session().finish(event.id, {}, {}, nullptr, false).is_ok());
    };
    client.feed(
        "POST /A HTTP/1.1\r\nHost: h\r\nContent-Type: application/connect+json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n6\r\n" +
        envelope("1") + "\r\n");
    EXPECT_THAT(client.sent(), EndsWith("\r\n0\r\n\r\n"));
    client.echo_in_place();

    for (int i = 0; i < 50; ++i) client.feed("2000\r\n" + std::string(0x2000, 'a') + "\r\n");
    client.feed("0\r\n\r\n" + Http1Client::post("/B", "2"));

    EXPECT_EQ(client.sent(), response("2"));
  }
}

TEST(Http1ServerSession, DropsAContentForSoLong) {
  Http1Client client;
  client.begun = Status(StatusCode::unauthenticated, "who are you");
  client.feed(chunked("/A", "1\r\na\r\n"));
  client.sent();
  for (int i = 0; i < 9; ++i) {
    client.advance(1s);
    client.feed("1\r\na\r\n");
  }
  EXPECT_FALSE(client.session().is_closed());

  client.advance(1100ms);

  EXPECT_TRUE(client.session().is_closed());
  EXPECT_EQ(client.sent(), "");
}

TEST(Http1ServerSession, EndsWhereADroppedContentIsMalformed) {
  Http1Client client;
  client.begun = Status(StatusCode::unauthenticated, "who are you");
  client.feed(chunked("/A", "5\r\nhe"));

  client.feed("lloXX");

  EXPECT_TRUE(client.session().is_closed());
}

// --- Connect and gRPC-Web ---

std::string stream(std::string_view content, std::string_view type = "application/connect+json") {
  return "POST /A HTTP/1.1\r\nHost: h\r\nContent-Type: " + std::string(type) +
         "\r\nContent-Length: " + std::to_string(content.size()) + "\r\n\r\n" + std::string(content);
}

TEST(Http1ServerSession, ReadsMessagesWithPrefixes) {
  const std::string request = stream(envelope("one") + envelope("") + envelope(std::string(300, 'x')));
  for (const std::size_t part : {1U, 5U, 100U, 10000U}) {
    Http1Client client;
    client.attach_all();

    client.feed(request, part);
    static_cast<void>(client.session().send(1, Http1Client::text("yes"), nullptr, false));
    static_cast<void>(client.session().finish(1, {}, {}, nullptr, false));

    std::vector<std::string> messages;
    bool has_ended = false;
    for (const Seen& seen : client.events) {
      if (seen.has_message) messages.push_back(seen.payload);
      has_ended = has_ended || seen.end;
    }
    EXPECT_THAT(messages, ElementsAre("one", "", std::string(300, 'x'))) << part;
    EXPECT_TRUE(has_ended);
    const std::string sent = client.sent();
    EXPECT_THAT(sent, HasSubstr("content-type: application/connect+json\r\n"));
    EXPECT_THAT(sent, HasSubstr("8\r\n" + envelope("yes") + "\r\n"));
    EXPECT_THAT(sent, EndsWith("7\r\n" + envelope("{}", 2) + "\r\n0\r\n\r\n"));
    EXPECT_FALSE(client.session().is_closed());
  }
}

TEST(Http1ServerSession, HandsOutAStreamBeforeItsFirstMessage) {
  Http1Client client;
  client.attach_all();

  client.feed(
      "POST /A HTTP/1.1\r\nHost: h\r\nContent-Type: application/connect+json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n");

  ASSERT_EQ(client.events.size(), 1U);
  EXPECT_EQ(client.events[0].type, EventType::call);
  EXPECT_FALSE(client.events[0].has_message);
  EXPECT_FALSE(client.events[0].end);
}

TEST(Http1ServerSession, RefusesBadPrefixesInTheEndOfTheStream) {
  for (const std::string& content : {envelope("a", 4), std::string("\0\0\0", 3), envelope("a", 1)}) {
    Http1Client client;
    client.attach_all();

    client.feed(stream(content));

    const std::string sent = client.sent();
    EXPECT_THAT(sent, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(sent, HasSubstr(content == envelope("a", 1) ? R"({"error":{"code":"internal")"
                                                            : R"({"error":{"code":"invalid_argument")"));
    EXPECT_THAT(sent, EndsWith("0\r\n\r\n"));
  }
}

TEST(Http1ServerSession, EndsTheCallOfAStreamThatGoesWrong) {
  Http1Client client;
  client.attach_all();
  client.feed(begun_stream(envelope("1")));
  ASSERT_EQ(client.events.size(), 1U);

  client.feed("6\r\n" + envelope("2", 9) + "\r\n");

  ASSERT_EQ(client.events.size(), 2U);
  EXPECT_EQ(client.events[1].type, EventType::cancelled);
  EXPECT_EQ(client.events[1].context, &client.events);
  EXPECT_EQ(client.events[1].status.code(), StatusCode::invalid_argument);
  EXPECT_THAT(client.sent(), EndsWith("0\r\n\r\n"));
}

TEST(Http1ServerSession, KeepsWhatFollowsARetainedMessage) {
  SessionOptions options = Http1Client::options();
  options.limits.call_credit_bytes = 100;
  options.limits.read_buffer_bytes = 4096;
  Http1Client client(options);
  client.on_event = [&](Event& event) {
    if (event.type == EventType::call) client.session().attach(event.id, &client);
    event.is_retained = event.has_message;
  };
  std::string content;
  for (char letter = 'a'; letter <= 'z'; ++letter) content += envelope(std::string(500, letter));
  const std::string request = stream(content);

  // Each part moves the buffer.
  client.feed(request, 700);
  for (std::size_t taken = 0; taken < 26; ++taken) {
    ASSERT_GT(client.events.size(), taken);
    client.session().release(1, client.events[taken].credit);
    client.turn();
  }

  for (std::size_t i = 0; i < 26; ++i) {
    EXPECT_EQ(client.events.at(i).payload, std::string(500, static_cast<char>('a' + i))) << i;
  }
}

TEST(Http1ServerSession, MayGetMessagesBackWhileTheyAreInHand) {
  SessionOptions options = Http1Client::options();
  options.limits.call_credit_bytes = 1000;
  Http1Client client(options);
  client.on_event = [&](Event& event) {
    if (event.type == EventType::call) client.session().attach(event.id, &client);
    event.is_retained = event.has_message;
    if (event.has_message) client.session().release(event.id, event.credit);
  };
  std::string content;
  for (int i = 0; i < 20; ++i) content += envelope(std::string(400, 'x'));

  client.feed(stream(content));

  EXPECT_TRUE(client.last().end);
  EXPECT_GE(client.events.size(), 20U);
}

TEST(Http1ServerSession, WritesGrpcWebTrailersIntoTheContent) {
  Http1Client client;
  client.attach_all();
  client.feed(stream(envelope("1"), "application/grpc-web+json"));

  static_cast<void>(client.session().finish(1, {}, Http1Client::text("2"), nullptr, false));

  EXPECT_THAT(client.sent(), EndsWith("6\r\n" + envelope("2") + "\r\n15\r\n" + envelope("grpc-status: 0\r\n", '\x80') +
                                      "\r\n0\r\n\r\n"));
}

TEST(Http1ServerSession, StopsReadingMessagesThatNobodyTakes) {
  SessionOptions options = Http1Client::options();
  options.limits.call_credit_bytes = 1000;
  Http1Client client(options);
  client.on_event = [&](Event& event) {
    if (event.type == EventType::call) client.session().attach(event.id, &client);
    event.is_retained = event.has_message;
  };
  client.feed(stream(envelope(std::string(600, 'a')) + envelope(std::string(600, 'b')) + envelope("c")));

  ASSERT_EQ(client.events.size(), 2U);
  EXPECT_GE(client.session().held_bytes(), 1200U);
  client.session().release(1, client.events[0].credit);
  client.turn();

  ASSERT_GE(client.events.size(), 3U);
  EXPECT_EQ(client.events[2].payload, "c");
}

TEST(Http1ServerSession, ReadsTheEndBehindAMessageThatIsAllOfTheCredit) {
  SessionOptions options = Http1Client::options();
  options.limits.call_credit_bytes = 1000;
  Http1Client client(options);
  client.on_event = [&](Event& event) {
    if (event.type == EventType::call) client.session().attach(event.id, &client);
    event.is_retained = event.has_message;
  };

  client.feed(
      "POST /A HTTP/1.1\r\nHost: h\r\nContent-Type: application/connect+json\r\nTransfer-Encoding: chunked\r\n\r\n");
  client.feed("7d5\r\n" + envelope(std::string(2000, 'a')) + "\r\n0\r\n\r\n");

  EXPECT_EQ(client.events.at(1).payload.size(), 2000U);
  EXPECT_TRUE(client.last().end);
}

// --- times ---

TEST(Http1ServerSession, EndsACallAtItsDeadline) {
  Http1Client client;
  client.attach_all();
  client.feed(Http1Client::post("/A", "1", "Connect-Timeout-Ms: 100\r\n"));

  client.advance(101ms);

  EXPECT_EQ(client.last().type, EventType::cancelled);
  EXPECT_EQ(client.last().status.code(), StatusCode::deadline_exceeded);
  EXPECT_EQ(client.sent_status(), "HTTP/1.1 504 Gateway Timeout");
  EXPECT_TRUE(client.session().finish(1, {}, Http1Client::text("late"), nullptr, false).is_ok());
  EXPECT_EQ(client.sent(), "");
  client.echo_in_place();
  client.feed(Http1Client::post("/A", "2"));
  EXPECT_EQ(client.sent(), response("2"));
}

TEST(Http1ServerSession, AnswersAHeadThatDoesNotComeWith408) {
  Http1Client client;
  client.echo_in_place();
  client.feed(Http1Client::post("/A", "1"));
  client.sent();
  client.feed("GET /A HTTP/1.1\r\nHo");
  for (int i = 0; i < 9; ++i) {
    client.advance(1s);
    client.feed("s");
  }
  EXPECT_FALSE(client.session().is_closed());

  client.advance(1100ms);

  EXPECT_EQ(client.sent_status(), "HTTP/1.1 408 Request Timeout");
  EXPECT_TRUE(client.session().is_closed());
}

TEST(Http1ServerSession, LetsARequestWaitUntilASlowClientHasTakenTheResponseBefore) {
  SessionOptions options = Http1Client::options();
  options.limits.max_unsent_bytes = 1000;
  options.limits.handshake_timeout = 10s;
  Http1Client client(options);
  client.echo_in_place();
  client.feed(Http1Client::post("/A", std::string(1500, 'a')) + Http1Client::post("/B", "2"));

  client.advance(11s);

  EXPECT_EQ(client.sent(), response(std::string(1500, 'a')));
  client.turn();
  EXPECT_EQ(client.sent(), response("2"));
}

TEST(Http1ServerSession, AnswersAContentThatDoesNotComeWith408) {
  SessionOptions options = Http1Client::options();
  options.limits.stall_timeout = 20s;
  Http1Client client(options);
  client.echo_in_place();
  client.feed("POST /A HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n");

  for (int i = 0; i < 45 && !client.session().is_closed(); ++i) {
    client.advance(1s);
    client.feed("a");
  }

  EXPECT_EQ(client.sent_status(), "HTTP/1.1 408 Request Timeout");
  EXPECT_TRUE(client.session().is_closed());
}

TEST(Http1ServerSession, LetsAStreamRestBetweenItsMessages) {
  SessionOptions options = Http1Client::options();
  options.limits.stall_timeout = 20s;
  Http1Client client(options);
  client.attach_all();
  client.feed(begun_stream(envelope("1")));

  for (int i = 0; i < 20; ++i) client.advance(5s);

  EXPECT_FALSE(client.session().is_closed());
  client.feed("6\r\n" + envelope("2") + "\r\n0\r\n\r\n");
  EXPECT_EQ(client.events.at(1).payload, "2");
}

TEST(Http1ServerSession, EndsAConnectionThatIsIdle) {
  SessionOptions options = Http1Client::options();
  options.limits.stall_timeout = 20s;
  Http1Client client(options);
  client.echo_in_place();
  client.feed(Http1Client::post("/A", "1"));
  client.sent();
  client.advance(15s);
  client.feed(Http1Client::post("/A", "2"));
  EXPECT_EQ(client.sent(), response("2"));
  client.advance(15s);
  EXPECT_FALSE(client.session().is_closed());

  client.advance(6s);

  EXPECT_TRUE(client.session().is_closed());
  EXPECT_TRUE(client.session().close_reason().is_ok());
  EXPECT_EQ(client.sent(), "");
}

TEST(Http1ServerSession, EndsAnIdleConnectionWhoseClientTakesNothingOfAShortResponse) {
  SessionOptions options = Http1Client::options();
  options.limits.stall_timeout = 20s;
  Http1Client client(options);
  client.echo_in_place();
  client.feed(Http1Client::post("/A", "1"));

  client.advance(21s);

  EXPECT_TRUE(client.session().is_closed());
}

TEST(Http1ServerSession, EndsAnIdleConnectionWhoseClientHasTakenTheResponseLate) {
  SessionOptions options = Http1Client::options();
  options.limits.stall_timeout = 20s;
  Http1Client client(options);
  client.echo_in_place();
  client.feed(Http1Client::post("/A", "1"));
  client.advance(15s);
  std::array<ByteSpan, 16> spans;
  ASSERT_GT(client.session().gather(spans), 0U);
  client.session().wrote(1);
  client.advance(6s);
  EXPECT_FALSE(client.session().is_closed());
  client.sent();

  client.advance(21s);

  EXPECT_TRUE(client.session().is_closed());
}

TEST(Http1ServerSession, EndsWhenTheClientTakesNothing) {
  SessionOptions options = Http1Client::options();
  options.limits.stall_timeout = 20s;
  options.limits.max_unsent_bytes = 1000;
  Http1Client client(options);
  client.echo_in_place();
  client.feed(Http1Client::post("/A", std::string(50000, 'a')));

  client.advance(11s);
  client.advance(11s);
  client.advance(11s);

  EXPECT_TRUE(client.session().is_closed());
}

// --- memory ---

TEST(Http1ServerSession, ReadsNoFurtherRequestsWhileResponsesWait) {
  SessionOptions options = Http1Client::options();
  options.limits.max_unsent_bytes = 1000;
  Http1Client client(options);
  client.echo_in_place();
  client.feed(Http1Client::post("/A", std::string(1500, 'a')) + Http1Client::post("/A", "2"));
  ASSERT_EQ(client.events.size(), 1U);
  client.was_woken = false;

  client.sent();
  EXPECT_TRUE(client.was_woken);
  client.turn();

  EXPECT_EQ(client.sent(), response("2"));
}

TEST(Http1ServerSession, ReadsNoFurtherRequestsWhileTheRestOfAResponseWaits) {
  SessionOptions options = Http1Client::options();
  options.limits.max_unsent_bytes = 5000;
  Http1Client client(options);
  client.echo_in_place();
  const std::string requests = Http1Client::post("/A", std::string(6000, 'a')) + Http1Client::post("/A", "2");
  ASSERT_EQ(client.hand_over(requests), requests.size());
  ASSERT_TRUE(client.step());

  // A part of the response is taken before the session is asked for the next event.
  client.session().wrote(4000);
  client.turn();

  EXPECT_EQ(client.events.size(), 1U);
  EXPECT_GE(client.session().held_bytes(), 6000U);
}

TEST(Http1ServerSession, BuffersLittleWhileARequestIsServed) {
  Http1Client client;
  client.attach_all();
  client.feed(Http1Client::post("/A", "1"));
  const std::string more = Http1Client::post("/A", std::string(1000, 'a'));
  std::string flood;
  for (int i = 0; i < 1000; ++i) flood += more;

  const std::string_view left = client.feed(flood, 10000);

  EXPECT_GT(left.size(), flood.size() - 100000);
  EXPECT_LT(client.session().held_bytes(), 600000U);
}

TEST(Http1ServerSession, TakesRoomForLongContent) {
  MemoryBudget budget(64 << 20, 1);
  SessionOptions options = Http1Client::options();
  options.limits.max_message_bytes = 16 << 20;
  options.memory = &budget;
  Http1Client client(options);
  client.echo_in_place();
  const std::string body(4 << 20, 'a');
  const std::string request = Http1Client::post("/A", body);

  client.feed(std::string_view(request).substr(0, 1000));
  EXPECT_GE(budget.used(), body.size());
  client.feed(std::string_view(request).substr(1000), 100000);

  EXPECT_EQ(client.events.at(0).payload, body);
  client.sent();
  client.turn();
  EXPECT_EQ(budget.used(), 0U);
}

TEST(Http1ServerSession, ReturnsRoomWhenTheClientIsGone) {
  MemoryBudget budget(64 << 20, 1);
  SessionOptions options = Http1Client::options();
  options.memory = &budget;
  options.limits.max_message_bytes = 16 << 20;
  Http1Client client(options);
  client.feed(chunked("/A", "20000\r\n" + std::string(0x20000, 'a') + "\r\n"));
  EXPECT_GE(budget.used(), 2U * 0x20000);

  client.session().transport_closed({});
  client.turn();

  EXPECT_EQ(budget.used(), 0U);
  EXPECT_THAT(client.dropped, ElementsAre(1));
}

/// Contents in chunks that pause, of clients that each have sent little.
TEST(Http1ServerSession, TakesRoomForContentInChunksAsItComes) {
  MemoryBudget budget(64 << 20, 1);
  SessionOptions options = Http1Client::options();
  options.memory = &budget;
  options.limits.max_message_bytes = 16 << 20;
  std::vector<std::unique_ptr<Http1Client>> paused;
  for (int i = 0; i < 100; ++i) {
    paused.push_back(std::make_unique<Http1Client>(options));
    paused.back()->feed(chunked("/A", "12000\r\n" + std::string(0x12000, 'a') + "\r\n"));
  }
  Http1Client client(options);
  client.echo_in_place();
  const std::string body(4 << 20, 'a');
  const std::string request = Http1Client::post("/A", body);

  EXPECT_EQ(client.feed(request, 100000), "");

  EXPECT_EQ(client.events.at(0).payload, body);
  for (auto& one : paused) one->session().transport_closed({});
}

TEST(Http1ServerSession, NeedsNoRoomForShortContent) {
  MemoryBudget budget(64 << 20, 1);
  SessionOptions options = Http1Client::options();
  options.memory = &budget;
  options.limits.max_message_bytes = 16 << 20;
  const int reserve = 0;
  ASSERT_TRUE(budget.try_add(48 << 20));
  ASSERT_TRUE(budget.try_add_from_reserve(16 << 20, &reserve));
  budget.add_room(64 << 20);
  Http1Client client(options);
  client.echo_in_place();
  const std::string body = "\"" + std::string(60000, 'a') + "\"";
  const std::string request = Http1Client::post("/A", body);

  client.feed(request, 10000);
  const std::string_view left = client.feed(Http1Client::post("/A", std::string(70000, 'b')), 10000);

  EXPECT_EQ(client.events.at(0).payload, body);
  EXPECT_NE(left, "") << "a long one waits";
  budget.subtract_room(64 << 20);
  budget.subtract(64 << 20);
  budget.free_reserve(&reserve);
}

/// The content that may go on does not wait again.
TEST(Http1ServerSession, LetsOneContentInChunksEndWhereThereIsNoRoomForMore) {
  MemoryBudget budget(64 << 20, 1);
  SessionOptions options = Http1Client::options();
  options.memory = &budget;
  options.limits.max_message_bytes = 16 << 20;
  ASSERT_TRUE(budget.try_add(48 << 20));
  budget.add_room(48 << 20);
  Http1Client first(options);
  Http1Client second(options);
  const std::string begin = chunked("/A", "20000\r\n" + std::string(0x20000, 'a') + "\r\n");
  const std::string rest = "400000\r\n" + std::string(0x400000, 'a') + "\r\n0\r\n\r\n";
  EXPECT_EQ(first.feed(begin, 10000), "");
  static_cast<void>(second.feed(begin, 10000));

  EXPECT_EQ(first.feed(rest, 100000), "");
  EXPECT_NE(second.feed(rest, 100000), "");

  ASSERT_EQ(first.events.size(), 1U);
  EXPECT_EQ(first.events[0].payload.size(), 0x420000U);
  budget.subtract_room(48 << 20);
  budget.subtract(48 << 20);
}

TEST(Http1ServerSession, RefusesCallsWhileMemoryIsShort) {
  MemoryBudget budget(1 << 20, 1);
  SessionOptions options = Http1Client::options();
  options.memory = &budget;
  Http1Client client(options);
  client.echo_in_place();
  budget.add(1 << 20);

  client.feed(Http1Client::post("/A", "1"));

  EXPECT_EQ(client.sent_status(), "HTTP/1.1 503 Service Unavailable");
  budget.subtract(1 << 20);
}

// --- the end ---

TEST(Http1ServerSession, DrainsAfterTheCallThatIsServed) {
  Http1Client client;
  client.attach_all();
  client.feed(Http1Client::post("/A", "1") + Http1Client::post("/A", "2"));

  client.session().drain();
  EXPECT_FALSE(client.session().is_drained());
  static_cast<void>(client.session().finish(1, {}, Http1Client::text("one"), nullptr, false));

  EXPECT_THAT(client.sent(), HasSubstr("connection: close\r\n"));
  client.turn();
  EXPECT_TRUE(client.session().is_closed());
  EXPECT_EQ(client.last().type, EventType::closed);
  EXPECT_EQ(client.events.size(), 2U);
}

TEST(Http1ServerSession, DrainsWithoutAContentThatDoesNotComeButWaitsForOneThatDoes) {
  Http1Client client;
  client.echo_in_place();
  client.feed("POST /A HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n");

  client.session().drain();
  for (int i = 0; i < 5; ++i) {
    client.advance(8s);
    client.feed("a");
  }
  const bool was_closed_early = client.session().is_closed();
  client.advance(11s);
  client.advance(11s);

  EXPECT_FALSE(was_closed_early);
  EXPECT_TRUE(client.session().is_closed()) << "stall_timeout is longer";
  EXPECT_EQ(client.sent_status(), "HTTP/1.1 408 Request Timeout");
}

TEST(Http1ServerSession, IsDrainedAtOnceWithoutACall) {
  Http1Client client;
  client.session().drain();
  EXPECT_TRUE(client.session().is_drained());
}

TEST(Http1ServerSession, CancelsTheCallOfAClientThatIsGone) {
  Http1Client client;
  client.attach_all();
  client.feed(Http1Client::post("/A", "1"));

  client.session().transport_closed({});
  client.turn();

  ASSERT_EQ(client.events.size(), 3U);
  EXPECT_EQ(client.events[1].type, EventType::cancelled);
  EXPECT_EQ(client.events[1].context, &client.events);
  EXPECT_EQ(client.events[1].status.code(), StatusCode::unavailable);
  EXPECT_EQ(client.events[2].type, EventType::closed);
}

TEST(Http1ServerSession, OwesTheResponsesOfWholeRequestsToAClientThatSendsNothingMore) {
  Http1Client idle;
  idle.session().input_ended();
  Http1Client half;
  half.attach_all();
  half.feed("POST /A HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n1");
  half.session().input_ended();
  half.session().ask_peer();
  Http1Client whole;
  whole.attach_all();
  whole.feed(Http1Client::post("/A", "1") + Http1Client::post("/B", "2"));
  whole.session().input_ended();
  const std::string sent_at_once = whole.sent();
  whole.session().ask_peer();
  const bool owes_first = whole.session().owes_response();
  static_cast<void>(whole.session().finish(1, {}, Http1Client::text("3"), nullptr, false));
  whole.turn();
  const bool owes_second = whole.session().owes_response();
  static_cast<void>(whole.session().finish(2, {}, Http1Client::text("4"), nullptr, false));
  whole.turn();

  EXPECT_FALSE(idle.session().owes_response());
  EXPECT_FALSE(half.session().owes_response());
  EXPECT_TRUE(owes_first);
  EXPECT_TRUE(owes_second) << "it came in one read with the first one";
  EXPECT_FALSE(whole.session().owes_response());
  EXPECT_EQ(sent_at_once, "");
  EXPECT_EQ(whole.sent(), "HTTP/1.1 100 Continue\r\n\r\n" + response("3") + response("4"))
      << "a client that is gone would have reset the connection";
  EXPECT_EQ(half.sent(), "");
}

TEST(Http1ServerSession, SendsClientsOfHttp10NoInterimResponse) {
  Http1Client client;
  client.attach_all();
  client.feed("POST /A HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: 1\r\n\r\n1");

  client.session().input_ended();
  client.session().ask_peer();

  EXPECT_TRUE(client.session().owes_response());
  EXPECT_EQ(client.sent(), "");
}

TEST(Http1ServerSession, OwesAStreamToAClientThatHasEndedItsSideBeforeItBegan) {
  Http1Client before;
  before.attach_all();
  before.feed(Http1Client::post("/A", "1"));
  before.session().input_ended();
  static_cast<void>(before.session().send(1, Http1Client::text("2"), nullptr, false));
  Http1Client after;
  after.attach_all();
  after.feed(Http1Client::post("/A", "1"));
  static_cast<void>(after.session().send(1, Http1Client::text("2"), nullptr, false));
  after.session().input_ended();

  EXPECT_TRUE(before.session().owes_response());
  EXPECT_FALSE(after.session().owes_response()) << "it has closed its connection";
}

TEST(Http1ServerSession, AnswersTheCallThatACloseEnds) {
  Http1Client client;
  client.attach_all();
  client.feed(Http1Client::post("/A", "1"));

  client.session().close({StatusCode::unavailable, "the server stops"});
  client.turn();

  EXPECT_EQ(client.sent_status(), "HTTP/1.1 503 Service Unavailable");
  EXPECT_EQ(client.events.at(1).type, EventType::cancelled);
}

TEST(Http1ServerSession, LeavesABrokenStreamWithoutItsEnd) {
  Http1Client client;
  client.attach_all();
  client.feed(Http1Client::post("/A", "1"));
  static_cast<void>(client.session().send(1, Http1Client::text("1"), nullptr, false));

  client.session().close({StatusCode::unavailable, "the server stops"});

  EXPECT_THAT(client.sent(), Not(HasSubstr("0\r\n\r\n")));
}

TEST(Http1ServerSession, FinishesACallThatNobodyTakes) {
  Http1Client client;

  client.feed(Http1Client::post("/A", "1"));

  EXPECT_EQ(client.sent_status(), "HTTP/1.1 500 Internal Server Error");
}

TEST(Http1ServerSession, StaysUsableAfterACallThatIsLate) {
  Http1Client client;
  client.attach_all();
  client.feed(Http1Client::post("/A", "1", "Connect-Timeout-Ms: 100\r\n"));
  client.advance(200ms);
  client.sent();
  client.feed(Http1Client::post("/A", "2"));

  // The handler of the first call finishes while the second runs.
  static_cast<void>(client.session().finish(1, {}, Http1Client::text("one"), nullptr, false));
  EXPECT_EQ(client.sent(), "");
  static_cast<void>(client.session().finish(2, {}, Http1Client::text("two"), nullptr, false));

  EXPECT_EQ(client.sent(), response("two"));
}

}  // namespace
}  // namespace trunkline::session::http1
