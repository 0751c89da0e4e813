// SPDX-License-Identifier: MIT
// check_fleet_expectations(): what is expected of the policies, in small fleets.
#pragma once

#include <cstdint>

namespace trunkline::simulation {

/// Prints every run, and what did not come true. True if everything did.
bool check_fleet_expectations(std::uint64_t seed);

}  // namespace trunkline::simulation
