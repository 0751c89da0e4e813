// SPDX-License-Identifier: MIT
// BenchOutput: writes the report of a run, the saved run and the picture, as the options state.
#pragma once

#include "load/load_report.h"

#include <CLI/CLI.hpp>

#include <string>

namespace trunkline::cli::bench {

class BenchOutput {
 public:
  void declare(CLI::App& app);

  bool wants_progress() const noexcept { return shows_progress_; }
  /// Checks the files before the run. Throws Failure if one could not be written afterwards.
  void check() const;
  /// Draws the picture last, so that an error there loses no figures. Throws Failure.
  void write(const load::LoadReport& report) const;

 private:
  void draw_or_save(const load::LoadReport& report) const;

  std::string format_ = "text";
  std::string file_ = "-";
  std::string save_;
  std::string picture_;
  std::string python_;
  bool shows_progress_ = false;
};

}  // namespace trunkline::cli::bench
