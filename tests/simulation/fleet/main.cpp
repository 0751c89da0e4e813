// SPDX-License-Identifier: MIT
// The command line: simulation_fleet checks small fleets; with --table it prints tables of large ones.
#include "simulation/fleet/fleet_expectations.h"
#include "simulation/fleet/fleet_tables.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace trunkline::simulation {
namespace {

int refuse(std::uint64_t seed) {
  std::fprintf(stderr, "usage: simulation_fleet [--table all|NAME [--row NAME]] [--seed N]    tables:");
  for (const FleetTable& table : fleet_tables(seed)) std::fprintf(stderr, " %s", table.name.c_str());
  std::fprintf(stderr, "\n");
  return 2;
}

/// `row`: the only one of each table; empty: all are wanted.
int print_tables(const std::string& name, const std::string& row, std::uint64_t seed) {
  bool is_known = false;
  std::vector<FleetTable> tables = fleet_tables(seed);
  for (FleetTable& table : tables) {
    if (!row.empty()) std::erase_if(table.rows, [&](const FleetRow& other) { return other.name != row; });
    if (table.rows.empty()) continue;
    if (name != "all" && name != table.name) continue;
    is_known = true;
    table.print();
  }
  return is_known ? 0 : refuse(seed);
}

int run(const std::vector<std::string>& arguments) {
  std::string table;
  std::string row;
  std::uint64_t seed = 1;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    if (i + 1 == arguments.size()) return refuse(seed);
    if (arguments[i] == "--table") {
      table = arguments[i + 1];
    } else if (arguments[i] == "--row") {
      row = arguments[i + 1];
    } else if (arguments[i] == "--seed") {
      char* end = nullptr;
      seed = std::strtoull(arguments[i + 1].c_str(), &end, 10);
      if (*end != '\0' || end == arguments[i + 1].c_str()) return refuse(1);
    } else {
      return refuse(seed);
    }
  }
  if (!table.empty()) return print_tables(table, row, seed);
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed));
  return check_fleet_expectations(seed) ? 0 : 1;
}

}  // namespace
}  // namespace trunkline::simulation

int main(int count, char** values) {
  return trunkline::simulation::run(std::vector<std::string>(values + 1, values + count));
}
