// SPDX-License-Identifier: MIT
// ConsistentHash: sends calls of one key to one server, unless that has too many.
#pragma once

#include "balance/load_observer.h"
#include "balance/policy.h"
#include "balance/two_choices.h"

#include <cstdint>
#include <vector>

namespace trunkline::balance {

/// A ring of points, about 64 for a server of weight 1. A key belongs to the server of the next point, or to the next
/// one whose open calls are below its limit: V. Mirrokni, M. Thorup, M. Zadimoghaddam, "Consistent Hashing with Bounded
/// Loads" (2016). The points of a server depend on its identity and weight only. So all clients agree, and a change of
/// the set moves only the keys of the servers that come or go. Calls without a key are spread as TwoChoices does.
class ConsistentHash final : public Policy, private LoadObserver {
 public:
  static constexpr std::size_t points_of_weight_1 = 64;

  /// A server takes at most `load_factor` times its share of the open calls; the factor is more than 1.
  ConsistentHash(std::uint64_t seed, double load_factor) noexcept : keyless_(seed), load_factor_(load_factor) {}
  ~ConsistentHash() override;

  void set_servers(std::span<ServerLoad* const> servers) override;
  ServerLoad* choose(const CallHints& hints, base::TimePoint now) override;

 private:
  struct Point {
    std::uint64_t at;
    ServerLoad* server;
  };

  void load_changed(ServerLoad& server, int open_calls) override;
  void build();
  std::size_t find(std::uint64_t key) const noexcept;
  void weigh(base::TimePoint now) noexcept;
  bool has_room(const ServerLoad& server, base::TimePoint now) const noexcept;

  TwoChoices keyless_;
  const double load_factor_;
  std::vector<ServerLoad*> servers_;
  /// The points in ascending order. The first choice with a key builds them.
  std::vector<Point> points_;
  /// The first point at or after the beginning of each range of keys.
  std::vector<std::uint32_t> ranges_;
  int range_shift_ = 0;
  bool is_built_ = false;
  /// The weight of all servers, as it was lately: those that start weigh less.
  double total_weight_ = 0;
  base::TimePoint weigh_again_ = base::TimePoint::min();
  std::int64_t open_calls_ = 0;
};

}  // namespace trunkline::balance
