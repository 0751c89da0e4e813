// SPDX-License-Identifier: MIT
// ManualClock: time that stands still until the test moves it.
#pragma once

#include "base/clock.h"

namespace trunkline::net {

class ManualClock final : public base::ClockSource {
 public:
  base::TimePoint now() const noexcept override { return now_; }
  void advance(base::Duration step) noexcept { now_ += step; }

 private:
  base::TimePoint now_{std::chrono::hours(1)};
};

}  // namespace trunkline::net
