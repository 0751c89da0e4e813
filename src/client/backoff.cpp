// SPDX-License-Identifier: MIT
// Backoff: computes waits that grow exponentially up to a maximum, with jitter.
#include "client/backoff.h"

#include "base/random_seed.h"

#include <algorithm>
#include <cmath>

namespace trunkline::client {

namespace {
using Milliseconds = std::chrono::duration<double, std::milli>;
/// The longest wait is a year, so that no sum overflows.
constexpr double most_ms = 365.0 * 24 * 3600 * 1000;
}  // namespace

Backoff::Backoff(const BackoffOptions& options)
    : options_(options), random_state_(options.seed != 0 ? options.seed : base::random_seed()) {}

base::Duration Backoff::next() { return after(++failures_); }

base::Duration Backoff::after(int failures) {
  const double maximum = Milliseconds(options_.maximum).count();
  const double grown = Milliseconds(options_.initial).count() * std::pow(options_.multiplier, failures - 1);
  return varied(std::min(grown, maximum), options_.jitter);
}

base::Duration Backoff::after(int failures, const RetryOptions& retry) {
  constexpr double jitter = 0.2;
  const double maximum = Milliseconds(retry.max_backoff).count();
  const double grown = Milliseconds(retry.initial_backoff).count() * std::pow(retry.backoff_multiplier, failures - 1);
  return varied(std::min(grown, maximum), jitter);
}

base::Duration Backoff::varied(double milliseconds, double jitter) {
  const double unit = static_cast<double>(base::next_random(random_state_) >> 11) * 0x1.0p-53;
  const double spread = 1.0 + jitter * (2.0 * unit - 1.0);
  return std::chrono::duration_cast<base::Duration>(Milliseconds(std::min(milliseconds, most_ms) * spread));
}

}  // namespace trunkline::client
