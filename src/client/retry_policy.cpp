// SPDX-License-Identifier: MIT
// The rules by which calls are retried.
#include "client/retry_policy.h"

namespace trunkline::client {

bool RetryPolicy::try_retry(const FailedAttempt& attempt) noexcept {
  // A server that sheds load responds with resource_exhausted. A retry would add to the load.
  if (attempt.code != StatusCode::unavailable) return false;
  if (attempt.retries >= max_retries_ || !attempt.has_request) return false;
  const bool may_run_twice = attempt.is_idempotent && attempt.origin == StatusOrigin::transport;
  if (attempt.may_have_run && !may_run_twice) return false;
  return budget_.try_take();
}

}  // namespace trunkline::client
