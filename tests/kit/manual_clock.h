// SPDX-License-Identifier: MIT
// ManualClock: time that passes only when the test moves it.
#pragma once

#include "base/clock.h"

namespace trunkline::kit {

class ManualClock final : public base::ClockSource {
 public:
  base::TimePoint now() const noexcept override { return now_; }
  void advance(base::Duration by) noexcept { now_ += by; }
  /// No effect if `now` is in the past.
  void set(base::TimePoint now) noexcept {
    if (now > now_) now_ = now;
  }

 private:
  base::TimePoint now_{std::chrono::hours(1)};
};

}  // namespace trunkline::kit
