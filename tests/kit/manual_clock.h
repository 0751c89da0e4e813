// SPDX-License-Identifier: MIT
// ManualClock: time that passes only when a test says so.
#pragma once

#include "base/clock.h"

namespace trunkline::kit {

class ManualClock final : public base::ClockSource {
 public:
  base::TimePoint now() const noexcept override { return now_; }
  void advance(base::Duration by) noexcept { now_ += by; }
  /// Never goes back.
  void set(base::TimePoint now) noexcept {
    if (now > now_) now_ = now;
  }

 private:
  base::TimePoint now_{std::chrono::hours(1)};
};

}  // namespace trunkline::kit
