// SPDX-License-Identifier: MIT
// `trunkline bench compare`: saved runs side by side.
#pragma once

#include "load/comparison.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace trunkline::cli {

class BenchCompare {
 public:
  void declare(CLI::App& app);
  int run();

 private:
  std::vector<std::string> files_;
  std::string format_ = "text";
};

/// A column for each run, named by `labels`, and one for each ratio.
std::string comparison_text(const load::Comparison& comparison, const std::vector<std::string>& labels);

}  // namespace trunkline::cli
