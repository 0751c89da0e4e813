// SPDX-License-Identifier: MIT
// CallHints: what a policy may know of the call for which it chooses a server.
#pragma once

#include "balance/avoided_servers.h"

#include <cstdint>

namespace trunkline::balance {

struct CallHints {
  /// The hash of CallOptions::routing_key. Valid if has_key.
  std::uint64_t key = 0;
  bool has_key = false;
  /// Any other server is better. If there is no other, the one that was added first.
  AvoidedServers avoided{};
};

}  // namespace trunkline::balance
