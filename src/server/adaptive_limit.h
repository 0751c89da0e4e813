// SPDX-License-Identifier: MIT
// AdaptiveLimit: how many calls a server runs well at a time, found out by how long they take.
#pragma once

#include "base/clock.h"

#include <cstddef>

namespace trunkline::server {

/// Latencies and time in, a limit out. Compares the mean latency of a window of calls with the latency that they have
/// without waiting for one another (the baseline), and lowers the limit by their ratio if calls wait. Otherwise the
/// limit rises by its square root, as long as it is used.
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
    /// How much longer than the baseline is no waiting: 0.25 for 25 %.
    double tolerance = 0.25;
  };
  /// A window has at least as many calls.
  static constexpr std::size_t min_samples = 20;
  /// One that the baseline is taken from.
  static constexpr std::size_t min_probe_samples = 80;
  /// The baseline is learned anew after as many windows in which the limit was used up.
  static constexpr int windows_between_probes = 100;

  explicit AdaptiveLimit(const Options& options) noexcept;

  /// A call has ended. `in_flight`: the calls that ran as it began, itself included.
  void add(base::TimePoint now, base::Duration latency, std::size_t in_flight) noexcept;
  std::size_t limit() const noexcept;
  /// The mean latency of the last window; 0 before the first one has ended.
  base::Duration latency() const noexcept;
  base::Duration baseline() const noexcept;

 private:
  enum class Phase : unsigned char {
    /// The limit doubles until calls wait.
    starting,
    steady,
    /// Half of the limit, to learn the baseline.
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
  /// In nanoseconds; 0: not known.
  double baseline_ = 0;
  double mean_ = 0;
  /// The limit before the probe.
  double limit_before_probe_ = 0;
  int windows_at_limit_ = 0;
  /// The window.
  base::TimePoint window_began_{};
  double sum_ = 0;
  std::size_t samples_ = 0;
  std::size_t most_in_flight_ = 0;
  /// Calls that began under an earlier limit say nothing of this one: as many are left out at the start of a window.
  std::size_t to_skip_ = 0;
};

}  // namespace trunkline::server
