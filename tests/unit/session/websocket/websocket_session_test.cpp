// SPDX-License-Identifier: MIT
// WebSocketSession: two of them, and one whose peer is the test.
#include "session/websocket/websocket_session.h"

#include "http/websocket/frame_reader.h"
#include "kit/frames.h"
#include "kit/session_pair.h"
#include "session/websocket/upgrade.h"
#include "session/websocket/websocket_protocol.h"
#include "unit/http/websocket/frames_of_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::session::websocket {
namespace {

using http::websocket::CloseCode;
using http::websocket::masked;
using http::websocket::plain;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using namespace std::chrono_literals;

constexpr unsigned binary = 2;
constexpr unsigned close_frame = 8;
constexpr unsigned ping = 9;
constexpr unsigned pong = 10;

std::string payload_of(unsigned code, const std::string& text = {}) {
  return std::string{static_cast<char>(code >> 8), static_cast<char>(code)} + text;
}

// --- a client and a server ---

kit::SessionPair::Options over_websocket() { return {.protocol = &protocol()}; }

/// Echoes, and notes what the client gets.
class Pair : public kit::SessionPair {
 public:
  explicit Pair(const Options& options = over_websocket()) : SessionPair(options) {
    server().on_event = [this](Event& event) {
      if (event.type != EventType::call) return;
      const std::string message(as_text(event.payload));
      static_cast<void>(server().session().finish(event.id, {}, kit::payload(message), nullptr, false));
    };
    client().on_event = [this](Event& event) {
      if (event.type == EventType::finished) responses.push_back(std::string(as_text(event.payload)));
      if (event.type == EventType::finished) statuses.push_back(event.status);
      if (event.type == EventType::writable && event.id == 0) ++writable;
    };
  }
  void call(const std::string& message) {
    ASSERT_TRUE(client().session().can_start());
    const auto id = client().session().start({.method = {1, "a/b"}, .context = this}, kit::payload(message));
    ASSERT_TRUE(id.is_ok());
  }

