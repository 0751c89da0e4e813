// SPDX-License-Identifier: MIT
// FleetResult: what a simulation of a fleet has found out.
#pragma once

#include <cstdint>

namespace trunkline::simulation {

/// Of the calls that started after the warm-up, unless something else is said. Latencies are in milliseconds, of the
/// calls that were served.
struct FleetResult {
  std::uint64_t calls = 0;
  std::uint64_t served = 0;
  std::uint64_t failed = 0;
  /// Calls that have neither been served nor failed although their deadline is over: there must be none.
  std::uint64_t unended = 0;
  std::uint64_t attempts = 0;
  /// Attempts that were made besides an earlier one that was still open.
  std::uint64_t hedges = 0;
  double p50 = 0;
  double p99 = 0;
  double p999 = 0;
  /// Attempts at the busiest server by the mean of all.
  double busiest = 0;
  /// From the event until p99 stays within twice of what it was before, and less than one in 1000 calls fail; in whole
  /// seconds. Negative: that did not come about.
  double level_after = 0;
  /// Retries of what busy servers had refused, from the beginning on, and those that the clients' budgets could pay
  /// for: some for each client, and one for ten calls that were served.
  std::uint64_t retries = 0;
  double budget = 0;
  /// Attempts by calls in the worst second.
  double amplification = 0;
  /// Calls of the whole run, and the processor time that it took.
  std::uint64_t all_calls = 0;
  double seconds = 0;

  /// Attempts that did not serve their call, by the calls.
  double wasted() const noexcept { return static_cast<double>(attempts - served) / static_cast<double>(calls); }
  double failed_share() const noexcept { return static_cast<double>(failed) / static_cast<double>(calls); }
};

}  // namespace trunkline::simulation
