// SPDX-License-Identifier: MIT
// Parses and formats durations such as "500ms" and "1m30s".
#pragma once

#include <trunkline/result.h>

#include <chrono>
#include <string>
#include <string_view>

namespace trunkline::cli::output {

/// Parses one or more numbers with units (ns, us, ms, s, m, h, d), e.g. "1.5s" or "1m30s"; a number without a unit
/// means seconds. The result is more than zero and at most a year. Error: invalid_argument, quoting the text.
Result<std::chrono::nanoseconds> parse_duration(std::string_view text);
/// Parses a duration as parse_duration() does, but also accepts zero.
Result<std::chrono::nanoseconds> parse_duration_or_zero(std::string_view text);

/// Returns three digits and a unit: "12.3ms" (whole nanoseconds may have fewer). From two minutes on, returns the two
/// largest units in whole numbers: "5m20s", "3d4h". Returns "-" for a negative duration.
std::string format_duration(std::chrono::nanoseconds duration);

}  // namespace trunkline::cli::output
