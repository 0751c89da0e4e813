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

TEST(RetryPolicy, AnAttemptThatIsNotRetriedCostsNothing) {
  RetryPolicy policy(options_with(3));
  const FailedAttempt not_run{.may_have_run = false};
  const FailedAttempt may_have_run{.may_have_run = true};

  for (int i = 0; i < 2 * RetryBudget::max_tokens; ++i) EXPECT_FALSE(is_retried(policy, may_have_run));

  EXPECT_TRUE(is_retried(policy, not_run));
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
