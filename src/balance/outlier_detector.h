// SPDX-License-Identifier: MIT
// OutlierDetector: ejects the servers that fail, or are slow, while others do well.
#pragma once

#include "balance/outlier_record.h"
#include "balance/server_load.h"

#include <trunkline/outlier_options.h>

#include <cstddef>
#include <vector>

namespace trunkline::balance {

/// A detector that takes outcomes and gives ejections; it knows neither connections nor timers. The owner leaves
/// ejected servers out of its policy's set, and sweeps when next_sweep() is due. It is modelled on Envoy's outlier
/// detection: https://www.envoyproxy.io/docs/envoy/latest/intro/arch_overview/upstream/outlier
class OutlierDetector {
 public:
  OutlierDetector(const OutlierOptions& options, base::TimePoint now) noexcept
      : options_(options), next_interval_(now + options.interval) {}

  /// Adds a server. `record` must live until it is removed.
  void add(OutlierRecord& record) { records_.push_back(&record); }
  void remove(OutlierRecord& record) noexcept;

  /// Notes that a call to the server has ended. Returns true if an ejection has begun.
  bool on_ended(OutlierRecord& record, Outcome outcome, base::TimePoint now) {
    if (outcome == Outcome::served) [[likely]] {
      ++record.calls;
      record.failures_in_a_row = 0;
      return false;
    }
    return outcome == Outcome::failed && on_failed(record, now);
  }
  /// Notes that a call has ended, with a latency that says something about the server.
  bool on_ended(OutlierRecord& record, Outcome outcome, base::Duration latency, base::TimePoint now) {
    if (outcome != Outcome::served) [[unlikely]]
      return on_ended(record, outcome, now);
    count_served(record, latency);
    return false;
  }
  void count_served(OutlierRecord& record, base::Duration latency) noexcept {
    record.latency_sum += latency;
    ++record.latencies;
    ++record.calls;
    record.failures_in_a_row = 0;
  }
  /// Notes a failure that does not belong to a call.
  bool on_failed(OutlierRecord& record, base::TimePoint now);
  /// Ends the ejections that are over, and judges the interval if it is. True: an ejection has begun or ended.
  bool sweep(base::TimePoint now);
  base::TimePoint next_sweep() const noexcept;
  /// Begins an interval after a time in which there was nothing to judge.
  void restart(base::TimePoint now) noexcept { next_interval_ = now + options_.interval; }
  /// Returns true if there was a call in this interval, or some server is ejected: the next sweep matters.
  bool needs_sweep() const noexcept;

  /// Returns true if so few servers are left that ejections are ignored. Counts those whose is_available is set.
  bool is_panicking() const noexcept;
  std::size_t ejected() const noexcept { return ejected_; }

 private:
  /// Failures in a row that are a smaller part of the calls than 1 in this number are a moment of a busy server.
  static constexpr std::uint32_t least_share_in_a_row = 100;
  /// A server is no outlier unless it fails this many times as often as the others.
  static constexpr double times_worse = 2;

  bool eject(OutlierRecord& record, base::TimePoint now) noexcept;
  bool judge(base::TimePoint now);
  bool fails_more_than_others(const OutlierRecord& record) const noexcept;
  bool is_slow(const OutlierRecord& record, double median) const noexcept;
  double median_latency() const;

  const OutlierOptions options_;
  std::vector<OutlierRecord*> records_;
  std::size_t ejected_ = 0;
  base::TimePoint next_interval_;
};

}  // namespace trunkline::balance
