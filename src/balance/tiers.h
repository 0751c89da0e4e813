// SPDX-License-Identifier: MIT
// Tiers: prefers servers of the lowest priority and of the own zone, and gives others what those cannot take.
#pragma once

#include "balance/policy.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace trunkline::balance {

/// A tier is a priority, and in it the own zone or all others. Each tier has a policy of its own. While at least
/// 1 / overprovisioning of a tier's listed weight is ready, it gets all calls that come to it; below that it gets its
/// ready share times overprovisioning, and the rest goes on to the next tier. If no tier can take the last rest, all
/// that have servers share the calls in these proportions. This is how Envoy spreads load over priorities:
/// https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/upstream/load_balancing/priority
class Tiers final : public Policy {
 public:
  static constexpr double overprovisioning = 1.4;
  using MakePolicy = std::function<std::unique_ptr<Policy>(std::uint64_t seed)>;

  Tiers(std::uint64_t seed, MakePolicy make_policy);

  /// Sets the listed servers. If it is not called, all servers count as ready.
  void set_listed(std::span<ServerLoad* const> servers) override;
  void set_servers(std::span<ServerLoad* const> servers) override;
  ServerLoad* choose(const CallHints& hints, base::TimePoint now) override;

 private:
  struct Tier {
    std::uint32_t priority = 0;
    bool is_local = false;
    double listed = 0;
    double ready = 0;
    /// The sum of the shares of this tier and of those before it.
    double share_end = 0;
    std::vector<ServerLoad*> servers{};
    std::unique_ptr<Policy> policy{};
  };

  Tier& tier_of(const ServerLoad& server);
  static ServerLoad* choose_in(Tier& tier, const CallHints& hints, base::TimePoint now);
  void set_shares();

  std::uint64_t random_;
  MakePolicy make_policy_;
  /// The tiers by priority, and in each the own zone before the others.
  std::vector<Tier> tiers_;
  /// The only tier that gets calls; null if there are several, or none.
  Tier* only_ = nullptr;
};

}  // namespace trunkline::balance
