// SPDX-License-Identifier: MIT
// The rules by which calls are retried.
#include "client/retry_policy.h"

namespace trunkline::client {

bool RetryPolicy::is_free(const FailedAttempt& attempt) const noexcept {
  if (attempt.code != StatusCode::unavailable || !attempt.has_request) return false;
  const bool may_be_free = attempt.has_deadline || attempt.free_retries < max_free_retries;
  return !attempt.may_have_run && attempt.is_connection_gone && may_be_free && !is_ordered_;
}

RetryDecision RetryPolicy::decide(const FailedAttempt& attempt) noexcept {
  // A server that sheds load says resource_exhausted. A retry would add to the load.
  if (attempt.code != StatusCode::unavailable || !attempt.has_request) return RetryDecision::none;
  if (attempt.pushback && attempt.pushback->count() < 0) return RetryDecision::none;
  if (is_free(attempt)) return RetryDecision::free;
  if (attempt.retries >= max_retries_) return RetryDecision::none;
  const bool is_asked_for = attempt.origin == StatusOrigin::transport || attempt.pushback.has_value();
  const bool may_run_twice = attempt.is_idempotent && is_asked_for;
  if (attempt.may_have_run && !may_run_twice) return RetryDecision::none;
  return budget_.try_take() ? RetryDecision::charged : RetryDecision::none;
}

}  // namespace trunkline::client
