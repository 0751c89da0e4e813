// SPDX-License-Identifier: MIT
// `trunkline bench compare`: shows saved runs side by side.
#pragma once

#include "load/comparison.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace trunkline::cli::bench {

class BenchCompare {
 public:
  void declare(CLI::App& app);
  int run();

 private:
  std::vector<std::string> files_;
  std::string format_ = "text";
};

/// Returns the table: one column per run, named by `labels`, and one per ratio.
std::string comparison_text(const load::Comparison& comparison, const std::vector<std::string>& labels);

}  // namespace trunkline::cli::bench
