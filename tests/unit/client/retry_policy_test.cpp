// SPDX-License-Identifier: MIT
// Which failed attempts are retried, what a retry costs, and how long it waits.
#include "client/retry_policy.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace trunkline::client {

namespace {

using namespace std::chrono_literals;

ChannelOptions options_with(int max_retries, bool ordered = false) {
  ChannelOptions options;
  options.max_retries = max_retries;
  options.ordered = ordered;
  options.backoff = {.initial = 100ms, .maximum = 350ms, .multiplier = 2, .jitter = 0, .seed = 1};
  return options;
}

bool is_retried(RetryPolicy& policy, const FailedAttempt& attempt) {
  return policy.decide(attempt) != RetryDecision::none;
}

TEST(RetryPolicy, DecidesByCodeOriginIdempotencyAndRequest) {
  constexpr auto peer = StatusOrigin::peer;
  constexpr auto local = StatusOrigin::local;
  constexpr auto transport = StatusOrigin::transport;
  struct Case {
    std::string what;
    FailedAttempt attempt;
    bool is_retried;
  };
  const std::vector<Case> cases = {
      {"not run", {StatusCode::unavailable, peer, false, false, false, false, 0, true, 0}, true},
      {"not run, idempotent", {StatusCode::unavailable, peer, false, true, false, false, 0, true, 0}, true},
      {"not run, by the transport", {StatusCode::unavailable, transport, false, false, false, false, 0, true, 0}, true},
      {"not run, by this side", {StatusCode::unavailable, local, false, false, false, false, 0, true, 0}, true},
      {"not run, but the request is gone",
       {StatusCode::unavailable, peer, false, false, false, false, 0, false, 0},
       false},
      {"may have run", {StatusCode::unavailable, transport, true, false, false, false, 0, true, 0}, false},
      {"may have run, idempotent", {StatusCode::unavailable, transport, true, true, false, false, 0, true, 0}, true},
      {"may have run, idempotent, the request is gone",
       {StatusCode::unavailable, transport, true, true, false, false, 0, false, 0},
       false},
      {"may have run, idempotent, the server's word",
       {StatusCode::unavailable, peer, true, true, false, false, 0, true, 0},
       false},
      {"may have run, idempotent, by this side",
       {StatusCode::unavailable, local, true, true, false, false, 0, true, 0},
       false},
      {"one retry left", {StatusCode::unavailable, peer, false, false, false, false, 0, true, 2}, true},
      {"no retry left", {StatusCode::unavailable, peer, false, false, false, false, 0, true, 3}, false},
      {"the server sheds load", {StatusCode::resource_exhausted, peer, false, true, false, false, 0, true, 0}, false},
      {"the deadline is over",
       {StatusCode::deadline_exceeded, transport, false, true, false, false, 0, true, 0},
       false},
      {"cancelled", {StatusCode::cancelled, local, false, true, false, false, 0, true, 0}, false},
      {"the server's error", {StatusCode::internal, peer, false, true, false, false, 0, true, 0}, false},
      {"a success", {StatusCode::ok, peer, false, true, false, false, 0, true, 0}, false},
  };

  for (const Case& expected : cases) {
    RetryPolicy policy(options_with(3));
    EXPECT_EQ(is_retried(policy, expected.attempt), expected.is_retried) << expected.what;
  }
}

TEST(RetryPolicy, IsDisabledWithoutRetriesAndForOrderedChannels) {
  const FailedAttempt not_run{.may_have_run = false};
  RetryPolicy enabled(options_with(1));
  RetryPolicy without_retries(options_with(0));
  RetryPolicy ordered(options_with(3, true));

  EXPECT_TRUE(enabled.is_enabled());
  EXPECT_TRUE(is_retried(enabled, not_run));
  EXPECT_FALSE(without_retries.is_enabled());
  EXPECT_FALSE(is_retried(without_retries, not_run));
  EXPECT_FALSE(ordered.is_enabled());
  EXPECT_FALSE(is_retried(ordered, not_run));
}

TEST(RetryPolicy, WhatHasNotRunOnAConnectionThatIsGoneIsFree) {
  FailedAttempt attempt{.may_have_run = false, .is_connection_gone = true, .retries = 3};
  RetryPolicy policy(options_with(3));
  RetryPolicy without_retries(options_with(0));
  RetryPolicy ordered(options_with(3, true));

  for (int i = 0; i < 2 * RetryBudget::max_tokens; ++i) ASSERT_EQ(policy.decide(attempt), RetryDecision::free);
  EXPECT_EQ(without_retries.decide(attempt), RetryDecision::free);
  EXPECT_EQ(ordered.decide(attempt), RetryDecision::none);
  attempt.has_request = false;
  EXPECT_EQ(policy.decide(attempt), RetryDecision::none);
  EXPECT_EQ(policy.decide({.may_have_run = true, .is_connection_gone = true}), RetryDecision::none);
  EXPECT_EQ(policy.decide({.code = StatusCode::resource_exhausted, .may_have_run = false, .is_connection_gone = true}),
            RetryDecision::none);
}

TEST(RetryPolicy, ACallWithoutADeadlineIsNotFreeForEver) {
  RetryPolicy policy(options_with(3));
  FailedAttempt attempt{.may_have_run = false, .is_connection_gone = true, .free_retries = 10};

  EXPECT_EQ(policy.decide(attempt), RetryDecision::charged);
  attempt.retries = 3;
  EXPECT_EQ(policy.decide(attempt), RetryDecision::none);
  attempt.has_deadline = true;
  EXPECT_EQ(policy.decide(attempt), RetryDecision::free);
}

TEST(RetryPolicy, TheSecondFreeRetryPauses) {
  RetryPolicy policy(options_with(3));

  EXPECT_EQ(policy.pause_before_free(1), 0ms);
  EXPECT_EQ(policy.pause_before_free(2), 100ms);
  EXPECT_EQ(policy.pause_before_free(3), 200ms);
}

TEST(RetryPolicy, WaitsOnlyIfAServerIsConnected) {
  RetryPolicy policy(options_with(5));

  EXPECT_EQ(policy.pause_before(1, true), 100ms);
  EXPECT_EQ(policy.pause_before(2, true), 200ms);
  EXPECT_EQ(policy.pause_before(3, true), 350ms);
  EXPECT_EQ(policy.pause_before(1, true), 100ms) << "each call counts its own retries";
  EXPECT_EQ(policy.pause_before(3, false), 0ms);
}

TEST(RetryPolicy, StopsWhenTheBudgetIsSpentAndGoesOnAfterSuccesses) {
  RetryPolicy policy(options_with(3));
  const FailedAttempt not_run{.may_have_run = false};
  int retries = 0;
  while (is_retried(policy, not_run)) ++retries;
  EXPECT_EQ(retries, RetryBudget::max_tokens / RetryBudget::retry_cost);

  for (int i = 0; i < RetryBudget::retry_cost; ++i) policy.on_success();

  EXPECT_TRUE(is_retried(policy, not_run));
  EXPECT_FALSE(is_retried(policy, not_run));
}

TEST(RetryPolicy, RetriesLessOfWhatBusyServersRefuse) {
  RetryPolicy policy(options_with(3));
  const FailedAttempt refused{.origin = StatusOrigin::peer, .may_have_run = false, .pushback = 10ms};
  const FailedAttempt lost{.may_have_run = true, .is_idempotent = true};
  int retries = 0;
  while (is_retried(policy, refused)) ++retries;
  EXPECT_EQ(retries, RefusalBudget::max_tokens / RefusalBudget::retry_cost);

  EXPECT_TRUE(is_retried(policy, lost)) << "the calls of a lost connection have a budget of their own";
  for (int i = 0; i < RefusalBudget::retry_cost; ++i) policy.on_success();
  EXPECT_TRUE(is_retried(policy, refused));
  EXPECT_FALSE(is_retried(policy, refused));
}

TEST(RetryPolicy, WhatBusyServersRefuseIsPaidForByTheBudgetOfAllRetriesToo) {
  RetryPolicy policy(options_with(3));
  while (is_retried(policy, {.may_have_run = false})) continue;

  EXPECT_FALSE(is_retried(policy, {.origin = StatusOrigin::peer, .may_have_run = false, .pushback = 10ms}));
}

TEST(RetryPolicy, AnAttemptThatIsNotRetriedCostsNothing) {
  RetryPolicy policy(options_with(3));
  const FailedAttempt not_run{.may_have_run = false};
  const FailedAttempt may_have_run{.may_have_run = true};

  for (int i = 0; i < 2 * RetryBudget::max_tokens; ++i) EXPECT_FALSE(is_retried(policy, may_have_run));

  EXPECT_TRUE(is_retried(policy, not_run));
}

// --- what a service config asks for ---

const RetryOptions configured{.max_attempts = 3,
                              .initial_backoff = 10ms,
                              .max_backoff = 35ms,
                              .backoff_multiplier = 2,
                              .retryable_codes = {StatusCode::aborted}};

TEST(RetryPolicy, FollowsTheServiceConfig) {
  constexpr auto peer = StatusOrigin::peer;
  struct Case {
    std::string what;
    FailedAttempt attempt;
    bool is_retried;
  };
  const std::vector<Case> cases = {
      {"listed", {.code = StatusCode::aborted, .origin = peer, .configured = &configured}, true},
      {"listed, found out by this side",
       {.code = StatusCode::aborted, .origin = StatusOrigin::local, .configured = &configured},
       false},
      {"not listed", {.code = StatusCode::internal, .origin = peer, .configured = &configured}, false},
      {"unavailable, not listed, may have run",
       {.code = StatusCode::unavailable, .origin = peer, .configured = &configured},
       false},
      {"unavailable, not listed, not run",
       {.code = StatusCode::unavailable, .origin = peer, .may_have_run = false, .configured = &configured},
       true},
      {"unavailable, not listed, idempotent, lost",
       {.code = StatusCode::unavailable, .is_idempotent = true, .configured = &configured},
       true},
      {"one attempt left",
       {.code = StatusCode::aborted, .origin = peer, .retries = 1, .configured = &configured},
       true},
      {"no attempt left",
       {.code = StatusCode::aborted, .origin = peer, .retries = 2, .configured = &configured},
       false},
      {"the request is gone",
       {.code = StatusCode::aborted, .origin = peer, .has_request = false, .configured = &configured},
       false},
      {"unwanted", {.code = StatusCode::aborted, .origin = peer, .pushback = -1ms, .configured = &configured}, false},
      {"the response had begun",
       {.code = StatusCode::aborted, .origin = peer, .has_response_begun = true, .configured = &configured},
       false},
      {"the response had begun, and the server wants the call again",
       {.code = StatusCode::aborted,
        .origin = peer,
        .pushback = 1ms,
        .has_response_begun = true,
        .configured = &configured},
       false},
      {"too slow",
       {.code = StatusCode::deadline_exceeded,
        .origin = StatusOrigin::local,
        .has_timed_out = true,
        .configured = &configured},
       true},
  };

  for (const Case& expected : cases) {
    RetryPolicy policy(options_with(0));
    EXPECT_EQ(is_retried(policy, expected.attempt), expected.is_retried) << expected.what;
    RetryPolicy ordered(options_with(3, true));
    EXPECT_FALSE(is_retried(ordered, expected.attempt)) << expected.what;
  }
}

TEST(RetryPolicy, PausesAsTheServiceConfigSays) {
  RetryPolicy policy(options_with(3));
  const auto expect_about = [&](int retry, std::chrono::milliseconds pause) {
    for (int i = 0; i < 100; ++i) {
      const base::Duration found = policy.pause_before(retry, configured);
      EXPECT_GE(found, pause * 4 / 5);
      EXPECT_LE(found, pause * 6 / 5);
    }
  };

  expect_about(1, 10ms);
  expect_about(2, 20ms);
  expect_about(3, 35ms);
  expect_about(10000, 35ms);
}

TEST(RetryBudget, ThrottlesByFailuresInsteadOfRetries) {
  RetryBudget budget;
  budget.set_throttling(RetryThrottling{.max_tokens = 10, .token_ratio = 0.5});
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(budget.try_take());

  for (int i = 0; i < 4; ++i) budget.on_failure();
  EXPECT_TRUE(budget.try_take());
  budget.on_failure();
  EXPECT_FALSE(budget.try_take()) << "half of the tokens are gone";
  budget.on_success();
  EXPECT_TRUE(budget.try_take());

  for (int i = 0; i < 100; ++i) budget.on_failure();
  for (int i = 0; i < 10; ++i) budget.on_success();
  EXPECT_FALSE(budget.try_take()) << "there are no fewer than none";
  budget.on_success();
  EXPECT_TRUE(budget.try_take());
}

TEST(RetryBudget, KeepsItsTokensWhenTheThrottlingStays) {
  RetryBudget budget;
  budget.set_throttling(RetryThrottling{.max_tokens = 2, .token_ratio = 1});
  budget.on_failure();
  EXPECT_FALSE(budget.try_take());

  budget.set_throttling(RetryThrottling{.max_tokens = 2, .token_ratio = 1});
  EXPECT_FALSE(budget.try_take());
  budget.set_throttling({});

  EXPECT_TRUE(budget.try_take());
}

TEST(RetryBudget, IsSpentByRetriesAndFilledBySuccesses) {
  RetryBudget budget;
  int taken = 0;
  while (budget.try_take()) ++taken;

  for (int i = 0; i < RetryBudget::retry_cost - 1; ++i) budget.on_success();
  EXPECT_FALSE(budget.try_take());
  budget.on_success();

  EXPECT_TRUE(budget.try_take());
  EXPECT_EQ(taken, RetryBudget::max_tokens / RetryBudget::retry_cost);
}

TEST(RetryBudget, HoldsNoMoreThanItsMaximum) {
  RetryBudget budget;

  for (int i = 0; i < RetryBudget::max_tokens; ++i) budget.on_success();

  int taken = 0;
  while (budget.try_take()) ++taken;
  EXPECT_EQ(taken, RetryBudget::max_tokens / RetryBudget::retry_cost);
}

}  // namespace

}  // namespace trunkline::client
