// SPDX-License-Identifier: MIT
// Passes the runs to Python as a JSON array on standard input.
#include "cli/bench/bench_plot.h"

#include "cli/bench/bench_file.h"
#include "cli/output/terminal.h"
#include "cli/process/failure.h"
#include "cli/process/python_interpreter.h"

#include "load/report_json.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace trunkline::cli::bench {
namespace {

constexpr const char* module_name = "trunkline.plot";
constexpr std::array<std::string_view, 3> endings{".png", ".svg", ".pdf"};
constexpr std::size_t max_runs = 8;
/// The exit status of the module if matplotlib is missing; it has printed the reason.
constexpr int no_matplotlib = 3;

}  // namespace

void check_picture(const char* option, const std::string& path) {
  if (path.empty()) return;
  const bool is_known =
      std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) { return path.ends_with(ending); });
  if (!is_known)
    throw process::usage_error(std::string(option) + " " + output::escaped(path) +
                               ": ends in none of .png, .svg, .pdf");
  check_writable(option, path);
}

void draw(const std::vector<load::LoadReport>& reports, const std::vector<std::string>& labels,
          const std::string& picture, const std::string& python) {
  const std::string found = process::find_python(python, module_name, "plot");
  std::string input = "[";
  for (const load::LoadReport& report : reports) input += (input.size() > 1 ? "," : "") + load::to_json(report);
  std::vector<std::string> arguments{"-m", module_name, "-", picture};
  for (const std::string& label : labels) arguments.push_back("--label=" + label);
  const int status = process::run_python(found, std::move(arguments), input + "]");
  if (status == 0) return;
  if (status == no_matplotlib) {
    throw process::Failure(process::exit_status::failed,
                           "plot: " + found + " has no matplotlib; install it with " + found +
                               " -m pip install 'trunkline[plot]', or choose another interpreter with --python");
  }
  throw process::Failure(process::exit_status::failed, "plot: " + found + " -m " + module_name + " failed");
}

void BenchPlot::declare(CLI::App& app) {
  app.add_option("files", files_, "Saved runs, then the picture to write: .png, .svg or .pdf")
      ->type_name("FILE")
      ->required();
  app.add_option("--python", python_,
                 "Python interpreter; default: that of $VIRTUAL_ENV, the one beside this program, or python3")
      ->type_name("FILE");
}

int BenchPlot::run() {
  if (files_.size() < 2) throw process::usage_error("plot: expected saved runs, then the picture to write");
  const std::string picture = files_.back();
  check_picture("plot", picture);
  if (files_.size() > max_runs + 1)
    throw process::usage_error("plot: more than 8 runs cannot be told apart in one picture");
  std::vector<load::LoadReport> reports;
  std::vector<std::string> labels;
  for (std::size_t index = 0; index + 1 < files_.size(); ++index) {
    reports.push_back(read_report(files_[index]));
    labels.push_back(std::filesystem::path(files_[index]).stem().string());
  }
  draw(reports, labels, picture, python_);
  return process::exit_status::ok;
}

}  // namespace trunkline::cli::bench
