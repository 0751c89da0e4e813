// SPDX-License-Identifier: MIT
// AdaptiveLimit: finds out by the latency of calls how many a server runs well at a time.
#pragma once

#include "base/clock.h"

#include <cstddef>

namespace trunkline::server {

/// Takes latencies and the time, and gives a limit. It compares the mean latency of a window of calls with the latency
/// that they have without waiting for one another (the baseline), and lowers the limit by their ratio if calls wait.
/// Otherwise the limit rises by its square root, as long as it is used.
///
/// The baseline is learned where calls cannot wait: while less than half of the limit is used, at the lowest limit,
/// and, if the limit has been in the way for a while, in a window with half of it. A service that has become slower
/// therefore lowers the limit first, and then gets it back with the baseline it now has.
class AdaptiveLimit {
 public:
  struct Options {
    std::size_t min = 4;
    std::size_t max = 10000;
    base::Duration window{};
    /// The share of the baseline by which a call may exceed it without counting as waiting: 0.25 for 25 %.
    double tolerance = 0.25;
  };
  /// The least number of calls of a window.
  static constexpr std::size_t min_samples = 20;
  /// The least number of calls of a window from which the baseline is taken.
  static constexpr std::size_t min_probe_samples = 80;
  /// The number of windows with a used-up limit after which the baseline is learned anew.
  static constexpr int windows_between_probes = 100;

  explicit AdaptiveLimit(const Options& options) noexcept;

  /// Counts a call that has ended. `in_flight` is the number of calls that ran as it began, itself included.
  void add(base::TimePoint now, base::Duration latency, std::size_t in_flight) noexcept;
  std::size_t limit() const noexcept;
  /// Returns the mean latency of the last window; 0 before the first one has ended.
  base::Duration latency() const noexcept;
  base::Duration baseline() const noexcept;

 private:
  enum class Phase : unsigned char {
    /// The limit doubles until calls wait.
    starting,
    steady,
    /// Half of the limit is used, to learn the baseline.
    probing,
  };

  void end_window() noexcept;
  void end_probe(double mean) noexcept;
  void probe_soon() noexcept;
  void learn(double mean) noexcept;
  void adjust(double mean) noexcept;

  const Options options_;
  Phase phase_ = Phase::starting;
  double limit_;
  /// The baseline in nanoseconds; 0: it is not known.
  double baseline_ = 0;
  double mean_ = 0;
  /// The limit that held before the probe.
  double limit_before_probe_ = 0;
  int windows_at_limit_ = 0;
  /// The members from here on belong to the window.
  base::TimePoint window_began_{};
  double sum_ = 0;
  std::size_t samples_ = 0;
  std::size_t most_in_flight_ = 0;
  /// The number of calls to leave out at the start of a window, as they began under an earlier limit.
  std::size_t to_skip_ = 0;
};

}  // namespace trunkline::server
