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
  /// Throws Failure, once everything else has been written.
  void write(const load::LoadReport& report) const;

 private:
  std::string format_ = "text";
  std::string file_;
  std::string save_;
  std::string plot_;
  bool shows_progress_ = false;
};

}  // namespace trunkline::cli
