// SPDX-License-Identifier: MIT
// RetryOptions: which failed calls of a method are retried, how often and when, whether or not they have run.
#pragma once

#include <trunkline/status_code_set.h>

#include <chrono>
#include <optional>

namespace trunkline {

/// The retries of a method's calls: https://github.com/grpc/proposal/blob/master/A6-client-retries.md describes them.
struct RetryOptions {
  /// The highest number of attempts that a service config can ask for.
  static constexpr int most_attempts = 5;

  /// The number of attempts of a call, the first one included; 2 to 5.
  int max_attempts = 2;
  /// The pause before the n-th retry is initial_backoff * backoff_multiplier^(n-1), at most max_backoff, varied at
  /// random by +-20 %.
  std::chrono::nanoseconds initial_backoff{};
  std::chrono::nanoseconds max_backoff{};
  double backoff_multiplier = 1;
  /// A call that ends with one of these codes is retried although it may have run. A config that lists a code declares
  /// that the method allows this.
  StatusCodeSet retryable_codes{};
  /// An attempt without a response after this time is cancelled, and the call is retried; unset: there is no limit.
  /// This applies to unary calls only.
  std::optional<std::chrono::nanoseconds> attempt_timeout{};

  bool operator==(const RetryOptions&) const = default;
};

}  // namespace trunkline
