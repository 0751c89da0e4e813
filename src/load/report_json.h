// SPDX-License-Identifier: MIT
// A report as JSON, to be read by programs, compared and drawn; and back. As a line of CSV.
#pragma once

#include "load/load_report.h"

#include <trunkline/result.h>

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::load {

/// Ends with a line end.
std::string to_json(const LoadReport& report);
/// What to_json() has written: quantiles are the same, means to a thousandth. Error: invalid_argument that says what is
/// wrong.
Result<LoadReport> from_json(std::string_view text);

/// A line of names and a line of values; texts are quoted as RFC 4180 has it.
std::string to_csv(const LoadReport& report);

}  // namespace trunkline::load
