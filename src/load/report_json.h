// SPDX-License-Identifier: MIT
// A report as JSON, for programs that read, compare or draw it, and back. A report as lines of CSV.
#pragma once

#include "load/load_report.h"

#include <trunkline/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::load {

/// The text ends with a line feed.
std::string to_json(const LoadReport& report);
/// Reads what to_json() has written. Quantiles are exact, and means are exact to a thousandth. Error: invalid_argument,
/// which says what is wrong.
Result<LoadReport> from_json(std::string_view text);

/// A line of names and a line of values. Texts are quoted as in RFC 4180.
std::string to_csv(const LoadReport& report);

}  // namespace trunkline::load
