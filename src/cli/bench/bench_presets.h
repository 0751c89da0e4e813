// SPDX-License-Identifier: MIT
// Knows the presets: the loads for which other RPC systems publish figures.
#pragma once

#include "cli/bench/bench_settings.h"

#include <string>
#include <string_view>

namespace trunkline::cli::bench {

/// Finds "hslam:8c_m", "exposed:8/1/500", "contest:1", ... Throws Failure with similar names for an unknown one.
BenchSettings find_preset(std::string_view name);
/// Returns one line per preset.
std::string list_presets();

}  // namespace trunkline::cli::bench
