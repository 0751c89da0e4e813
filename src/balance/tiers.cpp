// SPDX-License-Identifier: MIT
// Tiers: computes the shares of the tiers.
#include "balance/tiers.h"

#include "balance/draw.h"
#include "base/random_seed.h"

#include <algorithm>
#include <utility>

namespace trunkline::balance {

Tiers::Tiers(std::uint64_t seed, MakePolicy make_policy) : random_(seed), make_policy_(std::move(make_policy)) {}

Tiers::Tier& Tiers::tier_of(const ServerLoad& server) {
  const auto place = std::find_if(tiers_.begin(), tiers_.end(), [&](const Tier& tier) {
    return std::pair(tier.priority, !tier.is_local) >= std::pair(server.priority, !server.is_local);
  });
  if (place != tiers_.end() && place->priority == server.priority && place->is_local == server.is_local) return *place;
  Tier added;
  added.priority = server.priority;
  added.is_local = server.is_local;
  added.policy = make_policy_(base::next_random(random_));
  return *tiers_.insert(place, std::move(added));
}

void Tiers::set_listed(std::span<ServerLoad* const> servers) {
  only_ = nullptr;
  for (Tier& tier : tiers_) tier.listed = 0;
  for (const ServerLoad* const server : servers) tier_of(*server).listed += server->weight;
}

void Tiers::set_servers(std::span<ServerLoad* const> servers) {
  // A server that has moved to another tier leaves the first before it comes to the second.
  for (Tier& tier : tiers_) {
    tier.servers.clear();
    tier.ready = 0;
  }
  for (ServerLoad* const server : servers) {
    Tier& tier = tier_of(*server);
    tier.servers.push_back(server);
    tier.ready += server->weight;
  }
  for (Tier& tier : tiers_) tier.policy->set_servers({});
  for (Tier& tier : tiers_) tier.policy->set_servers(tier.servers);
  std::erase_if(tiers_, [](const Tier& tier) { return tier.servers.empty() && tier.listed == 0; });
  set_shares();
}

void Tiers::set_shares() {
  only_ = nullptr;
  const auto available = [](double ready, double listed) {
    return std::min(1.0, overprovisioning * ready / std::max(ready, listed));
  };
  double rest = 1;
  double end = 0;
  for (std::size_t first = 0; first < tiers_.size();) {
    std::size_t last = first;
    double ready = 0, listed = 0;
    for (; last < tiers_.size() && tiers_[last].priority == tiers_[first].priority; ++last) {
      ready += tiers_[last].ready;
      listed += std::max(tiers_[last].ready, tiers_[last].listed);
    }
    // The share of this priority is the least of what is left and what its servers of all zones can take.
    const double share = ready > 0 ? std::min(rest, available(ready, listed)) : 0;
    double left = share;
    for (std::size_t i = first; i < last; ++i) {
      Tier& tier = tiers_[i];
      const bool is_last_with_servers =
          std::all_of(tiers_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                      tiers_.begin() + static_cast<std::ptrdiff_t>(last), [](const Tier& t) { return t.ready == 0; });
      double taken = 0;
      if (tier.ready > 0) taken = is_last_with_servers ? left : share * available(tier.ready, tier.listed);
      left -= taken;
      end += taken;
      tier.share_end = end;
    }
    rest -= share;
    first = last;
  }
  std::size_t used = 0;
  for (Tier& tier : tiers_) {
    const double begin = &tier == tiers_.data() ? 0 : (&tier - 1)->share_end;
    if (tier.share_end > begin) {
      ++used;
      only_ = &tier;
    }
  }
  if (used != 1) only_ = nullptr;
}

ServerLoad* Tiers::choose_in(Tier& tier, const CallHints& hints, base::TimePoint now) {
  if (hints.avoided.empty()) [[likely]]
    return tier.policy->choose(hints, now);
  CallHints hints_of_tier = hints;
  hints_of_tier.avoided = hints.avoided.among(tier.servers);
  return tier.policy->choose(hints_of_tier, now);
}

ServerLoad* Tiers::choose(const CallHints& hints, base::TimePoint now) {
  if (only_ != nullptr) return choose_in(*only_, hints, now);
  if (tiers_.empty() || tiers_.back().share_end <= 0) return nullptr;
  // Calls of one key find one tier.
  const double drawn = draw_unit(hints.has_key ? mix(~hints.key) : base::next_random(random_));
  const double at = drawn * tiers_.back().share_end;
  for (Tier& tier : tiers_) {
    if (at < tier.share_end) return choose_in(tier, hints, now);
  }
  return choose_in(tiers_.back(), hints, now);
}

}  // namespace trunkline::balance
