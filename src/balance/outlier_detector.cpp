// SPDX-License-Identifier: MIT
// OutlierDetector: the rules of ejection.
#include "balance/outlier_detector.h"

#include <algorithm>

namespace trunkline::balance {

void OutlierDetector::remove(OutlierRecord& record) noexcept {
  if (std::erase(records_, &record) != 0 && record.is_ejected) --ejected_;
  record.is_ejected = false;
}

bool OutlierDetector::is_panicking() const noexcept {
  if (ejected_ == 0) return false;
  const auto left = std::count_if(records_.begin(), records_.end(),
                                  [](const OutlierRecord* r) { return r->is_available && !r->is_ejected; });
  return static_cast<double>(left) < options_.panic_threshold * static_cast<double>(records_.size());
}

bool OutlierDetector::on_failed(OutlierRecord& record, base::TimePoint now) {
  ++record.calls;
  ++record.failures;
  ++record.failures_in_a_row;
  const std::uint32_t limit = options_.consecutive_failures;
  // The others are looked at only at each multiple of the limit, since that takes time.
  if (limit == 0 || record.failures_in_a_row % limit != 0) return false;
  const bool is_moment = record.failures_in_a_row < record.calls / least_share_in_a_row;
  return !is_moment && fails_more_than_others(record) && eject(record, now);
}

/// Compares the counts since the last sweep. If the servers fail alike, the cause is elsewhere: a method, something
/// that they share, or this client. To use fewer of them would then make it worse. Servers without calls, such as those
/// of other zones, may be well.
bool OutlierDetector::fails_more_than_others(const OutlierRecord& record) const noexcept {
  const auto share_of = [](const OutlierRecord& r) { return r.calls == 0 ? 0.0 : 1.0 * r.failures / r.calls; };
  double sum = 0;
  for (const OutlierRecord* const other : records_) sum += other == &record ? 0 : share_of(*other);
  const double others = static_cast<double>(records_.size() - 1);
  return share_of(record) * others >= times_worse * sum;
}

bool OutlierDetector::eject(OutlierRecord& record, base::TimePoint now) noexcept {
  if (record.is_ejected || records_.size() < 2) return false;
  const double most = std::max(1.0, options_.max_ejected * static_cast<double>(records_.size()));
  if (static_cast<double>(ejected_ + 1) > most) return false;
  record.is_ejected = true;
  record.failures_in_a_row = 0;
  // The steps stop at the longest ejection, from where the way back begins at once.
  const base::Duration step = options_.ejection_time;
  const base::Duration longest = options_.max_ejection_time;
  if (record.ejections == 0 || step <= longest / (record.ejections + 1)) ++record.ejections;
  const base::Duration length = std::min(step * record.ejections, longest);
  record.ejected_until = base::deadline_after(now, length);
  ++ejected_;
  return true;
}

bool OutlierDetector::sweep(base::TimePoint now) {
  bool has_changed = false;
  for (OutlierRecord* const record : records_) {
    if (!record->is_ejected || now < record->ejected_until) continue;
    record->is_ejected = false;
    record->failures_in_a_row = 0;
    --ejected_;
    has_changed = true;
  }
  if (now < next_interval_) return has_changed;
  next_interval_ = now + options_.interval;
  return judge(now) || has_changed;
}

bool OutlierDetector::judge(base::TimePoint now) {
  const double median = median_latency();
  bool has_changed = false;
  for (OutlierRecord* const record : records_) {
    const bool fails = options_.failure_rate > 0 && record->calls >= options_.min_calls &&
                       record->failures >= options_.failure_rate * record->calls;
    if ((fails && fails_more_than_others(*record)) || is_slow(*record, median)) {
      has_changed = eject(*record, now) || has_changed;
    } else if (!record->is_ejected && record->ejections > 0) {
      --record->ejections;
    }
  }
  for (OutlierRecord* const record : records_) {
    record->calls = record->failures = record->latencies = 0;
    record->latency_sum = {};
  }
  return has_changed;
}

bool OutlierDetector::is_slow(const OutlierRecord& record, double median) const noexcept {
  if (options_.latency_factor <= 0 || median <= 0 || record.latencies < options_.min_calls) return false;
  const base::Duration floor = options_.min_latency;
  const double mean = static_cast<double>(record.latency_sum.count()) / record.latencies;
  return mean > options_.latency_factor * median && mean >= static_cast<double>(floor.count());
}

double OutlierDetector::median_latency() const {
  std::vector<double> means;
  for (const OutlierRecord* const record : records_) {
    if (record->latencies < options_.min_calls) continue;
    means.push_back(static_cast<double>(record->latency_sum.count()) / record->latencies);
  }
  if (means.size() < 3) return 0;  // with two, nobody knows which is the outlier
  const auto middle = means.begin() + static_cast<std::ptrdiff_t>(means.size() / 2);
  std::nth_element(means.begin(), middle, means.end());
  return *middle;
}

bool OutlierDetector::needs_sweep() const noexcept {
  return ejected_ > 0 || std::any_of(records_.begin(), records_.end(), [](const OutlierRecord* record) {
           return record->calls > 0 || record->ejections > 0;
         });
}

base::TimePoint OutlierDetector::next_sweep() const noexcept {
  base::TimePoint next = next_interval_;
  for (const OutlierRecord* const record : records_) {
    if (record->is_ejected) next = std::min(next, record->ejected_until);
  }
  return next;
}

}  // namespace trunkline::balance
