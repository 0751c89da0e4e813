// SPDX-License-Identifier: MIT
// Waits that grow exponentially up to a maximum, with jitter.
#include "client/backoff.h"

#include "base/random_seed.h"

#include <algorithm>
#include <cmath>

namespace trunkline::client {

Backoff::Backoff(const BackoffOptions& options)
    : options_(options), random_state_(options.seed != 0 ? options.seed : base::random_seed()) {}

base::Duration Backoff::next() { return after(++failures_); }

base::Duration Backoff::after(int failures) {
  using Milliseconds = std::chrono::duration<double, std::milli>;
  const double maximum = Milliseconds(options_.maximum).count();
  const double grown = Milliseconds(options_.initial).count() * std::pow(options_.multiplier, failures - 1);
  const double unit = static_cast<double>(base::next_random(random_state_) >> 11) * 0x1.0p-53;
  const double spread = 1.0 + options_.jitter * (2.0 * unit - 1.0);
  return std::chrono::duration_cast<base::Duration>(Milliseconds(std::min(grown, maximum) * spread));
}

}  // namespace trunkline::client
