// SPDX-License-Identifier: MIT
// bench_text(): returns the report of a run for people.
#pragma once

#include "load/load_report.h"

#include <string>

namespace trunkline::cli::bench {

std::string bench_text(const load::LoadReport& report);

/// Returns a text such as "1.23us", as format_duration() writes it.
std::string latency_text(std::uint64_t nanoseconds);
/// Returns a text such as "12.3 MB".
std::string bytes_text(double bytes);

}  // namespace trunkline::cli::bench
