// SPDX-License-Identifier: MIT
// choose_subset(): the servers of a large fleet that one client uses.
#pragma once

#include "balance/server_load.h"

#include <cstdint>
#include <span>
#include <vector>

namespace trunkline::balance {

/// At most `most` of the servers, or all of them if `most` is 0, in the order of the list. By rendezvous hashing of
/// client and server, weighted: D. Thaler, C. Ravishankar, "Using name-based mappings to increase hit rates" (1998).
/// Clients need not know of each other; many use all servers evenly, as random choices do. If a server comes or goes,
/// at most one of the subset changes. `client`: a number of the client's own, such as the seed of its choices.
std::vector<ServerLoad*> choose_subset(std::span<ServerLoad* const> servers, std::size_t most, std::uint64_t client);

}  // namespace trunkline::balance
