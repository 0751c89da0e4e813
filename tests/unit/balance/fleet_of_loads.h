// SPDX-License-Identifier: MIT
// FleetOfLoads: servers to choose from, and counts of the choices.
#pragma once

#include "balance/policy.h"

#include <map>
#include <memory>
#include <vector>

namespace trunkline::balance {

struct FleetOfLoads {
  explicit FleetOfLoads(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      loads.push_back(std::make_unique<ServerLoad>());
      loads.back()->identity = 1000 + i;
      all.push_back(loads.back().get());
    }
  }
  ServerLoad& operator[](std::size_t i) { return *loads[i]; }

  /// How often each server is chosen, each call ending before the next begins.
  std::map<const ServerLoad*, int> counts(Policy& policy, int choices, CallHints hints = {}) const {
    std::map<const ServerLoad*, int> result;
    for (int i = 0; i < choices; ++i) {
      ServerLoad* const chosen = policy.choose(hints, now);
      if (chosen == nullptr) continue;
      chosen->on_started();
      chosen->on_ended(Outcome::served);
      ++result[chosen];
    }
    return result;
  }

  base::TimePoint now{std::chrono::hours(1)};
  std::vector<std::unique_ptr<ServerLoad>> loads;
  std::vector<ServerLoad*> all;
};

}  // namespace trunkline::balance
