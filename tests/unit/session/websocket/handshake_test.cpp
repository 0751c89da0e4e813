// SPDX-License-Identifier: MIT
// ServerHandshake and ClientHandshake: what each requires of the other.
#include "http/http1/request_reader.h"
#include "http/http1/response_reader.h"
#include "session/websocket/client_handshake.h"
#include "session/websocket/server_handshake.h"
#include "session/websocket/upgrade.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace trunkline::session::websocket {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// The request of RFC 6455, section 1.3, without what `omitted` begins with, and with `added`.
std::string request(std::string_view omitted = {}, std::string_view added = {},
                    std::string_view first_line = "GET /chat HTTP/1.1") {
  std::string out = std::string(first_line) + "\r\n";
  for (const std::string_view line : {"Host: server.example.com", "Upgrade: websocket",
                                      "Connection: keep-alive, Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                                      "Sec-WebSocket-Protocol: other, trunkline.v1", "Sec-WebSocket-Version: 13"}) {
    if (omitted.empty() || !line.starts_with(omitted)) out.append(line).append("\r\n");
  }
  return out.append(added).append("\r\n");
}

ServerHandshake answer(const std::string& bytes, const std::vector<std::string>& allowed_origins = {},
                       const std::vector<std::string>& allowed_hosts = {}) {
  http::http1::RequestReader reader{{}};
  if (reader.read(bytes) != http::http1::RequestReader::Outcome::head) return ServerHandshake::refuse(reader.error());
  return ServerHandshake::answer(reader.head(), {allowed_origins, allowed_hosts});
}

TEST(WebSocketServerHandshake, AnswersTheExampleOfTheSpecification) {
  const ServerHandshake handshake = answer(request());

  EXPECT_EQ(handshake.problem, "");
  EXPECT_EQ(handshake.response,
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\nSec-WebSocket-Protocol: trunkline.v1\r\n\r\n");
}

void expect_refused(const std::string& bytes, std::string_view status, std::string_view text) {
  const ServerHandshake handshake = answer(bytes);

  EXPECT_THAT(handshake.response, StartsWith("HTTP/1.1 " + std::string(status) + " ")) << bytes;
  EXPECT_THAT(handshake.response, HasSubstr("\r\n\r\n" + handshake.problem + "\n"));
  EXPECT_THAT(handshake.response, HasSubstr("close\r\n"));
  EXPECT_THAT(handshake.problem, HasSubstr(std::string(text)));
}

TEST(WebSocketServerHandshake, RefusesWhatAsksForNoWebSocket) {
  expect_refused(request("Upgrade"), "426", "native protocol of Trunkline");
  expect_refused(request("Connection"), "426", "native protocol of Trunkline");
  expect_refused(request("Upgrade", "Upgrade: h2c\r\n"), "426", "native protocol of Trunkline");
  expect_refused(request({}, {}, "HEAD / HTTP/1.1"), "405", "GET");
  expect_refused(request({}, {}, "GET / HTTP/1.0"), "400", "HTTP/1.1");
}

TEST(WebSocketServerHandshake, NamesTheVersionThatItSpeaks) {
  expect_refused(request("Sec-WebSocket-Version"), "426", "Sec-WebSocket-Version");
  expect_refused(request("Sec-WebSocket-Version", "Sec-WebSocket-Version: 8\r\n"), "426", "is not 13");

  EXPECT_THAT(answer(request("Sec-WebSocket-Version")).response, HasSubstr("\r\nSec-WebSocket-Version: 13\r\n"));
}

TEST(WebSocketServerHandshake, NeedsOneKeyOf16Bytes) {
  expect_refused(request("Sec-WebSocket-Key"), "400", "Sec-WebSocket-Key");
  expect_refused(request({}, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"), "400", "Sec-WebSocket-Key");
  for (const std::string_view key : {"", "dGhl", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZXMh", "????"}) {
    expect_refused(request("Sec-WebSocket-Key", "Sec-WebSocket-Key: " + std::string(key) + "\r\n"), "400",
                   "Sec-WebSocket-Key");
  }
}

TEST(WebSocketServerHandshake, NeedsTheSubprotocol) {
  expect_refused(request("Sec-WebSocket-Protocol"), "400", "trunkline.v1");
  expect_refused(request("Sec-WebSocket-Protocol", "Sec-WebSocket-Protocol: trunkline.v2\r\n"), "400", "trunkline.v1");

  const std::string two = "Sec-WebSocket-Protocol: a\r\nSec-WebSocket-Protocol: trunkline.v1 , b\r\n";
  EXPECT_EQ(answer(request("Sec-WebSocket-Protocol", two)).problem, "");
}

TEST(WebSocketServerHandshake, RefusesContent) {
  expect_refused(request({}, "Content-Length: 5\r\n"), "400", "no content");
  expect_refused(request({}, "Transfer-Encoding: chunked\r\n"), "400", "no content");
  expect_refused(request({}, "Expect: 100-continue\r\n"), "400", "no content");

  EXPECT_EQ(answer(request({}, "Content-Length: 0\r\n")).problem, "");
}

TEST(WebSocketServerHandshake, RefusesHeadsThatCannotBeRead) {
  expect_refused("GET / HTTP/1.1\nHost: a\n\n", "400", "line feed");
  expect_refused(request("Host"), "400", "Host");
  expect_refused(request({}, "Folded: a\r\n b\r\n"), "400", "folded");
}

TEST(WebSocketServerHandshake, IsForAnAllowedHost) {
  const ServerHandshake refused = answer(request(), {}, {"api.example.com"});
  const ServerHandshake allowed = answer(request(), {}, {"*.example.com"});

  EXPECT_THAT(refused.response, StartsWith("HTTP/1.1 421 Misdirected Request\r\n"));
  EXPECT_THAT(refused.problem, HasSubstr("the host server.example.com is neither one of allowed_hosts"));
  EXPECT_EQ(allowed.problem, "");
}

TEST(WebSocketServerHandshake, ChecksTheOriginOfPages) {
  expect_refused(request({}, "Origin: http://evil.example\r\n"), "403", "Origin");
  expect_refused(request({}, "Origin: null\r\n"), "403", "Origin");
  expect_refused(request({}, "Origin: http://server.example.com\r\nOrigin: http://server.example.com\r\n"), "403",
                 "Origin");

  EXPECT_EQ(answer(request({}, "Origin: http://server.example.com\r\n")).problem, "");
  EXPECT_EQ(answer(request({}, "Origin: http://a.example\r\n"), {"http://a.example"}).problem, "");
  EXPECT_NE(answer(request({}, "Origin: http://server.example.com\r\n"), {"http://a.example"}).problem, "");
}

const ClientHandshake& client() {
  static const ClientHandshake handshake("server.example.com", as_bytes("the sample nonce"));
  return handshake;
}

std::string problem_of(const std::string& bytes) {
  http::http1::ResponseReader reader{{}};
  EXPECT_EQ(reader.read(bytes), http::http1::ResponseReader::Outcome::head);
  return client().problem_of(reader.head());
}

TEST(WebSocketClientHandshake, SendsARequestThatAServerTakes) {
  EXPECT_EQ(client().request(),
            "GET / HTTP/1.1\r\nHost: server.example.com\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Protocol: trunkline.v1\r\n\r\n");

  EXPECT_EQ(problem_of(answer(client().request()).response), "");
}

TEST(WebSocketClientHandshake, SaysWhatTheServerAnswers) {
  EXPECT_EQ(problem_of("HTTP/1.1 403 Forbidden\r\n\r\n"), "the server answers 403 Forbidden");
  EXPECT_EQ(problem_of("HTTP/1.1 200 \x80\r\n\r\n"), "the server answers 200 ?");
}

TEST(WebSocketClientHandshake, RefusesOtherAnswers) {
  const std::string response = answer(client().request()).response;
  const auto without = [&](std::string_view name) {
    const std::size_t begin = response.find(name);
    return std::string(response).erase(begin, response.find("\r\n", begin) + 2 - begin);
  };

  EXPECT_THAT(problem_of(without("Upgrade:")), HasSubstr("not switched"));
  EXPECT_THAT(problem_of(without("Connection:")), HasSubstr("not switched"));
  EXPECT_THAT(problem_of(without("Sec-WebSocket-Accept:")), HasSubstr("Sec-WebSocket-Accept"));
  EXPECT_THAT(problem_of(without("Sec-WebSocket-Protocol:")), HasSubstr("subprotocol"));
  EXPECT_THAT(problem_of(std::string(response).insert(response.size() - 2, "Sec-WebSocket-Extensions: x\r\n")),
              HasSubstr("extension"));
  std::string wrong = response;
  wrong[response.find("Accept: ") + 8] ^= 1;
  EXPECT_THAT(problem_of(wrong), HasSubstr("does not fit"));
}

}  // namespace
}  // namespace trunkline::session::websocket
