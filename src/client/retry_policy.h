// SPDX-License-Identifier: MIT
// RetryPolicy: decides whether a failed call is retried, and after which pause.
#pragma once

#include "client/backoff.h"
#include "client/retry_budget.h"

#include <trunkline/channel_options.h>
#include <trunkline/status.h>

namespace trunkline::client {

/// An attempt of a call that has ended with an error.
struct FailedAttempt {
  StatusCode code = StatusCode::unavailable;
  StatusOrigin origin = StatusOrigin::transport;
  bool may_have_run = true;
  bool is_idempotent = false;
  /// The request was kept and can be sent again.
  bool has_request = true;
  /// The number of retries of the call before this attempt.
  int retries = 0;
};

/// Loop's thread only.
class RetryPolicy {
 public:
  /// An ordered channel retries nothing: a retried call would run after later ones.
  explicit RetryPolicy(const ChannelOptions& options)
      : max_retries_(options.ordered ? 0 : options.max_retries), backoff_(options.backoff) {}

  /// False: no call is retried, so requests need not be kept.
  bool is_enabled() const noexcept { return max_retries_ > 0; }
  /// Returns true if the call must be retried. Takes the tokens of the retry from the budget.
  bool try_retry(const FailedAttempt& attempt) noexcept;
  /// The pause before retry number `retry`, from 1. There is a pause only if a server is connected and has refused the
  /// call; without a connection the retry waits for one.
  base::Duration pause_before(int retry, bool is_connected) {
    return is_connected ? backoff_.after(retry) : base::Duration::zero();
  }
  void on_success() noexcept { budget_.on_success(); }

 private:
  const int max_retries_;
  Backoff backoff_;
  RetryBudget budget_;
};

}  // namespace trunkline::client
