// SPDX-License-Identifier: MIT
// The seed of random tests.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>

namespace trunkline::http {

/// From TRUNKLINE_SEED, or a new one; printed either way.
inline std::uint64_t seed_of_run() {
  const char* given = std::getenv("TRUNKLINE_SEED");
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::cout << "TRUNKLINE_SEED=" << seed << "\n";
  return seed;
}

}  // namespace trunkline::http
