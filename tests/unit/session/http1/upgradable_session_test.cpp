// SPDX-License-Identifier: MIT
// UpgradableSession: which session a request makes, and what it hears of what came before it.
#include "session/http1/upgradable_session.h"

#include "kit/frames.h"
#include "kit/manual_clock.h"
#include "kit/session_end.h"
#include "session/http1/http1_protocol.h"
#include "session/protocol_table.h"
#include "unit/http/websocket/frames_of_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trunkline::session::http1 {
namespace {

using http::websocket::masked;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

constexpr unsigned binary = 2;

/// A request for a WebSocket without the line that begins with `omitted`, and with `added`.
std::string upgrade(std::string_view omitted = {}, std::string_view added = {}) {
  std::string out = "GET / HTTP/1.1\r\n";
  for (const std::string_view line : {"Host: h", "Upgrade: websocket", "Connection: Upgrade",
                                      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
                                      "Sec-WebSocket-Protocol: trunkline.v1"}) {
    if (omitted.empty() || !line.starts_with(omitted)) out.append(line).append("\r\n");
  }
  return out.append(added).append("\r\n");
}

std::string post(std::string_view body) {
  return "POST /a HTTP/1.1\r\nHost: h\r\nContent-Type: application/octet-stream\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

std::string response(std::string_view body) {
  return "HTTP/1.1 200 OK\r\ncontent-type: application/octet-stream\r\ncontent-length: " + std::to_string(body.size()) +
         "\r\n\r\n" + std::string(body);
}

/// What a WebSocket's client sends first: the request, then the beginning of the native protocol with a call.
std::string websocket_with_call(std::string_view message) {
  return upgrade() + masked(binary, kit::greeting() + kit::call(1, 1, "a/b", message).bytes());
}

/// Echoes calls, as a client of the session that a row of the table has made sees it.
class Upgradable {
 public:
  explicit Upgradable(const SessionOptions& options = kit::plain_options(), const Protocol& row = protocol())
      : end_(Role::server, options, timers_, clock_.now(), nullptr, row) {
    end_.on_event = [this](Event& event) {
      if (event.type == EventType::closed) closed = event.status;
      if (event.type != EventType::call) return;
      calls.emplace_back(as_text(event.payload));
      if (retains) {
        event.is_retained = true;
        retained.emplace_back(event.id, event.credit);
      }
      static_cast<void>(session().finish(event.id, {}, kit::payload(calls.back()), nullptr, false));
    };
  }

  Session& session() { return end_.session(); }
  kit::SessionEnd& end() { return end_; }
  /// Whether the session took all of it. There is a turn after each part.
  bool feed(std::string_view bytes, std::size_t part = std::string_view::npos) {
    while (!bytes.empty()) {
      const std::size_t taken = end_.feed(bytes.substr(0, part), clock_.now());
      if (taken == 0) return false;
      bytes.remove_prefix(taken);
      end_.turn();
    }
    return true;
  }
  std::string output() { return end_.take_output(); }
  /// Feeds all of it, and writes whenever the session takes no more and at the end. Returns what it has sent.
  std::string converse(std::string_view bytes) {
    std::string sent;
    for (bool is_at_work = true; is_at_work;) {
      const std::size_t taken = end_.feed(bytes, clock_.now());
      bytes.remove_prefix(taken);
      end_.turn();
      const std::string part = output();
      sent += part;
      is_at_work = taken > 0 || !part.empty();
    }
    return sent;
  }
  void advance(base::Duration time) {
    clock_.advance(time);
    timers_.advance(clock_.now());
    end_.turn();
  }

  /// Keeps the messages of calls.
  bool retains = false;
  std::vector<std::pair<CallId, MessageCredit>> retained;
  std::vector<std::string> calls;
  std::optional<Status> closed;

 private:
  kit::ManualClock clock_;
  base::TimerWheel timers_{clock_.now()};
  kit::SessionEnd end_;
};

TEST(UpgradableSession, ServesCallsWhereverTheBytesAreSplit) {
  const std::string requests = post("first") + post("second");
  for (std::size_t split = 0; split <= requests.size(); ++split) {
    Upgradable server;

    server.feed(std::string_view(requests).substr(0, split));
    server.feed(std::string_view(requests).substr(split));

    EXPECT_THAT(server.calls, ElementsAre("first", "second")) << split;
    EXPECT_EQ(server.output(), response("first") + response("second")) << split;
  }
}

TEST(UpgradableSession, BecomesAWebSocketWhereverTheBytesAreSplit) {
  const std::string bytes = websocket_with_call("message");
  for (std::size_t split = 0; split <= bytes.size(); ++split) {
    Upgradable server;

    server.feed(std::string_view(bytes).substr(0, split));
    server.feed(std::string_view(bytes).substr(split));

    EXPECT_THAT(server.calls, ElementsAre("message")) << split;
    EXPECT_THAT(server.output(), StartsWith("HTTP/1.1 101 Switching Protocols\r\n")) << split;
  }
}

TEST(UpgradableSession, TakesBothByteByByte) {
  Upgradable calls;
  Upgradable websocket;

  calls.feed(post("a"), 1);
  websocket.feed(websocket_with_call("b"), 1);

  EXPECT_THAT(calls.calls, ElementsAre("a"));
  EXPECT_THAT(websocket.calls, ElementsAre("b"));
}

TEST(UpgradableSession, LosesNothingThatComesBehindTheHeadInOneRead) {
  // More than the session of a WebSocket has room for while its handshake is unread.
  const std::string message(3500, 'x');
  Upgradable server;
  server.end().feed(websocket_with_call(message), {});

  server.end().turn();

  EXPECT_THAT(server.calls, ElementsAre(message));
}

TEST(UpgradableSession, TellsWhatARequestForAWebSocketLacks) {
  const std::pair<std::string, std::string_view> requests[] = {
      {upgrade("Sec-WebSocket-Key"), "HTTP/1.1 400 "},
      {upgrade("Sec-WebSocket-Version"), "HTTP/1.1 426 "},
      {upgrade("Sec-WebSocket-Protocol"), "HTTP/1.1 400 "},
      {upgrade({}, "Origin: http://evil.example\r\n"), "HTTP/1.1 403 "},
      {upgrade("Upgrade", "Upgrade: other, WebSocket\r\n"), "HTTP/1.1 101 "},
  };
  for (const auto& [request, status] : requests) {
    Upgradable server;

    server.feed(request);

    EXPECT_THAT(server.output(), StartsWith(std::string(status))) << request;
    EXPECT_EQ(server.closed.has_value(), status != "HTTP/1.1 101 ") << request;
  }
}

TEST(UpgradableSession, BecomesAWebSocketBehindOtherRequestsWhereverTheBytesAreSplit) {
  const std::string bytes = post("first") + post("second") + websocket_with_call("message");
  for (std::size_t split = 0; split <= bytes.size(); ++split) {
    Upgradable server;

    std::string sent = server.converse(std::string_view(bytes).substr(0, split));
    sent += server.converse(std::string_view(bytes).substr(split));

    EXPECT_THAT(server.calls, ElementsAre("first", "second", "message")) << split;
    EXPECT_THAT(sent, StartsWith(response("first") + response("second") + "HTTP/1.1 101 ")) << split;
    EXPECT_EQ(server.session().protocol_name(), "websocket") << split;
    EXPECT_FALSE(server.session().is_closed()) << split;
  }
}

TEST(UpgradableSession, BecomesAWebSocketOnlyOnceTheResponsesBeforeItAreWritten) {
  Upgradable server;

  server.feed(post("first"));
  server.feed(websocket_with_call("message"));
  const std::vector<std::string> calls_before = server.calls;
  static_cast<void>(server.end().take_wake());
  const std::string sent = server.output();
  const bool is_woken = server.end().take_wake();
  server.end().turn();

  EXPECT_THAT(calls_before, ElementsAre("first"));
  EXPECT_EQ(sent, response("first"));
  EXPECT_TRUE(is_woken);
  EXPECT_THAT(server.calls, ElementsAre("first", "message"));
}

TEST(UpgradableSession, BecomesAWebSocketOnlyOnceNobodyHasAMessageOfARequestBeforeIt) {
  Upgradable server;
  server.retains = true;

  static_cast<void>(server.converse(post("first") + websocket_with_call("message")));
  const std::vector<std::string> calls_before = server.calls;
  static_cast<void>(server.end().take_wake());
  server.session().release(server.retained.at(0).first, server.retained.at(0).second);
  const bool is_woken = server.end().take_wake();
  server.end().turn();

  EXPECT_THAT(calls_before, ElementsAre("first"));
  EXPECT_TRUE(is_woken);
  EXPECT_THAT(server.calls, ElementsAre("first", "message"));
}

TEST(UpgradableSession, TellsWhatALaterRequestForAWebSocketLacks) {
  Upgradable server;

  const std::string sent = server.converse(post("first") + upgrade("Sec-WebSocket-Version"));

  EXPECT_THAT(sent, StartsWith(response("first") + "HTTP/1.1 426 "));
  EXPECT_TRUE(server.closed.has_value());
}

TEST(UpgradableSession, WaitsForTheHelloBehindOtherRequestsNoLongerThanForAFirstOne) {
  SessionOptions options = kit::plain_options();
  options.limits.handshake_timeout = std::chrono::milliseconds(1000);
  Upgradable silent(options);
  Upgradable talking(options);
  for (Upgradable* server : {&silent, &talking}) static_cast<void>(server->converse(post("first") + upgrade()));
  static_cast<void>(talking.converse(masked(binary, kit::greeting())));

  for (Upgradable* server : {&silent, &talking}) {
    server->advance(std::chrono::milliseconds(1));
    server->advance(std::chrono::milliseconds(990));
    EXPECT_FALSE(server->closed.has_value());
    server->advance(std::chrono::milliseconds(20));
  }

  ASSERT_TRUE(silent.closed.has_value());
  EXPECT_EQ(silent.closed->code(), StatusCode::deadline_exceeded);
  EXPECT_FALSE(talking.closed.has_value());
}

TEST(UpgradableSession, StaysPlainWhileItDrains) {
  Upgradable server;

  server.feed(post("first"));
  server.feed(upgrade());
  server.session().drain();
  const std::string sent = server.output();
  server.end().turn();

  EXPECT_EQ(sent, response("first"));
  EXPECT_TRUE(server.session().is_drained());
  EXPECT_EQ(server.session().protocol_name(), "http/1.1");
}

TEST(UpgradableSession, IgnoresUpgradesThatItDoesNotKnow) {
  const std::string call = post("a");
  for (const std::string_view fields :
       {"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMA\r\n", "Upgrade: websocket\r\n",
        "Connection: Upgrade\r\n", "Connection: Upgrade\r\nUpgrade: websocket\r\n"}) {
    Upgradable server;
    std::string request = call;
    request.insert(request.find("Content-Type"), fields);

    server.feed(request);

    EXPECT_EQ(server.output(), response("a")) << fields;
    EXPECT_FALSE(server.session().is_closed()) << fields;
  }
}

TEST(UpgradableSession, RefusesAHeadThatIsTooLongOrMalformed) {
  Upgradable lone;
  lone.feed("GET / HTTP/1.1\r\nHost: h\r\nCookie: " + std::string(20000, 'x'));
  Upgradable malformed;
  malformed.feed("GET / HTTP/1.1\r\nHost : h\r\n\r\n");

  EXPECT_THAT(lone.output(), StartsWith("HTTP/1.1 431 "));
  EXPECT_TRUE(lone.session().is_closed());
  EXPECT_THAT(malformed.output(), StartsWith("HTTP/1.1 400 "));
  EXPECT_TRUE(malformed.session().is_closed());
}

TEST(UpgradableSession, IsNotOpenBeforeTheHeadIsRead) {
  Upgradable server;
  const std::string request = post("a");

  server.feed(std::string_view(request).substr(0, 60));
  EXPECT_FALSE(server.session().is_open());
  EXPECT_FALSE(server.session().has_output());
  EXPECT_GT(server.session().held_bytes(), 0U);

  server.feed(std::string_view(request).substr(60));
  EXPECT_TRUE(server.session().is_open());
}

TEST(UpgradableSession, AnswersAHeadThatDoesNotComeInTimeWith408) {
  Upgradable server;
  server.feed(std::string_view(post("a")).substr(0, 60));

  server.session().close({StatusCode::deadline_exceeded, "handshake: not completed within handshake_timeout"});
  server.end().turn();

  EXPECT_THAT(server.output(), StartsWith("HTTP/1.1 408 "));
  EXPECT_TRUE(server.closed.has_value());
}

TEST(UpgradableSession, ClosesSilentlyWhereNothingHasCome) {
  Upgradable server;

  server.session().close({StatusCode::deadline_exceeded, "handshake: not completed within handshake_timeout"});
  server.end().turn();

  EXPECT_THAT(server.output(), IsEmpty());
  EXPECT_TRUE(server.closed.has_value());
}

TEST(UpgradableSession, EndsWithItsTransport) {
  Upgradable silent;
  silent.session().transport_closed({});
  silent.end().turn();
  Upgradable amid;
  amid.feed("GET / HT");
  amid.session().transport_closed({});
  amid.end().turn();

  ASSERT_TRUE(silent.closed.has_value());
  EXPECT_TRUE(silent.closed->is_ok());
  ASSERT_TRUE(amid.closed.has_value());
  EXPECT_EQ(amid.closed->code(), StatusCode::unavailable);
}

TEST(UpgradableSession, IsDrainedUntilARequestHasCome) {
  Upgradable server;
  EXPECT_FALSE(server.session().is_drained());

  server.session().drain();

  EXPECT_TRUE(server.session().is_drained());
}

TEST(UpgradableSession, TellsTheSessionOfADrainBeforeIt) {
  Upgradable server;
  server.session().drain();

  server.feed(post("a"));

  EXPECT_TRUE(server.session().is_drained());
  EXPECT_THAT(server.calls, IsEmpty());
}

TEST(UpgradableSession, KeepsNoMemoryWhileNothingComes) {
  Upgradable server;
  std::array<MutableByteSpan, 2> room;
  ASSERT_EQ(server.session().prepare_receive(room), 1U);

  server.session().received_nothing();

  EXPECT_EQ(server.session().held_bytes(), 0U);
}

TEST(UpgradableSession, CountsAHeadInTheMemoryBudgetUntilItIsHandedOver) {
  MemoryBudget budget(64 << 20, 1);
  SessionOptions options = kit::plain_options();
  options.memory = &budget;
  options.limits.max_header_bytes = 256 << 10;
  Upgradable server(options);
  std::string request = post("a");
  request.insert(request.find("Content-Type"), "Cookie: " + std::string(100 << 10, 'x') + "\r\n");

  server.feed(std::string_view(request).substr(0, 90 << 10));
  const std::size_t used_amid_head = budget.used();
  server.feed(std::string_view(request).substr(90 << 10));

  EXPECT_GE(used_amid_head, 90U << 10);
  EXPECT_THAT(server.calls, ElementsAre("a"));
  EXPECT_LE(server.session().held_bytes(), 16U << 10) << "it keeps no memory of its own";
  EXPECT_EQ(budget.used(), 0U);
}

TEST(UpgradableSession, IsMadeByFirstBytesAndByWhatTlsHasNegotiated) {
  const ProtocolTable table = ProtocolTable::with_defaults();
  const std::string upgraded = websocket_with_call("b");
  for (const std::string_view alpn : {"", "http/1.1"}) {
    // With the name there need be no bytes yet.
    const ByteSpan first = alpn.empty() ? as_bytes(upgraded).first(5) : ByteSpan();
    const Protocol* const row = table.detect(alpn, first).protocol;
    ASSERT_NE(row, nullptr);
    Upgradable calls(kit::plain_options(), *row);
    Upgradable websocket(kit::plain_options(), *row);

    calls.feed(post("a"));
    websocket.feed(upgraded);

    EXPECT_THAT(calls.calls, ElementsAre("a")) << alpn;
    EXPECT_THAT(websocket.calls, ElementsAre("b")) << alpn;
  }
}

}  // namespace
}  // namespace trunkline::session::http1
