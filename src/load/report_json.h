// SPDX-License-Identifier: MIT
// Converts a report to JSON and back, and to CSV.
#pragma once

#include "load/load_report.h"

#include <trunkline/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::load {

/// Returns the report as JSON that ends with a line feed.
std::string to_json(const LoadReport& report);
/// Reads the output of to_json(). Quantiles are exact; means are exact to a thousandth. Error: invalid_argument with
/// the reason.
Result<LoadReport> from_json(std::string_view text);

/// Returns a line of names and a line of values. Texts are quoted as in RFC 4180.
std::string to_csv(const LoadReport& report);

}  // namespace trunkline::load
