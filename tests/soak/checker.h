// SPDX-License-Identifier: MIT
// The checker of a soak run: compares what a client knows of its calls with what the servers have run.
#pragma once

#include "records.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace trunkline::soak {

/// Of the calls of one kind.
struct Tally {
  std::uint64_t calls = 0;
  std::uint64_t ok = 0;
  /// Ended with an error, whether or not it says that the call has run.
  std::uint64_t failed = 0;
  // None of the following may occur.
  /// Ok, but no server has run it.
  std::uint64_t lost = 0;
  /// Run more than once, although it is not idempotent.
  std::uint64_t doubled = 0;
  /// Reported as not run, but it has run.
  std::uint64_t denied = 0;
  /// Never ended, or long after its deadline.
  std::uint64_t hung = 0;
  /// An error that must not occur, or another response.
  std::uint64_t wrong = 0;

  std::uint64_t faults() const noexcept { return lost + doubled + denied + hung + wrong; }
};

/// By Kind.
using Tallies = std::array<Tally, kind_names.size()>;

/// `client` has an entry for each of its calls, up to the first that is 0. `servers` have for each call how often they
/// have run it; those that are shorter have not run the others.
Tallies check(std::span<const std::uint8_t> client, const std::vector<std::span<const std::uint8_t>>& servers);

}  // namespace trunkline::soak
