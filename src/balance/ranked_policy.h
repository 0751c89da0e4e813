// SPDX-License-Identifier: MIT
// RankedPolicy: a policy that knows the server of the least cost at any time.
#pragma once

#include "balance/load_observer.h"
#include "balance/policy.h"
#include "balance/winner_tree.h"
#include "base/random_seed.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trunkline::balance {

/// A policy by `Cost::of(server, now)`. A server is ranked anew whenever a measurement of it changes.
template <class Cost>
class RankedPolicy : public Policy, private LoadObserver {
 public:
  ~RankedPolicy() override { leave(); }

  void set_servers(std::span<ServerLoad* const> servers) override {
    leave();
    servers_.assign(servers.begin(), servers.end());
    tree_.reset(servers_.size());
    for (std::size_t i = 0; i < servers_.size(); ++i) {
      servers_[i]->place = i;
      servers_[i]->observer = this;
      rank(*servers_[i], next_random() >> 32);
    }
  }

 protected:
  explicit RankedPolicy(std::uint64_t seed) noexcept : random_(seed) {}

  const std::vector<ServerLoad*>& servers() const noexcept { return servers_; }
  std::uint64_t next_random() noexcept { return base::next_random(random_); }
  /// Sets the time at which costs are computed from now on.
  void set_now(base::TimePoint now) noexcept { now_ = now; }
  void rank_anew(const ServerLoad& server) noexcept { rank(server, next_rank_++); }
  ServerLoad* best() const noexcept { return servers_[tree_.best()]; }
  /// Returns `chosen`, or the best of the others if it is avoided and there are others.
  ServerLoad* unless_avoided(ServerLoad* chosen, const CallHints& hints) const noexcept {
    if (hints.avoided.empty()) [[likely]]
      return chosen;
    const AvoidedServers avoided = hints.avoided.last(servers_.size() - 1);
    if (!avoided.contains(chosen)) return chosen;
    return servers_[tree_.best_but([&](std::size_t place) { return avoided.contains(servers_[place]); })];
  }

 private:
  void leave() noexcept {
    for (ServerLoad* const server : servers_) server->observer = nullptr;
  }
  void rank(const ServerLoad& server, std::uint64_t rank) noexcept {
    tree_.update(server.place, Cost::of(server, now_), rank);
  }
  void load_changed(ServerLoad& server, int /*open_calls*/) override { rank_anew(server); }

  std::vector<ServerLoad*> servers_;
  WinnerTree tree_;
  std::uint64_t random_;
  /// The rank of the next turn. Among equal servers the one whose turn is longest ago comes first; at the beginning it
  /// is a random one. So these ranks come after all random ones.
  std::uint64_t next_rank_ = std::uint64_t{1} << 32;
  /// The time of the last choice.
  base::TimePoint now_{};
};

}  // namespace trunkline::balance
