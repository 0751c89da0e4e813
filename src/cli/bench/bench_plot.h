// SPDX-License-Identifier: MIT
// `trunkline bench plot`: makes pictures of saved runs, which `python -m trunkline.plot` draws.
#pragma once

#include "load/load_report.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace trunkline::cli::bench {

/// Throws Failure unless the name ends in .png, .svg or .pdf.
void check_picture(const char* option, const std::string& path);
/// Draws the picture. Throws Failure if the interpreter, the package or matplotlib is missing.
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

}  // namespace trunkline::cli::bench
