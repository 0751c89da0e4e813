// SPDX-License-Identifier: MIT
// RefusalBudget: limits the retries of calls that busy servers have refused, so that a channel adds little to the load
// of servers that have too much.
#pragma once

#include <algorithm>

namespace trunkline::client {

/// A budget in which a retry costs ten tokens, and a successful call earns one, as in RetryBudget. But a full one pays
/// for far fewer retries at once: a connection is lost once, with all of its calls, while a server that is overloaded
/// goes on refusing. A channel with 100 calls a second could repeat all of them for ten seconds from a RetryBudget,
/// three times each for some of these. Only the loop's thread uses it.
class RefusalBudget {
 public:
  static constexpr int max_tokens = 500;
  static constexpr int retry_cost = 10;

  void on_success() noexcept { tokens_ = std::min(tokens_ + 1, max_tokens); }
  bool has_room() const noexcept { return tokens_ >= retry_cost; }
  /// Pays for a retry. Requires has_room().
  void take() noexcept { tokens_ -= retry_cost; }

 private:
  int tokens_ = max_tokens;
};

}  // namespace trunkline::client
