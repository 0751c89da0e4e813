// SPDX-License-Identifier: MIT
// run_fleet(): simulates clients and servers in virtual time, with the library's policies.
#pragma once

#include "simulation/fleet/fleet_plan.h"
#include "simulation/fleet/fleet_result.h"

namespace trunkline::simulation {

/// The plan, of which the seed is a part, determines the result but for FleetResult::seconds.
FleetResult run_fleet(const FleetPlan& plan);

}  // namespace trunkline::simulation
