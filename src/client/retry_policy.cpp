// SPDX-License-Identifier: MIT
// RetryPolicy: the rules by which calls are retried.
#include "client/retry_policy.h"

namespace trunkline::client {

bool RetryPolicy::is_free(const FailedAttempt& attempt) const noexcept {
  if (attempt.code != StatusCode::unavailable || !attempt.has_request) return false;
  const bool may_be_free = attempt.has_deadline || attempt.free_retries < max_free_retries;
  return !attempt.may_have_run && attempt.is_connection_gone && may_be_free && !is_ordered_;
}

/// Returns true if the owner of the service has declared that such an attempt may be followed by another. The findings
/// of this side, such as an expired deadline, are none of its codes.
bool RetryPolicy::is_listed(const FailedAttempt& attempt) noexcept {
  if (attempt.configured == nullptr) return false;
  const bool has_code = attempt.configured->retryable_codes.contains(attempt.code);
  return attempt.has_timed_out || (has_code && attempt.origin != StatusOrigin::local);
}

RetryDecision RetryPolicy::decide(const FailedAttempt& attempt) noexcept {
  const bool is_listed = RetryPolicy::is_listed(attempt);
  // A server that sheds load says resource_exhausted. Unless it is listed, a retry would add to the load.
  if (attempt.code != StatusCode::unavailable && !is_listed) return RetryDecision::none;
  const bool is_unwanted = attempt.pushback && attempt.pushback->count() < 0;
  if (!is_unwanted && is_free(attempt)) return RetryDecision::free;
  budget_.on_failure();
  // A retry policy of gRPC ends when the server has begun to respond.
  const bool is_committed = attempt.has_response_begun && attempt.configured != nullptr;
  if (is_unwanted || is_committed || is_ordered_ || !attempt.has_request) return RetryDecision::none;
  const int most = attempt.configured != nullptr ? attempt.configured->max_attempts - 1 : max_retries_;
  if (attempt.retries >= most) return RetryDecision::none;
  const bool is_asked_for = attempt.origin == StatusOrigin::transport || attempt.pushback.has_value();
  const bool may_run_twice = is_listed || (attempt.is_idempotent && is_asked_for);
  if (attempt.may_have_run && !may_run_twice) return RetryDecision::none;
  // A server that says when to come back is there, but busy.
  const bool is_refused = attempt.pushback.has_value();
  if (is_refused && !refusals_.has_room()) return RetryDecision::none;
  if (!budget_.try_take()) return RetryDecision::none;
  if (is_refused) refusals_.take();
  return RetryDecision::charged;
}

}  // namespace trunkline::client
