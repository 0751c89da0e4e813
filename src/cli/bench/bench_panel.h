// SPDX-License-Identifier: MIT
// BenchPanel: shows the progress of a run on standard error.
#pragma once

#include "cli/output/terminal.h"

#include "load/load_run.h"

#include <deque>
#include <string>
#include <vector>

namespace trunkline::cli::bench {

/// A panel of a few lines that are redrawn in place on a terminal; elsewhere, one line per second if wanted.
class BenchPanel {
 public:
  explicit BenchPanel(bool wants_lines);
  /// Removes the panel.
  ~BenchPanel();
  BenchPanel(const BenchPanel&) = delete;
  BenchPanel& operator=(const BenchPanel&) = delete;

  void show(const load::Progress& progress);

 private:
  struct Sample {
    double at;
    std::uint64_t calls;
  };

  void note(const load::Progress& progress);
  double rate() const;
  std::vector<std::string> lines(const load::Progress& progress) const;
  void draw(const std::vector<std::string>& lines);
  void clear();

  bool is_live_;
  bool wants_lines_;
  std::size_t drawn_ = 0;
  output::Style style_;
  std::deque<Sample> samples_;
};

/// Returns one block character per value, the largest at full height.
std::string sparkline(const std::vector<double>& values);

}  // namespace trunkline::cli::bench
