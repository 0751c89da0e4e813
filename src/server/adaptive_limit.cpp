// SPDX-License-Identifier: MIT
// AdaptiveLimit: gathers windows of latencies, and draws conclusions from them.
#include "server/adaptive_limit.h"

#include <algorithm>
#include <cmath>

namespace trunkline::server {

namespace {

/// A window lowers the limit to no less than this share.
constexpr double least_gradient = 0.5;
/// A mean below this share of the baseline is hardly noise: calls take less than was thought, and the limit that
/// followed from the baseline is too high.
constexpr double shorter = 0.7;
/// The number of windows after which the next probe comes then.
constexpr int windows_before_check = 5;
/// The share of a difference that the baseline follows at a time.
constexpr double learning_rate = 0.1;

base::Duration to_duration(double nanoseconds) noexcept {
  return std::chrono::duration_cast<base::Duration>(std::chrono::duration<double, std::nano>(nanoseconds));
}

}  // namespace

AdaptiveLimit::AdaptiveLimit(const Options& options) noexcept
    : options_(options), limit_(static_cast<double>(options.min)) {}

std::size_t AdaptiveLimit::limit() const noexcept { return static_cast<std::size_t>(limit_); }

base::Duration AdaptiveLimit::latency() const noexcept { return to_duration(mean_); }

base::Duration AdaptiveLimit::baseline() const noexcept { return to_duration(baseline_); }

void AdaptiveLimit::add(base::TimePoint now, base::Duration latency, std::size_t in_flight) noexcept {
  if (to_skip_ > 0) {
    --to_skip_;
    return;
  }
  if (samples_ == 0) window_began_ = now - std::min<base::Duration>(latency, options_.window);
  sum_ += std::chrono::duration<double, std::nano>(latency).count();
  ++samples_;
  most_in_flight_ = std::max(most_in_flight_, in_flight);
  const std::size_t needed = phase_ == Phase::probing ? min_probe_samples : min_samples;
  if (samples_ >= needed && now - window_began_ >= options_.window) end_window();
}

void AdaptiveLimit::end_window() noexcept {
  const double mean = sum_ / static_cast<double>(samples_);
  mean_ = mean;
  const double before = limit_;
  if (baseline_ == 0) baseline_ = mean;
  if (phase_ == Phase::probing) {
    end_probe(mean);
  } else {
    learn(mean);
    adjust(mean);
  }
  // The calls that run now began under the old limit.
  if (limit_ < before) to_skip_ = most_in_flight_;
  sum_ = 0;
  samples_ = 0;
  most_in_flight_ = 0;
}

void AdaptiveLimit::learn(double mean) noexcept {
  const bool is_half_used = 2 * static_cast<double>(most_in_flight_) < limit_;
  const bool is_at_floor = limit_ <= static_cast<double>(options_.min);
  if (mean < baseline_ * shorter) {
    baseline_ = mean;
    probe_soon();
  } else if (mean < baseline_ || is_half_used) {
    baseline_ += learning_rate * (mean - baseline_);
  } else if (is_at_floor && mean > baseline_ * (1 + options_.tolerance)) {
    // Nobody has to wait at the lowest limit, so this is what calls take now.
    baseline_ = mean;
    phase_ = Phase::starting;
  }
}

void AdaptiveLimit::adjust(double mean) noexcept {
  // A limit that is not used up is neither too low nor proved to be right.
  if (2 * static_cast<double>(most_in_flight_) < limit_) {
    windows_at_limit_ = 0;
    return;
  }
  const double gradient = std::clamp(baseline_ * (1 + options_.tolerance) / mean, least_gradient, 1.0);
  const bool is_waiting = gradient < 1;
  if (is_waiting && phase_ == Phase::starting) phase_ = Phase::steady;
  const double growth = phase_ == Phase::starting ? limit_ : std::sqrt(limit_);
  // Growth belongs to the limit that is right. One that has to shrink fast does without it.
  const double wanted = gradient <= least_gradient ? limit_ * gradient : limit_ * gradient + growth;
  limit_ = std::clamp(wanted, static_cast<double>(options_.min), static_cast<double>(options_.max));
  const bool is_at_limit = static_cast<double>(most_in_flight_) + 1 >= limit_ * 0.9;
  if (is_at_limit) ++windows_at_limit_;
  if (windows_at_limit_ < windows_between_probes) return;
  phase_ = Phase::probing;
  limit_before_probe_ = limit_;
  limit_ = std::max(static_cast<double>(options_.min), limit_ / 2);
}

void AdaptiveLimit::end_probe(double mean) noexcept {
  phase_ = Phase::steady;
  windows_at_limit_ = 0;
  if (mean < baseline_ * shorter) {
    probe_soon();
  } else {
    limit_ = limit_before_probe_;
  }
  baseline_ = mean;
}

void AdaptiveLimit::probe_soon() noexcept {
  windows_at_limit_ = std::max(windows_at_limit_, windows_between_probes - windows_before_check);
}

}  // namespace trunkline::server
