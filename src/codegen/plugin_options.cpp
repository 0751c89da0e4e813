// SPDX-License-Identifier: MIT
// Parses the words of --trunkline_opt.
#include "codegen/plugin_options.h"

#include "codegen/generation_error.h"

#include <string>

namespace trunkline::codegen {

namespace {

std::string_view without_blanks(std::string_view word) {
  while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
  while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
  return word;
}

void apply(std::string_view word, PluginOptions& options) {
  if (word == "cpp") {
    options.cpp = true;
  } else if (word == "python") {
    options.python = true;
  } else if (word == "imports=relative") {
    options.relative_imports = true;
  } else if (word == "imports=absolute") {
    options.relative_imports = false;
  } else if (!word.empty()) {
    throw GenerationError("parse option '" + std::string(word) +
                          "': unknown option; the options are cpp, python, imports=relative, imports=absolute");
  }
}

}  // namespace

PluginOptions parse_options(std::string_view parameter) {
  PluginOptions options;
  while (!parameter.empty()) {
    const std::size_t comma = parameter.find(',');
    apply(without_blanks(parameter.substr(0, comma)), options);
    parameter = comma == std::string_view::npos ? std::string_view() : parameter.substr(comma + 1);
  }
  if (!options.python) options.cpp = true;
  return options;
}

}  // namespace trunkline::codegen
