// SPDX-License-Identifier: MIT
// Retries of calls that a real server has refused, or that were lost with its connection.
#include "client/channel_core.h"
#include "scenario/both_ends.h"
#include "scenario/breaking_connector.h"

#include <string>
#include <vector>

namespace trunkline::scenario {

namespace {

/// Refuses a number of calls before their handler runs.
class Refusing final : public Interceptor {
 public:
  Status on_start(CallInfo&) override {
    ++seen;
    if (refusals == 0) return {};
    --refusals;
    return {StatusCode::unavailable, "busy"};
  }

  int refusals = 0;
  int seen = 0;
};

class ClientRetry : public BothEnds {
 protected:
  ClientRetry() { server_options.interceptors = {door}; }

  std::unique_ptr<Channel> make_channel() override {
    return std::make_unique<Channel>(
        client::ChannelCore::make(loop(), channel_options, [this](net::Loop& on) -> std::unique_ptr<client::Connector> {
          return std::make_unique<BreakingConnector>(on, address, breaks);
        }));
  }
  /// Responds with as many bytes as the request asks for.
  void handle_grow() {
    server().handle<std::string, std::string>("Grow", [this](const std::string& request, ServerContext&) {
      ++runs;
      return std::string(std::stoul(request), 'x');
    });
  }
  /// Lets time pass, long enough for every pause that max_retries allows.
  void wait_for_retries() {
    for (int i = 0; i < 100; ++i) advance(100ms);
  }

