// SPDX-License-Identifier: MIT
// Connections that a server opens and ends before they were of use: the pauses between them, and the calls meanwhile.
#include "unit/client/client_fixture.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::client {

namespace {

/// Goes away and does not serve the call.
void go_away(FakeServer& server, const ServedCall& call) {
  server.drain();
  server.refuse(call.id, {StatusCode::unavailable, "shutting down"}, true);
}

class Unproductive : public ClientFixture {
 protected:
  Unproductive() {
    options.backoff.initial = 100ms;
    options.backoff.multiplier = 2;
    options.log = [this](const LogRecord& record) { log.emplace_back(record.message); };
  }
  /// How many connections there were after each step.
  std::vector<int> attempts_after(std::initializer_list<base::Duration> steps) {
    std::vector<int> attempts{network.attempts};
    for (const base::Duration step : steps) {
      advance(step);
      attempts.push_back(network.attempts);
    }
    return attempts;
  }
  Status wait_for_ready() {
    std::optional<Status> ready;
    on_loop([&] { ready = channel().wait_for_ready(1s); });
    return ready.value_or(Status(StatusCode::unknown, "not done"));
  }

  std::vector<std::string> log;
};

TEST_F(Unproductive, TheFirstOneIsReplacedAtOnce) {
  network.drains_at_once = 1;

  const auto outcome = begin("x");

  EXPECT_EQ(outcome->text(), "re:x");
  EXPECT_EQ(network.attempts, 2);
  EXPECT_TRUE(log.empty()) << log[0];
}

TEST_F(Unproductive, FurtherOnesAreReplacedAfterTheBackoff) {
  network.drains_at_once = 1000;
  begin("x", {.wait_for_ready = true});
  begin("y", {.wait_for_ready = true});

  // Two at once, then after 100, 200 and 400 ms. A timer fires up to a tick late.
  const std::vector<int> attempts = attempts_after({90ms, 20ms, 180ms, 30ms, 380ms, 40ms});

  EXPECT_EQ(attempts, (std::vector<int>{2, 2, 3, 3, 4, 4, 5}));
  ASSERT_GE(log.size(), 1u);
  EXPECT_EQ(log[0],
            "connect inproc://fake failed, retry after 100 ms at the latest: connect inproc://fake: the server ended "
            "the connection before it served a call");
}

TEST_F(Unproductive, OnesThatAreLostWithCallsThatMayHaveRunAreNot) {
  const auto serve = std::exchange(network.on_call, [](FakeServer& server, const ServedCall&) { server.cut(); });
  for (int i = 0; i < 4; ++i) {
    const auto outcome = begin("x");
    EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
    EXPECT_TRUE(outcome->status().may_have_run());
  }
  network.on_call = serve;

  EXPECT_EQ(begin("x")->text(), "re:x");
  EXPECT_EQ(network.attempts, 5);
}

TEST_F(Unproductive, OnesOfALargerPoolToo) {
  options.max_connections = 4;
  network.drains_at_once = 1000;

  for (int i = 0; i < 10; ++i) begin("x", {.wait_for_ready = true});
  for (int i = 0; i < 10; ++i) advance(10ms);

  EXPECT_LE(network.attempts, 4);
}

TEST_F(Unproductive, CallsThatWereSentOutlastThePause) {
  network.drains_at_once = 3;

  const auto outcome = begin("x");
  const int early = outcome->count;
  for (int i = 0; i < 10; ++i) advance(50ms);

  EXPECT_EQ(early, 0);
  EXPECT_EQ(outcome->text(), "re:x");
  EXPECT_EQ(network.attempts, 4);
}

TEST_F(Unproductive, StreamsThatWereOpenedOutlastThePause) {
  network.drains_at_once = 1;
  network.on_call = [](FakeServer& server, const ServedCall& call) {
    if (call.method == "List") go_away(server, call);
  };
  begin("x");
  network.on_call = [](FakeServer& server, const ServedCall& call) { server.send(call.id, "re:" + call.payload); };
  std::optional<ClientStream<std::string, std::string>> stream;
  std::optional<Result<std::optional<std::string>>> read;

  on_loop([&] {
    stream.emplace(channel().server_stream<std::string>("List", std::string("y")));
    stream->async_read([&](Result<std::optional<std::string>> result) { read = std::move(result); });
  });
  const ChannelState state = channel().state();
  const bool is_early = read.has_value();
  for (int i = 0; i < 3; ++i) advance(50ms);

  EXPECT_EQ(state, ChannelState::failing);
  EXPECT_FALSE(is_early);
  ASSERT_TRUE(read && read->is_ok());
  EXPECT_EQ(**read, "re:y");
}

TEST_F(Unproductive, ACallThatIsRepeatedUntilItsDeadlineNamesTheCause) {
  network.drains_at_once = 1000;
  const auto outcome = begin("x", {.timeout = 2s});

  for (int i = 0; i < 50; ++i) advance(50ms);

  EXPECT_EQ(outcome->status().code(), StatusCode::deadline_exceeded);
  EXPECT_FALSE(outcome->status().may_have_run());
  EXPECT_THAT(std::string(outcome->status().message()), HasSubstr("before it served a call"));
}

TEST_F(Unproductive, NewCallsFailDuringThePauseUnlessTheyWaitForReady) {
  network.drains_at_once = 2;
  const auto sent = begin("sent");

  const auto fast = begin("fast");
  const auto ready = begin("ready", {.wait_for_ready = true});
  const ChannelState state = channel().state();
  for (int i = 0; i < 10; ++i) advance(50ms);

  EXPECT_EQ(state, ChannelState::failing);
  EXPECT_EQ(fast->status().code(), StatusCode::unavailable);
  EXPECT_FALSE(fast->status().may_have_run());
  EXPECT_THAT(std::string(fast->status().message()), HasSubstr("before it served a call"));
  EXPECT_EQ(ready->text(), "re:ready");
  EXPECT_EQ(sent->text(), "re:sent");
}

TEST_F(Unproductive, ACallThatWasSentFailsIfThereIsNoServerAfterThePause) {
  network.drains_at_once = 2;
  const auto outcome = begin("x");
  network.refusals = 1;

  for (int i = 0; i < 4; ++i) advance(50ms);

  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_FALSE(outcome->status().may_have_run());
  EXPECT_THAT(std::string(outcome->status().message()), HasSubstr("connection refused"));
}

TEST_F(Unproductive, ACallThatWaitsForReadyHastensTheNextAttempt) {
  options.backoff.initial = options.backoff.maximum = 60s;
  network.drains_at_once = 2;
  begin("x");

  const auto outcome = begin("y", {.timeout = 10s, .wait_for_ready = true});
  advance(4s);
  const int early = outcome->count;
  advance(2s);

  EXPECT_EQ(early, 0);
  EXPECT_EQ(outcome->text(), "re:y");
}

TEST_F(Unproductive, AResponseEndsTheRow) {
  for (int i = 0; i < 4; ++i) {
    network.drains_at_once = 1;
    EXPECT_EQ(begin("x")->text(), "re:x");
    on_loop([&] { network.servers.back()->drain(); });
  }

  EXPECT_EQ(network.attempts, 8);
}

TEST_F(Unproductive, AResponseOnAConnectionThatDrainsEndsTheRow) {
  network.on_call = [](FakeServer& server, const ServedCall& call) {
    server.drain();
    echo(server, call);
  };

  for (int i = 0; i < 10; ++i) EXPECT_EQ(begin("x")->text(), "re:x");

  EXPECT_EQ(network.attempts, 10);
}

TEST_F(Unproductive, ARefusalAsUnprocessedDoesNotEndTheRow) {
  network.on_call = go_away;

  begin("x");
  begin("y", {.wait_for_ready = true});

  EXPECT_EQ(network.attempts, 2);
  EXPECT_EQ(channel().state(), ChannelState::failing);
}

TEST_F(Unproductive, AConnectionThatHasLastedIsNot) {
  network.on_call = nullptr;
  begin("x");
  for (int i = 0; i < 4; ++i) {
    advance(150ms);
    on_loop([&] { go_away(*network.servers.back(), network.servers.back()->calls.front()); });
    begin("y");
  }

  EXPECT_EQ(network.attempts, 5);
  EXPECT_EQ(channel().state(), ChannelState::ready);
  EXPECT_TRUE(log.empty()) << log[0];
}

TEST_F(Unproductive, OnesThatNobodyNeedsDoNotCount) {
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(wait_for_ready(), Status());
    on_loop([&] { network.servers.back()->drain(); });
    ASSERT_EQ(channel().state(), ChannelState::idle);
  }

  const auto outcome = begin("x");

  EXPECT_EQ(outcome->text(), "re:x");
  EXPECT_EQ(network.attempts, 11);
  EXPECT_TRUE(log.empty()) << log[0];
}

TEST_F(Unproductive, OnesThatThisSideClosesDoNotCount) {
  options.idle_timeout = 20ms;
  network.on_call = [](FakeServer& server, const ServedCall& call) {
    server.refuse(call.id, {StatusCode::resource_exhausted, "busy"}, true);
  };

  for (int i = 0; i < 4; ++i) {
    begin("x");
    for (int step = 0; step < 4; ++step) advance(20ms);
    EXPECT_EQ(channel().state(), ChannelState::idle);
  }

  EXPECT_EQ(network.attempts, 4);
  EXPECT_TRUE(log.empty()) << log[0];
}

}  // namespace

}  // namespace trunkline::client
