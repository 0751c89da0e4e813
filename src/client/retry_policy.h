// SPDX-License-Identifier: MIT
// RetryPolicy: decides whether a failed call is retried, and after which pause.
#pragma once

#include "client/backoff.h"
#include "client/refusal_budget.h"
#include "client/retry_budget.h"

#include <trunkline/channel_options.h>
#include <trunkline/status.h>

#include <chrono>
#include <cstdint>
#include <optional>

namespace trunkline::client {

/// An attempt of a call that has ended with an error.
struct FailedAttempt {
  StatusCode code = StatusCode::unavailable;
  StatusOrigin origin = StatusOrigin::transport;
  bool may_have_run = true;
  bool is_idempotent = false;
  /// True if the connection takes no further calls, so that a retry goes to another one.
  bool is_connection_gone = false;
  bool has_deadline = false;
  /// The number of free retries of the call before this attempt.
  int free_retries = 0;
  /// True if the request is still there to be sent again.
  bool has_request = true;
  /// The number of retries of the call before this attempt.
  int retries = 0;
  /// The time after which the server wants the call again, if it has said so; negative: never.
  std::optional<std::chrono::milliseconds> pushback{};
  /// True if the attempt was cancelled, because it took longer than RetryOptions::attempt_timeout.
  bool has_timed_out = false;
  /// True if a part of the response had arrived before the end, if only its headers.
  bool has_response_begun = false;
  /// The demands of the service config. Null: it has none, so the options of the channel apply.
  const RetryOptions* configured = nullptr;
};

enum class RetryDecision : std::uint8_t {
  none,
  /// The call is tried again. It counts as one of max_retries or max_attempts, and the budget has paid for it.
  charged,
  /// The call certainly has not run, and is sent again on another connection as if for the first time.
  free,
};

/// A policy, which only the loop's thread uses.
class RetryPolicy {
 public:
  /// The most free retries of a call without a deadline: it ends some time even if no connection ever takes it.
  static constexpr int max_free_retries = 10;

  /// Makes the policy. An ordered channel retries nothing: a retried call would run after later ones.
  explicit RetryPolicy(const ChannelOptions& options)
      : max_retries_(options.ordered ? 0 : options.max_retries),
        is_ordered_(options.ordered),
        backoff_(options.backoff) {}

  /// Returns false if calls are retried only if they certainly have not run.
  bool is_enabled() const noexcept { return max_retries_ > 0; }
  /// Returns false if no call is ever retried, so that no request needs to be kept.
  bool needs_requests() const noexcept { return !is_ordered_; }
  /// Returns true if the attempt certainly has not run, and its connection has gone: see RetryDecision::free.
  bool is_free(const FailedAttempt& attempt) const noexcept;
  RetryDecision decide(const FailedAttempt& attempt) noexcept;
  /// Returns the time before retry number `retry`, from 1. A server that is connected and refused the call is given
  /// time, while another connection is looked for at once.
  base::Duration pause_before(int retry, bool is_connected) {
    return is_connected ? backoff_.after(retry) : base::Duration::zero();
  }
  /// Returns the time before retry number `retry`, from 1, of a method with options of its own.
  base::Duration pause_before(int retry, const RetryOptions& configured) { return backoff_.after(retry, configured); }
  /// Returns the time before free retry number `retry` of a call, from 1. Servers that go away one after the other,
  /// each before it has run the call, are given time.
  base::Duration pause_before_free(int retry) { return retry > 1 ? backoff_.after(retry - 1) : base::Duration::zero(); }
  void on_success() noexcept {
    budget_.on_success();
    refusals_.on_success();
  }
  /// Pay for attempts that do not follow a failure, such as those of hedged calls, and note their failures.
  bool try_take() noexcept { return budget_.try_take(); }
  void on_failure() noexcept { budget_.on_failure(); }
  void set_throttling(const std::optional<RetryThrottling>& throttling) noexcept { budget_.set_throttling(throttling); }

 private:
  static bool is_listed(const FailedAttempt& attempt) noexcept;

  const int max_retries_;
  const bool is_ordered_;
  Backoff backoff_;
  RetryBudget budget_;
  RefusalBudget refusals_;
};

}  // namespace trunkline::client
