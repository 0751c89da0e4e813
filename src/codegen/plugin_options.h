// SPDX-License-Identifier: MIT
// PluginOptions: what --trunkline_opt asks for.
#pragma once

#include <string_view>

namespace trunkline::codegen {

struct PluginOptions {
  bool cpp = false;
  bool python = false;
  bool relative_imports = false;  ///< Python, of modules that are generated in the same run
};

/// `parameter`: words separated by commas, among them `cpp` and `python`; without these two C++ is generated. Throws
/// GenerationError for a word that is unknown, and lists those that are not.
PluginOptions parse_options(std::string_view parameter);

}  // namespace trunkline::codegen
