// SPDX-License-Identifier: MIT
// Comparison: compares the figures of several runs with those of the first run.
#pragma once

#include "load/load_report.h"

#include <string>
#include <vector>

namespace trunkline::load {

enum class Verdict : unsigned char {
  /// There is no verdict: a run was too short, or the figure has no spread.
  unknown,
  /// The difference does not exceed the two spreads together.
  within,
  better,
  worse,
};

struct ComparedFigure {
  std::string name;
  /// The value of each run; NaN if a run has none.
  std::vector<double> values;
  /// The value of each run after the first, divided by that of the first; NaN if that is 0, or if one has no value.
  std::vector<double> ratios;
  std::vector<Verdict> verdicts;
};

struct Comparison {
  std::vector<ComparedFigure> figures;
  /// The settings in which the runs differ, for example "connections: 1, 8".
  std::vector<std::string> differences;
  /// The ends and the failures of the runs, if they differ in that. Figures of a failed run are not comparable.
  std::vector<std::string> outcomes;
};

/// Compares the runs, which must be at least two.
Comparison compare(const std::vector<LoadReport>& reports);

}  // namespace trunkline::load
