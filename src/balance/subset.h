// SPDX-License-Identifier: MIT
// choose_subset(): chooses the servers of a large fleet that one client uses.
#pragma once

#include "balance/server_load.h"

#include <cstdint>
#include <span>
#include <vector>

namespace trunkline::balance {

/// Returns at most `most` of the servers, or all if `most` is 0, in the order of the list. It uses weighted rendezvous
/// hashing of client and server: D. Thaler, C. Ravishankar, "Using name-based mappings to increase hit rates" (1998).
/// Clients need not know of each other; many use all servers evenly, as random choices do. If a server comes or goes,
/// at most one of the subset changes. `client` is a number of the client's own, such as a seed.
std::vector<ServerLoad*> choose_subset(std::span<ServerLoad* const> servers, std::size_t most, std::uint64_t client);

}  // namespace trunkline::balance
