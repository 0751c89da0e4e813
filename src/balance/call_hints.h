// SPDX-License-Identifier: MIT
// CallHints: the properties of a call that a policy may know when it chooses a server.
#pragma once

#include "balance/avoided_servers.h"

#include <cstdint>

namespace trunkline::balance {

struct CallHints {
  /// The hash of CallOptions::routing_key. Valid if has_key.
  std::uint64_t key = 0;
  bool has_key = false;
  /// The servers to avoid: any other server is better. If there is no other, the one that was added first is.
  AvoidedServers avoided{};
};

}  // namespace trunkline::balance
