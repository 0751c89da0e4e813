// SPDX-License-Identifier: MIT
// Suggests names that are similar to an unknown one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::cli::output {

/// Returns the number of insertions, deletions, replacements and swaps of neighbours that turn one text into the other,
/// ignoring case.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// Returns at most three of `names` that are similar to `word`, the most similar first. A name whose last part is
/// `word` is similar too ("Echo" for "example.Echo").
std::vector<std::string> near_names(std::string_view word, std::span<const std::string> names);

/// Returns "; did you mean 'a' or 'b'?", or an empty string if no name is similar.
std::string did_you_mean(std::string_view word, std::span<const std::string> names);

}  // namespace trunkline::cli::output
