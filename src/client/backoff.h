// SPDX-License-Identifier: MIT
// Backoff: says how long to wait after the n-th failure in a row.
#pragma once

#include "base/clock.h"

#include <trunkline/channel_options.h>
#include <trunkline/retry_options.h>

#include <cstdint>

namespace trunkline::client {

class Backoff {
 public:
  explicit Backoff(const BackoffOptions& options);
  /// Counts a failure and returns the wait before the next attempt.
  base::Duration next();
  /// Resets the count of failures after a success.
  void reset() noexcept { failures_ = 0; }
  /// Returns the wait after failure number `failures`, from 1, with jitter.
  base::Duration after(int failures);
  /// Returns the wait as `retry` says, instead of the options of the channel.
  base::Duration after(int failures, const RetryOptions& retry);

 private:
  base::Duration varied(double milliseconds, double jitter);

  const BackoffOptions options_;
  std::uint64_t random_state_;
  int failures_ = 0;
};

}  // namespace trunkline::client
