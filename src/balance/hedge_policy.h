// SPDX-License-Identifier: MIT
// HedgePolicy: decides when a call of one method is sent to a further server, and how often that may happen.
#pragma once

#include "base/clock.h"
#include "base/histogram.h"

#include <trunkline/hedging_options.h>

#include <cstdint>
#include <optional>

namespace trunkline::balance {

/// Measures the time from a call's first attempt to its answer, whichever attempt has given that. A first attempt that
/// loses is thereby counted with a time that is longer than the delay, as it would have been anyway. So the percentile
/// stays right although the slowest attempts are never seen to end.
///
/// One thread at a time may use it. It knows neither calls nor connections, so that simulations run it as it is.
class HedgePolicy {
 public:
  /// The number of calls that are measured before a percentile is taken.
  static constexpr std::uint64_t least_samples = 100;
  /// A percentile is that of the last two windows of this length, or of more if these have fewer calls.
  static constexpr base::Duration window = std::chrono::seconds(10);
  /// The most further attempts that may begin at the same time, beyond what the calls of that time pay for.
  static constexpr double most_saved = 10;

  explicit HedgePolicy(const HedgingOptions& options) noexcept;

  int max_attempts() const noexcept { return options_.max_attempts; }
  /// Returns the time between two attempts of a call that begins now. If it is unset, the call gets a single attempt,
  /// because too little has been measured.
  std::optional<base::Duration> delay() const noexcept { return delay_; }
  /// Notes that a call begins.
  void on_started() noexcept;
  /// Pays for one further attempt. Returns false if there have been too many of late.
  bool try_take() noexcept;
  /// Notes that a call has been answered, `latency` after its first attempt was sent.
  void on_answered(base::Duration latency, base::TimePoint now) noexcept;

 private:
  void measure() noexcept;

  const HedgingOptions options_;
  std::optional<base::Duration> delay_;
  double saved_ = most_saved;
  base::Histogram current_;
  base::Histogram previous_;
  base::TimePoint window_began_{};
  /// The number of answers until the percentile is taken again.
  std::uint64_t until_measured_ = least_samples;
};

}  // namespace trunkline::balance
