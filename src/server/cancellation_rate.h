// SPDX-License-Identifier: MIT
// CancellationRate: measures how fast the client of a connection cancels calls, and says what to do about it.
#pragma once

#include "base/clock.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace trunkline::server {

/// A bucket of tokens, one for each cancellation. It is refilled at the permitted rate, and holds twice as many as are
/// added in a second, or twice as many as the client may have calls open if that is more, so that a client may cancel
/// all of them at once. Only the loop's thread uses it.
class CancellationRate {
 public:
  enum class Verdict : std::uint8_t {
    allow,
    /// The bucket is empty: nothing is to be taken from the connection for pause().
    slow_down,
    /// The bucket has been emptied ten times without having been full in between.
    disconnect,
  };

  /// Makes a full bucket. If `per_second` is 0, there is no limit.
  CancellationRate(std::size_t per_second, std::size_t max_open_calls) noexcept
      : per_second_(per_second), burst_(2 * std::max(per_second, max_open_calls)), tokens_(burst_) {}

  Verdict on_cancelled(base::TimePoint now) noexcept;
  /// Returns how long the connection rests when it has to slow down.
  static constexpr base::Duration pause() noexcept { return std::chrono::seconds(1); }

 private:
  void refill(base::TimePoint now) noexcept;

  const std::size_t per_second_;
  const std::size_t burst_;
  std::size_t tokens_;
  bool has_begun_ = false;
  base::TimePoint refilled_{};
  int times_empty_ = 0;
};

}  // namespace trunkline::server
