// SPDX-License-Identifier: MIT
// JsonLayout and lay_out(): rewrites the white space of JSON.
#pragma once

#include <string>
#include <string_view>

namespace trunkline::cli::json {

enum class JsonLayout : unsigned char {
  /// On one line.
  compact,
  /// One line per member and element, indented by two spaces.
  pretty,
};

/// `json` must be well-formed. Numbers and texts are copied byte for byte, except that DEL and U+0080 to U+009F, which
/// control terminals, are escaped.
std::string lay_out(std::string_view json, JsonLayout layout);

}  // namespace trunkline::cli::json
