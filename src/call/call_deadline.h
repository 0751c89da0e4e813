// SPDX-License-Identifier: MIT
// call_deadline(): computes the deadline of a call from everything that sets one.
#pragma once

#include "base/clock.h"

#include <chrono>
#include <optional>

namespace trunkline::call {

/// Returns the earlier of `timeout` from `now` and `deadline`. Without either it is the earlier of `default_timeout`
/// from `now` and `inherited`, the deadline of the server call in whose handler this call is made, or `never`. A
/// timeout of zero or less gives `now`.
base::TimePoint call_deadline(const std::optional<std::chrono::nanoseconds>& timeout,
                              const std::optional<base::TimePoint>& deadline,
                              const std::optional<std::chrono::nanoseconds>& default_timeout, base::TimePoint inherited,
                              base::TimePoint now) noexcept;

}  // namespace trunkline::call
