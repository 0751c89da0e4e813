// SPDX-License-Identifier: MIT
// random_seed(): reads the system's random source once in a process and derives all seeds from it.
#include "base/random_seed.h"

#include <atomic>
#include <random>

namespace trunkline::base {

std::uint64_t random_seed() {
  static const std::uint64_t key = (std::uint64_t{std::random_device{}()} << 32) | std::random_device{}();
  static std::atomic<std::uint64_t> count{0};
  // The number is mixed twice, so that neither the key nor the next seed can be derived from a seed.
  std::uint64_t state = key ^ count.fetch_add(1, std::memory_order_relaxed);
  std::uint64_t mixed = next_random(state) + key;
  return next_random(mixed);
}

}  // namespace trunkline::base
