// SPDX-License-Identifier: MIT
// Exponential growth, bounded and spread.
#include "client/backoff.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace trunkline::client {

Backoff::Backoff(const BackoffOptions& options) : options_(options), state_(options.seed) {
  if (state_ == 0) state_ = (std::uint64_t{std::random_device{}()} << 32) | std::random_device{}();
}

base::Duration Backoff::next() { return after(++failures_); }

base::Duration Backoff::after(int failures) {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  const double most = Milliseconds(options_.maximum).count();
  const double grown = Milliseconds(options_.initial).count() * std::pow(options_.multiplier, failures - 1);
  const double unit = static_cast<double>(random() >> 11) * 0x1.0p-53;
  const double spread = 1.0 + options_.jitter * (2.0 * unit - 1.0);
  return std::chrono::duration_cast<base::Duration>(Milliseconds(std::min(grown, most) * spread));
}

/// SplitMix64 (G. Steele, D. Lea, C. Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
std::uint64_t Backoff::random() noexcept {
  std::uint64_t value = state_ += 0x9e3779b97f4a7c15u;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

}  // namespace trunkline::client
