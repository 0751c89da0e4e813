// SPDX-License-Identifier: MIT
// The loads by which other systems of this kind publish their figures, by name.
#pragma once

#include "cli/bench_settings.h"

#include <string>
#include <string_view>

namespace trunkline::cli {

/// "hslam:8c_m", "exposed:8/1/500", "contest:1", ... Throws Failure for another one, with names that are near.
BenchSettings find_preset(std::string_view name);
/// A line for each.
std::string list_presets();

}  // namespace trunkline::cli
