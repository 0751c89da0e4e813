// SPDX-License-Identifier: MIT
// StatsView: shows samples of a server's statistics as a table of rates.
#pragma once

#include <trunkline/v1/statistics.pb.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace trunkline::cli::commands {

/// Returns quantile `q` of the durations that `now` adds to `before`, as the upper bound of their bucket. Without
/// buckets, returns the p99 of `now` if `q` is above 0.9, or else its p50. Negative: nothing was counted.
std::chrono::nanoseconds quantile(const v1::LatencyHistogram& before, const v1::LatencyHistogram& now, double q);

/// A view whose rates, quantiles and load describe the time between two samples. For the first sample, and after a
/// restart of the server's process, quantiles and load cover the time since its start, and there are no rates.
class StatsView {
 public:
  /// Returns one line about the server, then the table. No line is wider than `width` (0: no limit), and there are at
  /// most `height` lines (0: no limit).
  std::vector<std::string> show(const v1::ServerStatistics& sample, std::size_t width, std::size_t height);
  /// Returns the lines of show(), with totals since the start instead of rates.
  static std::vector<std::string> totals(const v1::ServerStatistics& sample, std::size_t width);

 private:
  v1::ServerStatistics last_;
};

}  // namespace trunkline::cli::commands
