// SPDX-License-Identifier: MIT
// RetryBudget: keeps repetitions to a share of the calls that succeed, so that they cannot multiply an overload.
#pragma once

#include <algorithm>

namespace trunkline::client {

/// A repetition costs ten tokens, a success brings one. Loop's thread.
class RetryBudget {
 public:
  static constexpr int most_tokens =
      10000;  ///< a full budget repeats 1000 calls at once, such as those of a lost connection
  static constexpr int repetition_cost = 10;

  void on_success() noexcept { tokens_ = std::min(tokens_ + 1, most_tokens); }
  bool try_take() noexcept {
    if (tokens_ < repetition_cost) return false;
    tokens_ -= repetition_cost;
    return true;
  }

 private:
  int tokens_ = most_tokens;
};

}  // namespace trunkline::client
