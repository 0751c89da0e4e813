// SPDX-License-Identifier: MIT
// RetryBudget: limits retries to a share of the successful calls, so that retries do not amplify an overload.
#pragma once

#include <trunkline/service_config.h>

#include <algorithm>
#include <optional>

namespace trunkline::client {

/// A retry costs ten tokens by default, and a successful call earns one. A full budget pays for 1000 retries at once,
/// such as those of the calls of a lost connection. With the throttling of a service config, failures cost tokens
/// instead of retries, and nothing is retried while half of the tokens are gone. Only the loop's thread uses it.
class RetryBudget {
 public:
  static constexpr int max_tokens = 10000;
  static constexpr int retry_cost = 10;

  /// Begins anew with a full budget, unless it throttles so already.
  void set_throttling(const std::optional<RetryThrottling>& throttling) noexcept {
    if (throttling == throttling_) return;
    throttling_ = throttling;
    most_ = throttling ? throttling->max_tokens * per_token : max_tokens;
    earned_ = throttling ? static_cast<int>(throttling->token_ratio * per_token + 0.5) : 1;
    tokens_ = most_;
  }

  void on_success() noexcept { tokens_ = std::min(tokens_ + earned_, most_); }
  /// Notes that a call has failed in a way for which it might be retried.
  void on_failure() noexcept {
    if (throttling_) tokens_ = std::max(tokens_ - per_token, 0);
  }
  /// Pays for a further attempt. Returns false if there must be none.
  bool try_take() noexcept {
    if (throttling_) return tokens_ > most_ / 2;
    if (tokens_ < retry_cost) return false;
    tokens_ -= retry_cost;
    return true;
  }

 private:
  /// The parts of a token: gRPC counts with three decimals.
  static constexpr int per_token = 1000;

  std::optional<RetryThrottling> throttling_;
  int most_ = max_tokens;
  int earned_ = 1;
  int tokens_ = max_tokens;
};

}  // namespace trunkline::client