  std::vector<std::uint64_t> breaks;
  std::shared_ptr<Refusing> door = std::make_shared<Refusing>();
  int runs = 0;
};

TEST_F(ClientRetry, ARefusalAsNotRunIsRetriedAfterAPauseThatGrows) {
  handle_grow();
  door->refusals = 2;
  std::vector<int> seen;

  const auto outcome = begin("Grow", "3");
  seen.push_back(door->seen);
  advance(99ms);
  seen.push_back(door->seen);
  advance(1ms);
  seen.push_back(door->seen);
  advance(159ms);
  seen.push_back(door->seen);
  advance(1ms);
  seen.push_back(door->seen);

  EXPECT_THAT(seen, ElementsAre(1, 1, 2, 2, 3));
  EXPECT_EQ(outcome->text(), "xxx");
  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(runs, 1);
}

TEST_F(ClientRetry, StopsAfterMaxRetries) {
  channel_options.max_retries = 2;
  handle_grow();
  door->refusals = 100;

  const auto outcome = begin("Grow", "3");
  wait_for_retries();

  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_THAT(std::string(outcome->status().message()), HasSubstr("busy"));
  EXPECT_FALSE(outcome->status().may_have_run());
  EXPECT_EQ(door->seen, 3);
  EXPECT_EQ(runs, 0);
}

TEST_F(ClientRetry, TheDeadlineEndsThePause) {
  handle_grow();
  door->refusals = 100;

  const auto outcome = begin("Grow", "3", {.timeout = 150ms});
  advance(149ms);
  const int early = outcome->count;
  advance(1ms);
  wait_for_retries();

  EXPECT_EQ(early, 0);
  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::deadline_exceeded);
  EXPECT_FALSE(outcome->status().may_have_run());
  EXPECT_EQ(door->seen, 2);
}

TEST_F(ClientRetry, ACallWhoseRequestIsNotHeldIsNotRetried) {
  channel_options.max_retained_request_bytes = 0;
  handle_grow();
  begin("Grow", "1");
  door->refusals = 1;
  Status status;

  on_loop([&] {
    channel().async_call<std::string>("Grow", std::string("3"), {},
                                      [&](const Result<std::string>& result) { status = result.status(); });
  });
  wait_for_retries();

  EXPECT_EQ(status.code(), StatusCode::unavailable);
  EXPECT_FALSE(status.may_have_run()) << "the caller may retry it";
  EXPECT_EQ(door->seen, 2);
}

TEST_F(ClientRetry, ACallThatNamesItsCodecIsNotRetriedEither) {
  channel_options.max_retained_request_bytes = 0;
  handle_grow();
  begin("Grow", "1");
  door->refusals = 1;
  Status status;

  on_loop([&] {
    channel().async_call<std::string>("Grow", std::string("3"), {.codec = "bytes"},
                                      [&](const Result<std::string>& result) { status = result.status(); });
  });
  wait_for_retries();

  EXPECT_EQ(status.code(), StatusCode::unavailable);
  EXPECT_EQ(door->seen, 2);
}

TEST_F(ClientRetry, ACallSentAtOnceOnTheLoopsThreadIsRetried) {
  handle_grow();
  begin("Grow", "1");
  door->refusals = 1;
  std::string response;

  on_loop([&] {
    channel().async_call<std::string>("Grow", std::string("3"), {},
                                      [&](Result<std::string> result) { response = result.value_or("failed"); });
  });
  wait_for_retries();

  EXPECT_EQ(response, "xxx");
  EXPECT_EQ(door->seen, 3);
}

TEST_F(ClientRetry, UnavailableFromAHandlerIsNotRetried) {
  server().handle<std::string, std::string>("Down", [this](const std::string&, ServerContext&) -> Result<std::string> {
    ++runs;
    return Status(StatusCode::unavailable, "the database is down");
  });

  const auto outcome = begin("Down", "x", {.idempotent = true});
  wait_for_retries();

  EXPECT_EQ(outcome->status(), Status(StatusCode::unavailable, "the database is down"));
  EXPECT_TRUE(outcome->status().may_have_run());
  EXPECT_EQ(runs, 1);
}

TEST_F(ClientRetry, AnIdempotentCallIsRetriedAfterItsResponseWasCut) {
  breaks = {100000};
  handle_grow();

  const auto outcome = begin("Grow", "300000", {.idempotent = true});
  wait_for_retries();

  EXPECT_EQ(outcome->text(), std::string(300000, 'x'));
  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(server().totals().connections_accepted, 2u);
}

TEST_F(ClientRetry, ACallThatIsNotIdempotentIsNotRetriedAfterItsResponseWasCut) {
  breaks = {100000};
  handle_grow();

  const auto outcome = begin("Grow", "300000");
  wait_for_retries();

  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_EQ(outcome->status().origin(), StatusOrigin::transport);
  EXPECT_TRUE(outcome->status().may_have_run());
  EXPECT_EQ(runs, 1);
}

TEST_F(ClientRetry, AnIdempotentCallIsRetriedAfterItsRequestWasCut) {
  breaks = {1000000, 2000000};
  std::string received;
  server().handle<std::string, Empty>("Keep", [&](const std::string& request, ServerContext&) {
    ++runs;
    received = request;
    return Status();
  });
  const std::string request(3000000, 'r');
  Result<Empty> outcome;

  channel().async_call<Empty>("Keep", request, {.idempotent = true},
                              [&](Result<Empty> result) { outcome = std::move(result); });
  settle();
  wait_for_retries();

  EXPECT_TRUE(outcome.is_ok()) << outcome.status().to_string();
  EXPECT_EQ(received, request);
  EXPECT_EQ(runs, 1) << "an incomplete request does not run";
  EXPECT_EQ(server().totals().connections_accepted, 3u);
}

TEST_F(ClientRetry, MaxRetriesCountsLostConnectionsToo) {
  breaks = std::vector<std::uint64_t>(10, 100000);
  channel_options.max_retries = 2;
  handle_grow();

  const auto outcome = begin("Grow", "300000", {.idempotent = true});
  wait_for_retries();

  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_TRUE(outcome->status().may_have_run());
  EXPECT_EQ(runs, 3);
}

TEST_F(ClientRetry, ACallThatADrainingServerDidNotProcessGoesToTheNext) {
  Gate gate(loop());
  handle_waiting(gate);
  handle_grow();
  const auto accepted = begin("Wait", "kept");
  Server successor(*event_loop);
  int runs_there = 0;
  successor.handle<std::string, std::string>("Grow", [&](const std::string& request, ServerContext&) {
    ++runs_there;
    return "successor " + request;
  });
  Status drained(StatusCode::unknown, "not yet");
  std::string text;

  on_loop([&] {
    server().async_shutdown(1min, [&](Status status) { drained = std::move(status); });
    successor.listen(address);
    ASSERT_TRUE(successor.start().is_ok());
    channel().async_call<std::string>("Grow", std::string("3"), {.metadata = {{"kept", "yes"}}},
                                      [&](Result<std::string> result) { text = result.value_or("failed"); });
  });
  const int accepted_early = accepted->count;
  gate.open();
  settle();

  EXPECT_EQ(text, "successor 3");
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(runs_there, 1);
  EXPECT_EQ(accepted_early, 0);
  EXPECT_EQ(accepted->text(), "kept");
  EXPECT_TRUE(drained.is_ok()) << drained.to_string();
}

TEST_F(ClientRetry, TheBudgetBoundsTheRetriesOfAllCallsTogether) {
  constexpr int calls = 600;
  constexpr int full_budget = 1000;
  handle_grow();
  begin("Grow", "1");
  door->refusals = 1 << 20;
  door->seen = 0;
  std::vector<std::shared_ptr<Outcome>> outcomes;

  for (int i = 0; i < calls; ++i) outcomes.push_back(begin_off_loop("Grow", "1"));
  wait_for_retries();
  const int seen = std::exchange(door->seen, 0);
  door->refusals = 0;
  for (int i = 0; i < 10; ++i) begin("Grow", "1");
  door->refusals = 1 << 20;
  const auto after = begin_off_loop("Grow", "1");
  wait_for_retries();

  EXPECT_EQ(seen, calls + full_budget);
  for (const auto& outcome : outcomes) {
    ASSERT_EQ(outcome->count, 1);
    ASSERT_EQ(outcome->status().code(), StatusCode::unavailable);
  }
  EXPECT_EQ(door->seen, 10 + 1 + 1) << "ten successes pay for one retry";
  EXPECT_EQ(after->count, 1);
}

}  // namespace

}  // namespace trunkline::scenario
