// SPDX-License-Identifier: MIT
// The figures of a simulated fleet.
#include "simulation/fleet/fleet_record.h"

#include <algorithm>

namespace trunkline::simulation {

namespace {

std::uint64_t nanoseconds(base::Duration time) { return static_cast<std::uint64_t>(time.count()); }

}  // namespace

FleetRecord::Second& FleetRecord::second_of(base::TimePoint at) {
  const auto second = static_cast<std::size_t>((at - begin_) / std::chrono::seconds(1));
  while (seconds_.size() <= second) seconds_.emplace_back();
  return seconds_[second];
}

void FleetRecord::on_call(base::TimePoint started) {
  ++second_of(started).calls;
  ++result_.all_calls;
  if (is_measured(started)) ++result_.calls;
}

void FleetRecord::on_attempt(base::TimePoint started, base::TimePoint now, bool is_hedge) {
  ++second_of(now).attempts;
  if (!is_measured(started)) return;
  ++result_.attempts;
  if (is_hedge) ++result_.hedges;
}

void FleetRecord::on_served(base::TimePoint started, base::TimePoint now) {
  ++all_served_;
  second_of(started).latencies.record(nanoseconds(now - started));
  if (!is_measured(started)) return;
  ++result_.served;
  latencies_.record(nanoseconds(now - started));
}

void FleetRecord::on_failed(base::TimePoint started) {
  ++second_of(started).failed;
  if (is_measured(started)) ++result_.failed;
}

/// Of the whole seconds after the event, the last one that was not level, plus one.
double FleetRecord::level_after(std::size_t event_second) const {
  base::Histogram before;
  for (std::size_t i = event_second > 3 ? event_second - 3 : 0; i < event_second; ++i) {
    before.merge(seconds_[i].latencies);
  }
  const std::uint64_t limit = 2 * before.quantile(0.99);
  std::size_t level = 0;
  std::size_t last = seconds_.size();
  while (last > event_second && seconds_[last - 1].calls == 0) --last;
  for (std::size_t i = event_second; i < last; ++i) {
    const Second& second = seconds_[i];
    const bool is_level = second.latencies.quantile(0.99) <= limit && second.failed * 1000 < second.calls;
    if (!is_level) level = i + 1 - event_second;
  }
  return level == last - event_second ? -1 : static_cast<double>(level);
}

FleetResult FleetRecord::result() const {
  FleetResult result = result_;
  const auto ms = [&](double q) { return static_cast<double>(latencies_.quantile(q)) / 1e6; };
  result.p50 = ms(0.5);
  result.p99 = ms(0.99);
  result.p999 = ms(0.999);
  const auto event_second = static_cast<std::size_t>((event_ - begin_) / std::chrono::seconds(1));
  result.level_after = level_after(event_second);
  for (std::size_t i = event_second; i < seconds_.size(); ++i) {
    if (seconds_[i].calls == 0) continue;
    const double share = static_cast<double>(seconds_[i].attempts) / static_cast<double>(seconds_[i].calls);
    result.amplification = std::max(result.amplification, share);
  }
  return result;
}

}  // namespace trunkline::simulation
