// SPDX-License-Identifier: MIT
// FleetRecord: counts what becomes of the calls of a simulated fleet, in all and in each second.
#pragma once

#include "base/clock.h"
#include "base/histogram.h"
#include "simulation/fleet/fleet_result.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trunkline::simulation {

/// Calls belong to the second in which they started, attempts to that in which they are made.
class FleetRecord {
 public:
  /// `event`: from when on calls are measured.
  FleetRecord(base::TimePoint begin, base::TimePoint event) : begin_(begin), event_(event) {}

  void on_call(base::TimePoint started);
  void on_attempt(base::TimePoint started, base::TimePoint now, bool is_hedge);
  void on_served(base::TimePoint started, base::TimePoint now);
  void on_failed(base::TimePoint started);
  void on_refusal_retried() noexcept { ++result_.retries; }
  bool is_measured(base::TimePoint started) const noexcept { return started >= event_; }
  std::uint64_t all_served() const noexcept { return all_served_; }

  FleetResult result() const;

 private:
  struct Second {
    std::uint64_t calls = 0;
    std::uint64_t failed = 0;
    std::uint64_t attempts = 0;
    base::Histogram latencies{};
  };

  Second& second_of(base::TimePoint at);
  double level_after(std::size_t event_second) const;

  const base::TimePoint begin_;
  const base::TimePoint event_;
  std::vector<Second> seconds_;
  base::FineHistogram latencies_;
  std::uint64_t all_served_ = 0;
  FleetResult result_;
};

}  // namespace trunkline::simulation
