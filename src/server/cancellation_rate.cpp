// SPDX-License-Identifier: MIT
// The bucket of tokens.
#include "server/cancellation_rate.h"

namespace trunkline::server {

namespace {

constexpr int most_times_empty = 10;

}  // namespace

CancellationRate::Verdict CancellationRate::on_cancelled(base::TimePoint now) noexcept {
  if (per_second_ == 0) return Verdict::allow;
  refill(now);
  if (tokens_ > 0) {
    --tokens_;
    return Verdict::allow;
  }
  return ++times_empty_ > most_times_empty ? Verdict::disconnect : Verdict::slow_down;
}

void CancellationRate::refill(base::TimePoint now) noexcept {
  if (!has_begun_) {
    has_begun_ = true;
    refilled_ = now;
  }
  const base::Duration passed = now - refilled_;
  // Longer than it takes to fill the bucket; the product below must not overflow.
  const bool is_long = passed >= std::chrono::hours(1);
  const auto milliseconds =
      static_cast<std::size_t>(std::chrono::duration_cast<std::chrono::milliseconds>(passed).count());
  const std::size_t added = is_long ? burst_ : per_second_ * milliseconds / 1000;
  if (added == 0) return;
  refilled_ = now;
  tokens_ = std::min(burst_, tokens_ + added);
  if (tokens_ == burst_) times_empty_ = 0;
}

}  // namespace trunkline::server
