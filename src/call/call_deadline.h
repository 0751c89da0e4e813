// SPDX-License-Identifier: MIT
// call_deadline: when a call has to be over, from everything that has a say in it.
#pragma once

#include "base/clock.h"

#include <chrono>
#include <optional>

namespace trunkline::call {

/// The earlier of `timeout` from `now` and `deadline`. With neither: the earlier of `default_timeout` from now and
/// `inherited`, the deadline of the server call in whose handler this one is made (`never` for none). A timeout of
/// zero or less gives `now`.
base::TimePoint call_deadline(const std::optional<std::chrono::nanoseconds>& timeout,
                              const std::optional<base::TimePoint>& deadline,
                              const std::optional<std::chrono::nanoseconds>& default_timeout, base::TimePoint inherited,
                              base::TimePoint now) noexcept;

}  // namespace trunkline::call
