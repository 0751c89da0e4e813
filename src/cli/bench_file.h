// SPDX-License-Identifier: MIT
// Files of saved runs, and of reports.
#pragma once

#include "load/load_report.h"

#include <string>
#include <string_view>

namespace trunkline::cli {

/// "-": standard input. Throws Failure if it cannot be read or is no saved run.
load::LoadReport read_report(const std::string& path);

/// Throws Failure if there is no such folder, or no permission; writes nothing.
void check_writable(const char* option, const std::string& path);
/// "-": standard output. Replaces the file as a whole. Throws Failure.
void write_file(const std::string& path, std::string_view text);

}  // namespace trunkline::cli
