// SPDX-License-Identifier: MIT
// wall_time_after(): returns the time of day as text, for people.
#pragma once

#include "base/clock.h"

#include <string>

namespace trunkline::base {

/// Returns the time of day when `time` has passed from now, in UTC to the second, as RFC 3339 writes it.
std::string wall_time_after(Duration time);

}  // namespace trunkline::base