  std::vector<std::string> responses;
  std::vector<Status> statuses;
  int writable = 0;
};

TEST(WebSocketSession, ServesCallsOfEverySize) {
  Pair pair;
  pair.settle();
  std::vector<std::string> sent;

  for (const std::size_t size : {0U, 1U, 125U, 5000U, 70000U, 1000000U}) {
    sent.emplace_back(size, 'x');
    pair.call(sent.back());
    pair.settle();
  }

  EXPECT_EQ(pair.responses, sent);
}

TEST(WebSocketSession, ServesCallsHoweverBytesAreSplit) {
  for (const std::size_t step : {1U, 2U, 3U, 5U, 13U, 1000U}) {
    for (const std::uint32_t read_buffer : {0U, 4096U}) {
      kit::SessionPair::Options options = over_websocket();
      options.client.limits.read_buffer_bytes = options.server.limits.read_buffer_bytes = read_buffer;
      Pair pair(options);
      pair.next_size = [step] { return step; };
      pair.settle();
      std::vector<std::string> sent;

      for (const std::size_t size : {10U, 200U, 9000U}) {
        sent.emplace_back(size, static_cast<char>('a' + size % 7));
        pair.call(sent.back());
      }
      pair.settle();

      EXPECT_EQ(pair.responses, sent) << step << ", " << read_buffer;
    }
  }
}

TEST(WebSocketSession, StartsNoCallBeforeTheHandshakeAndTellsWhenItMay) {
  Pair pair;

  EXPECT_FALSE(pair.client().session().can_start());
  pair.settle();

  EXPECT_EQ(pair.writable, 1);
  EXPECT_TRUE(pair.client().session().can_start());
}

TEST(WebSocketSession, SendsManyCallsOfATurnInOneMessage) {
  Pair pair;
  pair.settle();
  std::string sent;
  pair.to_server().on_bytes = [&](std::string_view bytes) { sent += bytes; };

  for (int i = 0; i < 100; ++i) pair.call("x");
  pair.settle();

  ASSERT_EQ(pair.responses.size(), 100U);
  http::websocket::FrameReader reader(true);
  ByteSpan input = as_bytes(sent);
  int messages = 0;
  while (reader.next(input) == http::websocket::FrameReader::Outcome::data) ++messages;
  EXPECT_EQ(messages, 1);
}

TEST(WebSocketSession, DrainsAndCloses) {
  Pair pair;
  pair.settle();
  pair.call("x");
  pair.settle();

  pair.client().session().drain();
  pair.settle();
  const bool is_drained = pair.client().session().is_drained();
  pair.client().session().close({});
  pair.settle();

  EXPECT_TRUE(is_drained);
  EXPECT_TRUE(pair.client().session().is_closed());
  EXPECT_TRUE(pair.server().session().is_closed());
  EXPECT_FALSE(pair.client().session().has_output());
  EXPECT_FALSE(pair.server().session().has_output());
  EXPECT_EQ(pair.responses, std::vector<std::string>{"x"});
}

TEST(WebSocketSession, IsDrainedDuringTheHandshake) {
  Pair pair;

  pair.client().session().drain();

  EXPECT_TRUE(pair.client().session().is_drained());
}

TEST(WebSocketSession, EndsItsCallsWithTheTransport) {
  Pair pair;
  pair.settle();
  pair.server().on_event = [&](Event& event) {
    if (event.type == EventType::call) pair.server().session().attach(event.id, &pair);
  };
  pair.call("x");
  pair.settle();

  pair.break_link();
  pair.settle();

  ASSERT_EQ(pair.statuses.size(), 1U);
  EXPECT_EQ(pair.statuses[0].code(), StatusCode::unavailable);
  EXPECT_TRUE(pair.server().session().is_closed());
  EXPECT_FALSE(pair.server().session().has_output());
}

// --- a server whose client is the test ---

constexpr std::string_view upgrade =
    "GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    "Sec-WebSocket-Protocol: trunkline.v1\r\n\r\n";

/// What a side has sent, without frames.
struct Sent {
  std::string content;
  std::vector<std::string> pongs;
  std::vector<std::string> closes;
};

Sent split(const std::string& bytes, bool from_client) {
  Sent sent;
  http::websocket::FrameReader reader(from_client);
  ByteSpan input = as_bytes(bytes);
  for (;;) {
    const auto outcome = reader.next(input);
    EXPECT_NE(outcome, http::websocket::FrameReader::Outcome::failed);
    if (outcome == http::websocket::FrameReader::Outcome::data) {
      std::string content(as_text(reader.data().bytes));
      auto* const data = reinterpret_cast<std::byte*>(content.data());
      reader.data().mask.apply(data, data, content.size());
      sent.content += content;
    } else if (outcome == http::websocket::FrameReader::Outcome::control) {
      const bool is_close = reader.control().opcode == http::websocket::Opcode::close;
      (is_close ? sent.closes : sent.pongs).emplace_back(as_text(reader.control().payload));
    } else {
      return sent;
    }
  }
}

class LoneWebSocket {
 public:
  explicit LoneWebSocket(Role role = Role::server, const SessionOptions& options = kit::plain_options())
      : end_(role, options, timers_, clock_.now(), nullptr, protocol()) {
    end_.on_event = [this](Event& event) {
      if (event.type == EventType::closed) closed = event.status;
      if (event.type == EventType::call) {
        calls.emplace_back(as_text(event.payload));
        session().attach(event.id, this);
      }
      if (event.type == EventType::cancelled) ++cancelled;
    };
  }
  Session& session() { return end_.session(); }
  kit::ManualClock& clock() { return clock_; }
  kit::SessionEnd& end() { return end_; }

  void feed(std::string_view bytes, std::size_t part = std::string_view::npos) {
    while (!bytes.empty()) {
      const std::size_t taken = end_.feed(bytes.substr(0, part), clock_.now());
      if (taken == 0) return;
      bytes.remove_prefix(taken);
      end_.turn();
    }
  }
  std::string output() { return end_.take_output(); }
  /// A server with an open WebSocket and the hello of its client.
  void greet() {
    feed(upgrade);
    feed(masked(binary, kit::greeting()));
    static_cast<void>(output());
  }

  std::optional<Status> closed;
  std::vector<std::string> calls;
  int cancelled = 0;

