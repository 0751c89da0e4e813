// SPDX-License-Identifier: MIT
// Reads and writes the files of `trunkline bench`.
#pragma once

#include "load/load_report.h"

#include <string>
#include <string_view>

namespace trunkline::cli::bench {

/// Reads a saved run; "-": standard input. Throws Failure if it cannot be read or is not a saved run.
load::LoadReport read_report(const std::string& path);

/// Writes nothing. Throws Failure if the folder does not exist or if writing is not permitted.
void check_writable(const char* option, const std::string& path);
/// Replaces the file as a whole; "-": standard output. Throws Failure.
void write_file(const std::string& path, std::string_view text);

}  // namespace trunkline::cli::bench
