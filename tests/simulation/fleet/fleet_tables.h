// SPDX-License-Identifier: MIT
// FleetTable: what is simulated side by side, and how it is printed.
#pragma once

#include "simulation/fleet/fleet_plan.h"
#include "simulation/fleet/fleet_result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace trunkline::simulation {

struct FleetRow {
  std::string name;
  FleetPlan plan;
};

/// One of docs/simulated-fleet.md.
struct FleetTable {
  /// For the command line.
  std::string name;
  std::string title;
  std::vector<FleetRow> rows;

  /// Runs it, and prints it as it goes.
  void print() const;
};

std::vector<FleetTable> fleet_tables(std::uint64_t seed);

}  // namespace trunkline::simulation
