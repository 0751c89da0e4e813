// SPDX-License-Identifier: MIT
// PluginOptions: the options of --trunkline_opt.
#pragma once

#include <string_view>

namespace trunkline::codegen {

struct PluginOptions {
  bool cpp = false;
  bool python = false;
  /// True if modules of messages that are generated in the same run are imported relatively in Python.
  bool relative_imports = false;
};

/// Parses `parameter`: words separated by commas, among them `cpp` and `python`; without these two C++ is generated.
/// Throws GenerationError for an unknown word, and lists the known ones.
PluginOptions parse_options(std::string_view parameter);

}  // namespace trunkline::codegen
