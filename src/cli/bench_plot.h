// SPDX-License-Identifier: MIT
// Pictures of saved runs, drawn by `python -m trunkline.plot`; `trunkline bench plot`.
#pragma once

#include "load/load_report.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace trunkline::cli {

/// PNG, SVG and PDF, by the name's end. Throws Failure.
void check_picture(const char* option, const std::string& path);
/// Throws Failure if there is no interpreter, package or matplotlib.
void draw(const std::vector<load::LoadReport>& reports, const std::vector<std::string>& labels,
          const std::string& picture, const std::string& python);

class BenchPlot {
 public:
  void declare(CLI::App& app);
  int run();

 private:
  std::vector<std::string> files_;
  std::string python_;
};

}  // namespace trunkline::cli
