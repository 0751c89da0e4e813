// SPDX-License-Identifier: MIT
// RoundRobin: takes the servers in turn.
#pragma once

#include "balance/policy.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trunkline::balance {

/// Takes turns in proportion to the weights, evenly spread (earliest deadline first, as Envoy and gRPC do it). It
/// begins at a random place, so that many clients do not begin with the same server.
class RoundRobin final : public Policy {
 public:
  explicit RoundRobin(std::uint64_t seed) noexcept : random_(seed) {}

  void set_servers(std::span<ServerLoad* const> servers) override;
  ServerLoad* choose(const CallHints& hints, base::TimePoint now) override;

 private:
  struct Entry {
    double due;
    /// Orders entries that are due at the same time.
    std::uint64_t turn;
    ServerLoad* server;
    bool operator>(const Entry& other) const noexcept { return due != other.due ? due > other.due : turn > other.turn; }
  };

  ServerLoad* next_of(std::size_t count, base::TimePoint now);

  /// A heap of entries, of which the one that is due first is in front.
  std::vector<Entry> entries_;
  std::uint64_t turns_ = 0;
  std::uint64_t random_;
};

}  // namespace trunkline::balance
