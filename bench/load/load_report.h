// SPDX-License-Identifier: MIT
// LoadReport: the measurements of a load client, printed as one line of JSON.
#pragma once

#include "base/histogram.h"

#include <chrono>
#include <cstdint>

namespace trunkline::bench {

/// User and system time of this process so far.
double process_cpu_seconds();

/// Counts calls from the end of the warm-up on. One thread.
class LoadReport {
 public:
  using Clock = std::chrono::steady_clock;

  LoadReport(double warmup_seconds, double seconds);

  /// False once the time is over: the client sends nothing more.
  bool is_running(Clock::time_point now) const noexcept { return now < end_; }
  /// `count` calls that were sent at `sent` have their responses.
  void record(Clock::time_point sent, Clock::time_point now, std::uint64_t count = 1);
  /// One line of JSON on stdout: calls_per_second, p50_us, p99_us, cpu_us_per_call, calls, all_calls (with the
  /// warm-up's).
  void print() const;

 private:
  Clock::time_point begin_;
  Clock::time_point end_;
  bool counting_ = false;
  double cpu_at_begin_ = 0;
  std::uint64_t all_calls_ = 0;
  std::uint64_t calls_ = 0;
  base::Histogram latency_;
};

}  // namespace trunkline::bench
