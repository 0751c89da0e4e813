// SPDX-License-Identifier: MIT
// A run's report for people.
#pragma once

#include "load/load_report.h"

#include <string>

namespace trunkline::cli {

std::string bench_text(const load::LoadReport& report);

/// "1.23us", with three digits whatever the unit.
std::string latency_text(std::uint64_t nanoseconds);
/// "12.3 MB"
std::string bytes_text(double bytes);

}  // namespace trunkline::cli
