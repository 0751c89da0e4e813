// SPDX-License-Identifier: MIT
// bench_text(): the report of a run for people.
#pragma once

#include "load/load_report.h"

#include <string>

namespace trunkline::cli::bench {

std::string bench_text(const load::LoadReport& report);

/// "1.23us", always with three digits.
std::string latency_text(std::uint64_t nanoseconds);
/// "12.3 MB"
std::string bytes_text(double bytes);

}  // namespace trunkline::cli::bench
