// SPDX-License-Identifier: MIT
// Which calls are retried after a lost connection or a refusal, and which never are.
#include "unit/client/client_fixture.h"

#include <trunkline/client_method.h>

namespace trunkline::client {

namespace {

using Retry = ClientFixture;

void refuse_unprocessed(FakeServer& server, const ServedCall& call) {
  server.refuse(call.id, {StatusCode::unavailable, "going away"}, true);
}

TEST_F(Retry, ACallThatMayHaveRunIsNotRetried) {
  network.on_call = nullptr;
  const auto outcome = begin("x");

  on_loop([&] { network.server(0).cut(); });
  advance(1s);

  EXPECT_EQ(outcome->status().code(), StatusCode::unavailable);
  EXPECT_EQ(network.servers.size(), 1u);
}

TEST_F(Retry, AnIdempotentCallIsRetriedOnTheNextConnection) {
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
  std::string response;
  on_loop([&] { method.async("x", [&](Result<std::string> result) { response = result.value_or("failed"); }); });
  network.on_call = echo;

  on_loop([&] { network.server(0).cut(); });

  EXPECT_EQ(response, "re:x");
  EXPECT_EQ(network.servers.size(), 2u);
}

TEST_F(Retry, ManyCallsOfAnIdempotentMethodNeedNoOption) {
  begin("connect");
  network.server(0).on_call = [](FakeServer& server, const ServedCall&) { server.cut(); };
  const UnaryMethod<std::string, std::string> method(channel(), "Echo", true);
  std::vector<std::string> responses;

  on_loop([&] {
    method.many(std::vector<std::string>{"x", "y"}, 1, [&](std::size_t, Result<std::string> result) {
      responses.push_back(result ? *result : result.status().to_string());
    });
  });

  EXPECT_EQ(responses, (std::vector<std::string>{"re:x", "re:y"}));
}

TEST_F(Retry, ACallBeyondGoawayIsRetriedElsewhere) {
  begin("connect");
  network.server(0).on_call = refuse_unprocessed;
  const auto outcome = begin("x", {.idempotent = true});
  EXPECT_FALSE(outcome->is_done());

  on_loop([&] { network.server(0).drain(); });
  advance(1s);

  EXPECT_EQ(outcome->text(), "re:x");
  EXPECT_EQ(network.servers.size(), 2u);
}

TEST_F(Retry, ARefusalAsUnprocessedIsRetriedAfterAPause) {
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

TEST_F(Retry, ZeroRetriesDisableRetries) {
  options.max_retries = 0;
  network.on_call = refuse_unprocessed;

  EXPECT_EQ(begin("x")->count, 1);
  EXPECT_EQ(network.server(0).calls.size(), 1u);
}

TEST_F(Retry, OverloadIsNotRetried) {
  network.on_call = [](FakeServer& server, const ServedCall& call) {
    server.refuse(call.id, {StatusCode::resource_exhausted, "too many calls"}, true);
  };

  const auto outcome = begin("x", {.idempotent = true});

  EXPECT_EQ(outcome->status().code(), StatusCode::resource_exhausted);
  EXPECT_FALSE(outcome->status().may_have_run());
  EXPECT_EQ(network.server(0).calls.size(), 1u);
}

TEST_F(Retry, RetriesObeyThePendingPolicy) {
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

TEST_F(Retry, OrderedChannelsRetryNothing) {
  options.ordered = true;
  network.on_call = refuse_unprocessed;

  EXPECT_EQ(begin("x")->count, 1);
}

TEST_F(Retry, TheDeadlineHoldsForAllRetriesTogether) {
  network.on_call = refuse_unprocessed;
  options.max_retries = 100;

  const auto outcome = begin("x", {.timeout = 1s});
  for (int i = 0; i < 60; ++i) advance(100ms);

  EXPECT_EQ(outcome->count, 1);
  EXPECT_EQ(outcome->status().code(), StatusCode::deadline_exceeded);
}

TEST_F(Retry, LargeRequestsAreRetriedOnlyIfIdempotent) {
  options.max_retained_request_bytes = 4096;
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

TEST_F(Retry, MetadataAndResponseInfoGoWithTheRetry) {
  int refused = 0;
  network.on_call = [&](FakeServer& server, const ServedCall& call) {
    EXPECT_EQ(call.metadata.get("token"), "t");
    if (++refused == 1) return refuse_unprocessed(server, call);
    echo(server, call);
  };
  ResponseInfo info;
  CallOptions call_options;
  call_options.metadata = {{"token", "t"}};
  call_options.response_info = &info;

  const auto outcome = begin("x", call_options);
  advance(1s);

  EXPECT_EQ(outcome->text(), "re:x");
  EXPECT_EQ(refused, 2);
  EXPECT_EQ(info.peer, "inproc://fake");
}

TEST_F(Retry, ResponseInfoIsThatOfTheLastAttempt) {
  network.on_call = [](FakeServer& server, const ServedCall& call) { server.send_leading(call.id, {{"of", "first"}}); };
  ResponseInfo info;
  const auto outcome = begin("x", {.idempotent = true, .response_info = &info});
  network.on_call = echo;

  on_loop([&] { network.server(0).cut(); });

  EXPECT_EQ(outcome->text(), "re:x");
  EXPECT_TRUE(info.leading.empty());
}

}  // namespace

}  // namespace trunkline::client
