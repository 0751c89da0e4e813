// SPDX-License-Identifier: MIT
// One seed of the session simulation.
#pragma once

#include <cstdint>

namespace trunkline::simulation {

/// Throws Violation, naming the rule that was broken.
void run_sessions(std::uint64_t seed, bool verbose);

}  // namespace trunkline::simulation
