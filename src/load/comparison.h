// SPDX-License-Identifier: MIT
// Comparison: the figures of several runs, each compared with the first run.
#pragma once

#include "load/load_report.h"

#include <string>
#include <vector>

namespace trunkline::load {

enum class Verdict : unsigned char {
  /// No verdict: a run was too short, or the figure has no spread.
  unknown,
  /// The difference does not exceed the two spreads together.
  within,
  better,
  worse,
};

struct ComparedFigure {
  std::string name;
  /// One value for each run. NaN if a run has none.
  std::vector<double> values;
  /// For each run after the first: its value divided by that of the first. NaN if that is 0, or if one has no value.
  std::vector<double> ratios;
  std::vector<Verdict> verdicts;
};

struct Comparison {
  std::vector<ComparedFigure> figures;
  /// Settings in which the runs differ, for example "connections: 1, 8".
  std::vector<std::string> differences;
  /// How the runs ended and what failed, if they differ in that. Figures of a failed run are not comparable.
  std::vector<std::string> outcomes;
};

/// Requires at least two runs.
Comparison compare(const std::vector<LoadReport>& reports);

}  // namespace trunkline::load
