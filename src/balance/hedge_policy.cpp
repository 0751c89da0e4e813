// SPDX-License-Identifier: MIT
// HedgePolicy: the percentile of a method's latency, and the allowance for further attempts.
#include "balance/hedge_policy.h"

#include <algorithm>

namespace trunkline::balance {

namespace {
/// The number of samples from one percentile to the next, each of which costs as much as some hundred samples.
constexpr std::uint64_t samples_per_measurement = 64;
}  // namespace

HedgePolicy::HedgePolicy(const HedgingOptions& options) noexcept : options_(options) {
  if (options_.delay) delay_ = std::chrono::duration_cast<base::Duration>(*options_.delay);
}

void HedgePolicy::on_started() noexcept { saved_ = std::min(saved_ + options_.max_extra, most_saved); }

bool HedgePolicy::try_take() noexcept {
  if (saved_ < 1) return false;
  saved_ -= 1;
  return true;
}

void HedgePolicy::on_answered(base::Duration latency, base::TimePoint now) noexcept {
  if (options_.delay) return;
  if (current_.count() == 0) window_began_ = now;
  // A window of few samples goes on, since it says more than none.
  if (now - window_began_ >= window && current_.count() >= least_samples) {
    previous_ = current_;
    current_.clear();
    window_began_ = now;
  }
  current_.record(static_cast<std::uint64_t>(std::max(latency, base::Duration::zero()).count()));
  if (--until_measured_ == 0) measure();
}

void HedgePolicy::measure() noexcept {
  until_measured_ = samples_per_measurement;
  base::Histogram both = previous_;
  both.merge(current_);
  delay_ = base::Duration(static_cast<base::Duration::rep>(both.quantile(options_.percentile)));
}

}  // namespace trunkline::balance
