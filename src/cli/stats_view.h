// SPDX-License-Identifier: MIT
// StatsView: samples of a server's statistics as a table of rates.
#pragma once

#include <trunkline/v1/statistics.pb.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace trunkline::cli {

/// Quantile `q` of what `now` has more than `before`, as the upper bound of its bucket; `now`'s own where buckets are
/// missing. Negative if nothing was counted.
std::chrono::nanoseconds quantile(const v1::LatencyHistogram& before, const v1::LatencyHistogram& now, double q);

/// Rates, quantiles and load are between a sample and the one before it. Of the first, and after the process has been
/// started anew, quantiles and load are since its start, and there are no rates.
class StatsView {
 public:
  /// The server in one line, then the table: no line wider than `width` (0: any), at most `height` (0: any).
  std::vector<std::string> show(const v1::ServerStatistics& sample, std::size_t width, std::size_t height);
  /// The same in numbers since the start instead of rates.
  static std::vector<std::string> totals(const v1::ServerStatistics& sample, std::size_t width);

 private:
  v1::ServerStatistics last_;
};

}  // namespace trunkline::cli
