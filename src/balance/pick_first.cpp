// SPDX-License-Identifier: MIT
// PickFirst: keeps the server in use in front.
#include "balance/pick_first.h"

#include <algorithm>

namespace trunkline::balance {

void PickFirst::set_servers(std::span<ServerLoad* const> servers) {
  ServerLoad* const used = servers_.empty() ? nullptr : servers_.front();
  servers_.assign(servers.begin(), servers.end());
  const auto still = std::find(servers_.begin(), servers_.end(), used);
  if (still != servers_.end()) std::rotate(servers_.begin(), still, still + 1);
}

ServerLoad* PickFirst::choose(const CallHints& hints, base::TimePoint) {
  if (servers_.empty()) return nullptr;
  if (hints.avoided.empty()) [[likely]]
    return servers_.front();
  const AvoidedServers avoided = hints.avoided.last(servers_.size() - 1);
  return *std::find_if(servers_.begin(), servers_.end(), [&](const ServerLoad* s) { return !avoided.contains(s); });
}

}  // namespace trunkline::balance
