// SPDX-License-Identifier: MIT
// RetryBudget: limits retries to a share of the successful calls, so that retries do not amplify an overload.
#pragma once

#include <algorithm>

namespace trunkline::client {

/// A retry costs ten tokens, and a successful call earns one. A full budget pays for 1000 retries at once, such as
/// those of the calls of a lost connection. Loop's thread.
class RetryBudget {
 public:
  static constexpr int max_tokens = 10000;
  static constexpr int retry_cost = 10;

  void on_success() noexcept { tokens_ = std::min(tokens_ + 1, max_tokens); }
  bool try_take() noexcept {
    if (tokens_ < retry_cost) return false;
    tokens_ -= retry_cost;
    return true;
  }

 private:
  int tokens_ = max_tokens;
};

}  // namespace trunkline::client
