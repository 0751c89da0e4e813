// SPDX-License-Identifier: MIT
// Durations as people write and read them: "500ms", "1m30s".
#pragma once

#include <trunkline/result.h>

#include <chrono>
#include <string>
#include <string_view>

namespace trunkline::cli {

/// One or more numbers with units (ns, us, ms, s, m, h, d), e.g. "1.5s" or "1m30s"; a bare number is seconds. More than
/// zero, at most a year. Errors: invalid_argument that quotes the text.
Result<std::chrono::nanoseconds> parse_duration(std::string_view text);
/// The same, and zero of any unit.
Result<std::chrono::nanoseconds> parse_duration_or_zero(std::string_view text);

/// Three digits and a unit: "12.3ms"; from two minutes on the two largest units, whole: "5m20s", "3d4h"; "-" for a
/// negative one.
std::string format_duration(std::chrono::nanoseconds duration);

}  // namespace trunkline::cli
