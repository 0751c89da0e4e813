// SPDX-License-Identifier: MIT
// The same JSON with other white space.
#pragma once

#include <string>
#include <string_view>

namespace trunkline::cli {

enum class JsonLayout : unsigned char {
  compact,  ///< on one line
  pretty,   ///< a line for each member and element, indented by two
};

/// `json` is well-formed. Numbers and texts stay as they are, byte for byte, but DEL and U+0080 to U+009F, which steer
/// terminals, are escaped.
std::string lay_out(std::string_view json, JsonLayout layout);

}  // namespace trunkline::cli
