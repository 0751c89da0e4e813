// SPDX-License-Identifier: MIT
// RandomPolicy: chooses a random server.
#pragma once

#include "balance/policy.h"

#include <cstdint>
#include <vector>

namespace trunkline::balance {

/// Draws by weight in constant time: M. Vose, "A linear algorithm for generating random numbers with a given
/// distribution" (1991), the alias method. A server that starts is drawn again in proportion to what it lacks.
class RandomPolicy final : public Policy {
 public:
  explicit RandomPolicy(std::uint64_t seed) noexcept : random_(seed) {}

  void set_servers(std::span<ServerLoad* const> servers) override;
  ServerLoad* choose(const CallHints& hints, base::TimePoint now) override;

 private:
  /// A column of the table: it gives `server` in `share` of the draws, otherwise `alias`.
  struct Column {
    double share = 1;
    ServerLoad* server = nullptr;
    ServerLoad* alias = nullptr;
  };

  ServerLoad* draw() noexcept;

  std::vector<Column> columns_;
  std::uint64_t random_;
};

}  // namespace trunkline::balance
