// SPDX-License-Identifier: MIT
// One seed of the channel simulation.
#pragma once

#include <cstdint>

namespace trunkline::simulation {

/// A channel and servers that come and go, over memory transports that break. Throws Violation.
void run_channel(std::uint64_t seed, bool verbose);

}  // namespace trunkline::simulation
