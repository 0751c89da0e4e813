// SPDX-License-Identifier: MIT
// CancellationRate: fills and empties the bucket of tokens.
#include "server/cancellation_rate.h"

#include <cstdint>

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
  constexpr std::uint64_t second = 1'000'000'000;
  const auto passed = static_cast<std::uint64_t>(std::chrono::nanoseconds(now - refilled_).count());
  // The time is long enough to fill the bucket; the product below does not overflow in less.
  const bool is_long = passed / second > burst_ / per_second_;
  const std::uint64_t added = is_long ? burst_ : passed * per_second_ / second;
  if (added == 0) return;
  tokens_ = std::min<std::size_t>(burst_, tokens_ + added);
  if (tokens_ == burst_) {
    refilled_ = now;
    times_empty_ = 0;
  } else {
    // The rest of the time counts towards the next token.
    refilled_ += std::chrono::nanoseconds(added * second / per_second_);
  }
}

}  // namespace trunkline::server
