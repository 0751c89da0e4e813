// SPDX-License-Identifier: MIT
// Names that may have been meant by one that does not exist.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::cli {

/// Insertions, deletions, replacements and swaps of neighbours that turn one into the other, letters of either case
/// being the same.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// At most three of `names` that are near to `typed`, the nearest first. Also those of which it is the last part
/// ("Echo" for "example.Echo").
std::vector<std::string> near_names(std::string_view typed, std::span<const std::string> names);

/// "; did you mean 'a' or 'b'?", or nothing if no name is near.
std::string did_you_mean(std::string_view typed, std::span<const std::string> names);

}  // namespace trunkline::cli
