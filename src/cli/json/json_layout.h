// SPDX-License-Identifier: MIT
// JsonLayout and lay_out(): rewrite the white space of JSON.
#pragma once

#include <string>
#include <string_view>

namespace trunkline::cli::json {

enum class JsonLayout : unsigned char {
  /// Everything is on one line.
  compact,
  /// Each member and element has its own line, indented by two spaces per level.
  pretty,
};

/// Rewrites `json`, which must be well-formed. Numbers and texts are copied byte for byte, except that DEL and U+0080
/// to U+009F, which control terminals, are escaped.
std::string lay_out(std::string_view json, JsonLayout layout);

}  // namespace trunkline::cli::json
