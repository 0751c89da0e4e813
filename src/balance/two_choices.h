// SPDX-License-Identifier: MIT
// TwoChoices: chooses the better of two random servers.
#pragma once

#include "balance/policy.h"

#include <cstdint>
#include <vector>

namespace trunkline::balance {

/// M. Mitzenmacher, "The Power of Two Choices in Randomized Load Balancing" (2001). Servers are compared by the time
/// until they would be done: (open calls + 1) times the average latency, by the weight. While both are far worse than
/// the servers chosen before, two others are drawn: when a third of the servers hangs, as with a zone that is cut off,
/// every ninth pair has no better one.
class TwoChoices final : public Policy {
 public:
  explicit TwoChoices(std::uint64_t seed) noexcept : random_(seed) {}

  void set_servers(std::span<ServerLoad* const> servers) override { servers_.assign(servers.begin(), servers.end()); }
  ServerLoad* choose(const CallHints& hints, base::TimePoint now) override;

 private:
  /// The most pairs that are drawn for a call.
  static constexpr int most_pairs = 4;
  /// A server that costs more than this multiple of the usual is far worse.
  static constexpr double far_worse = 4;
  /// The share of the last choice in the usual cost.
  static constexpr double share_of_last = 1.0 / 16;

  struct Candidate {
    ServerLoad* server;
    double cost;
  };

  Candidate better_of_pair(const AvoidedServers& avoided, base::TimePoint now) noexcept;
  /// Returns the server at `place`, or the next one that is not avoided.
  ServerLoad& server_at(std::size_t place, const AvoidedServers& avoided) const noexcept;

  std::vector<ServerLoad*> servers_;
  std::uint64_t random_;
  /// A moving average of the costs of the chosen; far worse ones count as no more than that. 0: nothing was chosen.
  double usual_cost_ = 0;
};

}  // namespace trunkline::balance
