// SPDX-License-Identifier: MIT
// HedgingOptions: when a call that is slow is sent to a further server as well.
#pragma once

#include <trunkline/status_code_set.h>

#include <chrono>
#include <optional>

namespace trunkline {

/// A call that has not been answered after a time is sent once more, to another server if there is one. The first
/// answer counts, and the other attempts are cancelled. Values out of range are refused when the channel is
/// constructed.
struct HedgingOptions {
  /// The number of attempts of a call, the first one included; 2 to 5.
  int max_attempts = 2;
  /// The time between two attempts of a call; 0: all attempts begin at once. If it is unset, see `percentile`.
  std::optional<std::chrono::nanoseconds> delay{};
  /// If `delay` is unset, the time between two attempts is that within which this share of the calls of the method has
  /// been answered lately; more than 0, less than 1. There is no second attempt until 100 calls have been measured.
  double percentile = 0.95;
  /// The number of further attempts that there may be for each call, on average; more than 0, at most 4. When all calls
  /// become slow, no more than this is added to the load.
  double max_extra = 0.05;
  /// An attempt that ends with one of these codes does not end the call while other attempts may still succeed. Nor
  /// does an attempt whose connection was lost, or that has certainly not run.
  StatusCodeSet non_fatal_codes{StatusCode::unavailable};

  bool operator==(const HedgingOptions&) const = default;
};

}  // namespace trunkline
