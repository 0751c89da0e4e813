// SPDX-License-Identifier: MIT
// BenchOutput: where a run's figures go, and in which form.
#pragma once

#include "load/load_report.h"

#include <CLI/CLI.hpp>

#include <string>

namespace trunkline::cli {

class BenchOutput {
 public:
  void declare(CLI::App& app);

  bool wants_progress() const noexcept { return shows_progress_; }
  /// Before the run: what could not be written afterwards. Throws Failure.
  void check() const;
  /// The picture comes last: what goes wrong with it takes nothing of the figures. Throws Failure.
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

}  // namespace trunkline::cli
