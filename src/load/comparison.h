// SPDX-License-Identifier: MIT
// Comparison: the same figures of several runs, each beside the first.
#pragma once

#include "load/load_report.h"

#include <string>
#include <vector>

namespace trunkline::load {

enum class Verdict : unsigned char {
  unknown,  ///< too short a run, or a figure without a spread
  within,   ///< the difference is no more than both spreads together
  better,
  worse,
};

struct ComparedFigure {
  std::string name;
  std::vector<double> values;  ///< of each run; NaN where a run has none
  /// Of the runs after the first: this over the first; NaN where that is 0, or either has none.
  std::vector<double> ratios;
  std::vector<Verdict> verdicts;
};

struct Comparison {
  std::vector<ComparedFigure> figures;
  /// Settings in which the runs differ: "connections: 1, 8".
  std::vector<std::string> differences;
  /// The same of how they ended, and of failures: runs of which one has gone wrong are no measure of the other.
  std::vector<std::string> outcomes;
};

/// At least two.
Comparison compare(const std::vector<LoadReport>& reports);

}  // namespace trunkline::load
