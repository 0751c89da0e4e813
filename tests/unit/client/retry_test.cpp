// SPDX-License-Identifier: MIT
// What is repeated after a lost connection or a refusal, and what never is.
#include "unit/client/client_fixture.h"

#include "client/retry_budget.h"

#include <trunkline/client_method.h>

namespace trunkline::client {

namespace {

using Retry = ClientFixture;

void refuse_unprocessed(FakeServer& server, const ServedCall& call) {
  server.refuse(call.id, {StatusCode::unavailable, "going away"}, true);
}

TEST_F(Retry, ACallThatMayHaveRunIsNotRepeated) {
  network.on_call = nullptr;
  const auto outcome = begin("x");

  on_loop([&] { network.server(0).cut(); });
  advance(1s);

  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_EQ(network.servers.size(), 1u);
}

TEST_F(Retry, AnIdempotentCallIsRepeatedOnTheNextConnection) {
  network.on_call = nullptr;
  const auto outcome = begin("x", {.idempotent = true});
  network.on_call = echo;

  on_loop([&] { network.server(0).cut(); });

  EXPECT_EQ(outcome->text(), "re:x");
  EXPECT_EQ(outcome->count, 1);
  ASSERT_EQ(network.servers.size(), 2u);
  EXPECT_EQ(network.server(1).calls[0].payload, "x");
}

TEST_F(Retry, ACallOfAnIdempotentMethodNeedsNoOption) {
  network.on_call = nullptr;
  const UnaryMethod<std::string, std::string> method(channel(), "Echo", true);
  std::string answer;
  on_loop([&] { method.async("x", [&](Result<std::string> result) { answer = result.value_or("failed"); }); });
  network.on_call = echo;

  on_loop([&] { network.server(0).cut(); });

  EXPECT_EQ(answer, "re:x");
  EXPECT_EQ(network.servers.size(), 2u);
}

TEST_F(Retry, ManyCallsOfAnIdempotentMethodNeedNoOption) {
  begin("connect");
  network.server(0).on_call = [](FakeServer& server, const ServedCall&) { server.cut(); };
  const UnaryMethod<std::string, std::string> method(channel(), "Echo", true);
  std::vector<std::string> answers;

  on_loop([&] {
    method.many(std::vector<std::string>{"x", "y"}, 1, [&](std::size_t, Result<std::string> result) {
      answers.push_back(result ? *result : result.status().to_string());
    });
  });

  EXPECT_EQ(answers, (std::vector<std::string>{"re:x", "re:y"}));
}

TEST_F(Retry, ACallBeyondGoawayIsRepeatedElsewhere) {
  begin("connect");
  network.server(0).on_call = refuse_unprocessed;
  const auto outcome = begin("x", {.idempotent = true});
  EXPECT_FALSE(outcome->is_done());

  on_loop([&] { network.server(0).drain(); });
  advance(1s);

  EXPECT_EQ(outcome->text(), "re:x");
  EXPECT_EQ(network.servers.size(), 2u);
}

TEST_F(Retry, ARefusalAsUnprocessedIsRepeatedAfterAWait) {
  int refused = 0;
  network.on_call = [&](FakeServer& server, const ServedCall& call) {
    if (++refused <= 2) return refuse_unprocessed(server, call);
    echo(server, call);
  };

  const auto outcome = begin("x");
  EXPECT_FALSE(outcome->is_done());
  EXPECT_EQ(refused, 1);
  for (int i = 0; i < 5; ++i) advance(200ms);

  EXPECT_EQ(outcome->text(), "re:x");
  EXPECT_EQ(refused, 3);
}

TEST_F(Retry, EndsAfterMaxRetries) {
  options.max_retries = 2;
  int refused = 0;
  network.on_call = [&](FakeServer& server, const ServedCall& call) {
    ++refused;
    refuse_unprocessed(server, call);
  };

  const auto outcome = begin("x");
  for (int i = 0; i < 20; ++i) advance(200ms);

  EXPECT_EQ(refused, 3);
  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_FALSE(outcome->status().may_have_run());
}

TEST_F(Retry, ZeroRetriesMeansNone) {
  options.max_retries = 0;
  network.on_call = refuse_unprocessed;

  EXPECT_EQ(begin("x")->count, 1);
  EXPECT_EQ(network.server(0).calls.size(), 1u);
}

TEST_F(Retry, OverloadIsNotRepeated) {
  network.on_call = [](FakeServer& server, const ServedCall& call) {
    server.refuse(call.id, {StatusCode::resource_exhausted, "too many calls"}, true);
  };

  const auto outcome = begin("x", {.idempotent = true});

  EXPECT_EQ(outcome->status().code(), StatusCode::resource_exhausted);
  EXPECT_FALSE(outcome->status().may_have_run());
  EXPECT_EQ(network.server(0).calls.size(), 1u);
}

TEST_F(Retry, RepetitionsObeyThePolicyForCallsThatWait) {
  options.max_pending_calls = 0;
  network.on_call = nullptr;
  on_loop([&] { EXPECT_TRUE(channel().wait_for_ready(1s)); });
  const auto outcome = begin("x", {.idempotent = true});
  network.is_slow = true;

  on_loop([&] { network.server(0).cut(); });

  EXPECT_EQ(outcome->status().code(), StatusCode::resource_exhausted);
  EXPECT_THAT(std::string(outcome->status().message()), HasSubstr("max_pending_calls is 0"));
  EXPECT_TRUE(outcome->status().may_have_run());
}

TEST_F(Retry, OrderedChannelsRepeatNothing) {
  options.ordered = true;
  network.on_call = refuse_unprocessed;

  EXPECT_EQ(begin("x")->count, 1);
}

TEST_F(Retry, TheDeadlineHoldsOverAllRepetitions) {
  network.on_call = refuse_unprocessed;
  options.max_retries = 100;

  const auto outcome = begin("x", {.timeout = 1s});
  for (int i = 0; i < 60; ++i) advance(100ms);

  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::deadline_exceeded);
}

TEST_F(Retry, LargeRequestsAreRepeatedOnlyIfIdempotent) {
  int refused = 0;
  network.on_call = [&](FakeServer& server, const ServedCall& call) {
    if (++refused <= 2) return refuse_unprocessed(server, call);
    echo(server, call);
  };
  begin("connect");
  advance(1s);
  advance(1s);
  refused = 0;
  const std::string large(5000, 'x');

  const auto plain = begin(large);
  refused = 0;
  const auto idempotent = begin(large, {.idempotent = true});
  for (int i = 0; i < 10; ++i) advance(200ms);

  EXPECT_EQ(plain->status().code(), StatusCode::unavailable);
  EXPECT_EQ(idempotent->text(), "re:" + large);
}

TEST_F(Retry, MetadataAndReplyGoWithTheRepetition) {
  int refused = 0;
  network.on_call = [&](FakeServer& server, const ServedCall& call) {
    EXPECT_EQ(call.metadata.get("token"), "t");
    if (++refused == 1) return refuse_unprocessed(server, call);
    echo(server, call);
  };
  ReplyInfo reply;
  CallOptions call_options;
  call_options.metadata = {{"token", "t"}};
  call_options.reply = &reply;

  const auto outcome = begin("x", call_options);
  advance(1s);

  EXPECT_EQ(outcome->text(), "re:x");
  EXPECT_EQ(refused, 2);
  EXPECT_EQ(reply.peer, "inproc://fake");
}

TEST(RetryBudget, IsSpentByRepetitionsAndFilledBySuccesses) {
  RetryBudget budget;
  int taken = 0;
  while (budget.try_take()) ++taken;

  for (int i = 0; i < RetryBudget::repetition_cost - 1; ++i) budget.on_success();
  EXPECT_FALSE(budget.try_take());
  budget.on_success();

  EXPECT_TRUE(budget.try_take());
  EXPECT_EQ(taken, RetryBudget::most_tokens / RetryBudget::repetition_cost);
}

}  // namespace

}  // namespace trunkline::client