 private:
  kit::ManualClock clock_;
  base::TimerWheel timers_{clock_.now()};
  kit::SessionEnd end_;
};

TEST(WebSocketServer, OpensWithTheAnswerToTheKey) {
  LoneWebSocket server;

  server.feed(upgrade, 1);

  EXPECT_THAT(server.output(), HasSubstr("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="));
  EXPECT_FALSE(server.session().is_open());
  server.feed(masked(binary, kit::greeting()));
  EXPECT_TRUE(server.session().is_open());
  EXPECT_THAT(split(server.output(), false).content, StartsWith(kit::preface()));
}

TEST(WebSocketServer, TakesFramesThatComeWithTheRequest) {
  LoneWebSocket server;

  server.feed(std::string(upgrade) + masked(binary, kit::greeting() + kit::call(1, 1, "a/b", "early").bytes()));

  EXPECT_THAT(server.calls, ElementsAre("early"));
}

TEST(WebSocketServer, ServesCallsInMessagesOfAnyShape) {
  const std::string bytes = kit::call(1, 1, "a/b", "first").bytes() + kit::call(2, 1, {}, "second").bytes();
  for (const std::size_t part : {std::string_view::npos, std::size_t{1}, std::size_t{7}}) {
    LoneWebSocket server;
    server.greet();

    server.feed(masked(binary, bytes.substr(0, 5), false) + masked(ping, "p") + masked(0, bytes.substr(5, 20), false) +
                    masked(0, "", false) + masked(0, bytes.substr(25, 3)) + masked(binary, bytes.substr(28)),
                part);

    EXPECT_THAT(server.calls, ElementsAre("first", "second"));
    EXPECT_THAT(split(server.output(), false).pongs, ElementsAre("p"));
  }
}

TEST(WebSocketServer, AnswersTheLastPingOnly) {
  LoneWebSocket server;
  server.greet();

  server.feed(masked(ping, "1") + masked(ping, "2") + masked(pong, "unasked") + masked(ping, ""));

  EXPECT_THAT(split(server.output(), false).pongs, ElementsAre(""));
  EXPECT_FALSE(server.closed.has_value());
}

TEST(WebSocketServer, RefusesPlainRequests) {
  LoneWebSocket server;

  server.feed("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");

  EXPECT_THAT(server.output(), StartsWith("HTTP/1.1 426 Upgrade Required\r\n"));
  ASSERT_TRUE(server.closed.has_value());
  EXPECT_THAT(std::string(server.closed->message()), HasSubstr("handshake"));
  EXPECT_FALSE(server.session().has_output());
}

TEST(WebSocketServer, RefusesAHeadThatNeverEnds) {
  LoneWebSocket server;

  server.feed("GET / HTTP/1.1\r\nHost: localhost\r\nCookie: " + std::string(20000, 'x'));

  EXPECT_THAT(server.output(), StartsWith("HTTP/1.1 431 "));
  EXPECT_TRUE(server.session().is_closed());
}

TEST(WebSocketServer, TakesAHeadAsLongAsThatOfOtherRequests) {
  SessionOptions options = kit::plain_options();
  options.limits.max_header_bytes = 64 << 10;
  LoneWebSocket server(Role::server, options);
  std::string request(upgrade);
  request.insert(request.size() - 2, "Cookie: " + std::string(20000, 'x') + "\r\n");

  server.feed(request);

  EXPECT_THAT(server.output(), StartsWith("HTTP/1.1 101 "));
}

TEST(WebSocketServer, RefusesPagesOfOtherOrigins) {
  std::string request(upgrade);
  request.insert(request.size() - 2, "Origin: http://evil.example\r\n");
  SessionOptions options = kit::plain_options();
  LoneWebSocket strict(Role::server, options);
  options.allowed_origins = {"http://evil.example"};
  LoneWebSocket lenient(Role::server, options);

  strict.feed(request);
  lenient.feed(request);

  EXPECT_THAT(strict.output(), StartsWith("HTTP/1.1 403 "));
  EXPECT_THAT(lenient.output(), StartsWith("HTTP/1.1 101 "));
}

TEST(WebSocketServer, IsOpenedForAllowedHosts) {
  SessionOptions options = kit::plain_options();
  options.allowed_hosts = {"api.example"};
  LoneWebSocket server(Role::server, options);
  std::string request(upgrade);
  const std::size_t host = request.find("Host: ");
  request.replace(host, request.find('\r', host) - host, "Host: evil.example");

  server.feed(request);

  EXPECT_THAT(server.output(), StartsWith("HTTP/1.1 421 "));
}

struct BadFrames {
  std::string_view name;
  std::string bytes;
  unsigned code;
};

std::vector<BadFrames> bad_frames() {
  using http::websocket::FrameOfText;
  return {
      {"Text", masked(1, "text"), 1003},
      {"NoMask", plain(binary, "x"), 1002},
      {"ReservedBit", FrameOfText{.payload = "x", .reserved_bits = 4}.bytes(), 1002},
      {"ReservedOpcode", masked(3, "x"), 1002},
      {"LongControl", masked(ping, std::string(126, 'x')), 1002},
      {"FragmentedControl", masked(ping, "x", false), 1002},
      {"LooseContinuation", masked(0, "x"), 1002},
      {"MessageInMessage", masked(binary, "", false) + masked(binary, ""), 1002},
      {"LengthTooWide", FrameOfText{.payload = "x", .length_bytes = 8}.bytes(), 1002},
      {"HalfACloseCode", masked(close_frame, "x"), 1002},
      {"BadCloseCode", masked(close_frame, payload_of(1005)), 1002},
      {"CloseReasonNotUtf8", masked(close_frame, payload_of(1000, "\xFF")), 1007},
      {"PingFlood",
       [] {
         std::string flood;
         for (int i = 0; i < 1001; ++i) flood += masked(ping, "");
         return flood;
       }(),
       1008},
      {"EmptyFrameFlood",
       [] {
         std::string flood = masked(binary, "", false);
         for (int i = 0; i < 1001; ++i) flood += masked(0, "", false);
         return flood;
       }(),
       1008},
  };
}

class WebSocketBadFrames : public ::testing::TestWithParam<BadFrames> {};

TEST_P(WebSocketBadFrames, EndTheConnectionAfterTheCallsBeforeThem) {
  for (const std::size_t part : {std::string_view::npos, std::size_t{1}}) {
    LoneWebSocket server;
    server.greet();

    server.feed(masked(binary, kit::call(1, 1, "a/b", "good").bytes()) + GetParam().bytes +
                    masked(binary, kit::call(2, 1, {}, "late").bytes()),
                part);

    EXPECT_THAT(server.calls, ElementsAre("good"));
    EXPECT_EQ(server.cancelled, 1);
    ASSERT_TRUE(server.closed.has_value());
    EXPECT_THAT(std::string(server.closed->message()), HasSubstr("WebSocket"));
    const Sent sent = split(server.output(), false);
    ASSERT_EQ(sent.closes.size(), 1U);
    EXPECT_EQ(sent.closes[0].substr(0, 2), payload_of(GetParam().code));
    EXPECT_FALSE(server.session().has_output());
  }
}

INSTANTIATE_TEST_SUITE_P(All, WebSocketBadFrames, ::testing::ValuesIn(bad_frames()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(WebSocketServer, AnswersACloseFrameWithItsCode) {
  for (const unsigned code : {1000U, 1001U, 4321U}) {
    LoneWebSocket server;
    server.greet();

    server.feed(masked(close_frame, payload_of(code, "bye")));

    ASSERT_TRUE(server.closed.has_value());
    EXPECT_THAT(std::string(server.closed->message()), HasSubstr("bye"));
    const Sent sent = split(server.output(), false);
    ASSERT_EQ(sent.closes.size(), 1U);
    EXPECT_EQ(sent.closes[0].substr(0, 2), payload_of(code));
  }
}

TEST(WebSocketServer, TakesACloseFrameWithoutACodeAsAnOrderlyEnd) {
  LoneWebSocket server;
  server.greet();

  server.feed(masked(close_frame, ""));

  ASSERT_TRUE(server.closed.has_value());
  EXPECT_TRUE(server.closed->is_ok());
  EXPECT_THAT(split(server.output(), false).closes, ElementsAre(""));
}

TEST(WebSocketServer, CancelsCallsWhenItsClientCloses) {
  LoneWebSocket server;
  server.greet();

  server.feed(masked(binary, kit::call(1, 1, "a/b", "open").bytes()) + masked(close_frame, payload_of(1000)));

  EXPECT_THAT(server.calls, ElementsAre("open"));
  EXPECT_EQ(server.cancelled, 1);
}

TEST(WebSocketServer, SaysWithACloseFrameWhyItEnds) {
  LoneWebSocket server;
  server.greet();

  server.session().close(Status(StatusCode::unavailable, "shutdown"));

  const Sent sent = split(server.output(), false);
  EXPECT_THAT(sent.content, HasSubstr("shutdown"));
  EXPECT_THAT(sent.closes, ElementsAre(payload_of(1001, "shutdown")));
}

TEST(WebSocketServer, HoldsLittleWhileAnEndlessFrameComes) {
  LoneWebSocket server;
  server.greet();
  const std::string header = std::string("\x82\xff\x00\x00\x7f\xff\xff\xff\xff\xff", 10) + "key.";

  server.feed(header);

  EXPECT_LT(server.session().held_bytes(), 1000U);
  EXPECT_FALSE(server.closed.has_value());
}

// --- a client whose server is the test ---

/// The response to the request that the client has sent.
std::string response_to(const std::string& request) {
  const std::string_view name = "Sec-WebSocket-Key: ";
  const std::size_t begin = request.find(name) + name.size();
  return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
         accept_of(request.substr(begin, request.find("\r\n", begin) - begin)) +
         "\r\nSec-WebSocket-Protocol: trunkline.v1\r\n\r\n";
}

TEST(WebSocketClient, SendsItsPrefaceAfterTheHandshake) {
  LoneWebSocket client(Role::client);

  const std::string request = client.output();
  const bool has_output = client.session().has_output();
  client.feed(response_to(request), 1);

  EXPECT_THAT(request, StartsWith("GET / HTTP/1.1\r\nHost: localhost\r\n"));
  EXPECT_FALSE(has_output);
  EXPECT_THAT(split(client.output(), true).content, StartsWith(kit::preface()));
}

TEST(WebSocketClient, CountsItsMaskedCopiesInTheMemoryBudget) {
  MemoryBudget budget(64 << 20, 1);
  SessionOptions options = kit::plain_options();
  options.memory = &budget;
  LoneWebSocket client(Role::client, options);
  client.feed(response_to(client.output()) + plain(binary, kit::greeting()));
  static_cast<void>(client.output());
  ASSERT_TRUE(client.session()
                  .start({.method = {1, "a/b"}, .context = &client}, kit::payload(std::string(60'000, 'x')))
                  .is_ok());
  const std::size_t before = budget.held();
  std::array<ByteSpan, 8> spans;

  ASSERT_GT(client.session().gather(spans), 0U);

  EXPECT_GE(budget.held(), before + (48U << 10));
  static_cast<void>(client.output());
  EXPECT_EQ(budget.held(), 0U);
}

TEST(WebSocketServer, CountsTheHeadOfAHandshakeInTheMemoryBudget) {
  MemoryBudget budget(64 << 20, 1);
  SessionOptions options = kit::plain_options();
  options.memory = &budget;
  options.limits.max_header_bytes = 256 << 10;
  LoneWebSocket server(Role::server, options);

  server.feed("GET / HTTP/1.1\r\nHost: localhost\r\nCookie: " + std::string(100'000, 'x'));

  EXPECT_GE(budget.held(), 100'000U);
}

TEST(WebSocketClient, TakesFramesThatComeWithTheResponse) {
  LoneWebSocket client(Role::client);
  const std::string request = client.output();

  client.feed(response_to(request) + plain(binary, kit::greeting()) + plain(ping, "p"));

  EXPECT_TRUE(client.session().is_open());
  EXPECT_THAT(split(client.output(), true).pongs, ElementsAre("p"));
}

TEST(WebSocketClient, SaysWhyTheServerRefuses) {
  LoneWebSocket client(Role::client);
  static_cast<void>(client.output());

  client.feed("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");

  ASSERT_TRUE(client.closed.has_value());
  EXPECT_EQ(client.closed->code(), StatusCode::unavailable);
  EXPECT_EQ(client.closed->message(), "handshake: the server answers 403 Forbidden");
  EXPECT_FALSE(client.session().has_output());
}

TEST(WebSocketClient, SaysWhatTheServerSeemsToSpeak) {
  LoneWebSocket client(Role::client);
  static_cast<void>(client.output());

  client.feed(std::string("\x15\x03\x03\x00\x02\x02\x28", 7));

  ASSERT_TRUE(client.closed.has_value());
  EXPECT_THAT(std::string(client.closed->message()), HasSubstr("wss://"));
}

TEST(WebSocketClient, RefusesMasksOfAServer) {
  LoneWebSocket client(Role::client);
  const std::string request = client.output();
  client.feed(response_to(request) + plain(binary, kit::greeting()));
  static_cast<void>(client.output());

  client.feed(masked(binary, "x"));

  ASSERT_TRUE(client.closed.has_value());
  const Sent sent = split(client.output(), true);
  ASSERT_EQ(sent.closes.size(), 1U);
  EXPECT_EQ(sent.closes[0].substr(0, 2), payload_of(1002));
}

}  // namespace
}  // namespace trunkline::session::websocket
