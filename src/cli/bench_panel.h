// SPDX-License-Identifier: MIT
// BenchPanel: a run as it goes, on standard error.
#pragma once

#include "cli/terminal.h"

#include "load/load_run.h"

#include <deque>
#include <string>
#include <vector>

namespace trunkline::cli {

/// Lines that are drawn over each other on a terminal; elsewhere a line each second if wanted.
class BenchPanel {
 public:
  explicit BenchPanel(bool wants_lines);
  /// Takes the panel off.
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
  Style style_;
  std::deque<Sample> samples_;
};

/// A bar of blocks for each value, the largest the highest.
std::string sparkline(const std::vector<double>& values);

}  // namespace trunkline::cli
