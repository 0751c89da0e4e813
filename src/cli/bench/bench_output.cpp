// SPDX-License-Identifier: MIT
// The report goes to standard output unless a file is given; the saved run and the picture have files of their own.
#include "cli/bench/bench_output.h"

#include "cli/bench/bench_file.h"
#include "cli/bench/bench_plot.h"
#include "cli/bench/bench_text.h"
#include "cli/process/failure.h"

#include "load/report_json.h"

namespace trunkline::cli::bench {
namespace {

constexpr const char* group = "Output";

}  // namespace

void BenchOutput::declare(CLI::App& app) {
  app.add_option("--format", format_, "Format of the report")
      ->type_name("text|json|csv")
      ->check(CLI::IsMember({"text", "json", "csv"}).description(""))
      ->capture_default_str()
      ->group(group);
  app.add_option("--output", file_, "File for the report; default: standard output")->type_name("FILE")->group(group);
  app.add_option("--save", save_, "Save the whole run as JSON, for `bench compare` and `bench plot`")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--plot", picture_,
                 "Draw latency and rate to a .png, .svg or .pdf file (requires Python and matplotlib)")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--python", python_, "Python interpreter for --plot; default: the one that `trunkline serve` chooses")
      ->type_name("FILE")
      ->group(group);
  app.add_flag("--progress", shows_progress_, "Print a line per second on standard error if it is not a terminal")
      ->group(group);
}

void BenchOutput::check() const {
  check_writable("--output", file_);
  check_writable("--save", save_);
  check_picture("--plot", picture_);
  if (!python_.empty() && picture_.empty()) throw process::usage_error("--python requires --plot");
}

void BenchOutput::write(const load::LoadReport& report) const {
  // The saved run is written first: it cannot be produced again.
  if (!save_.empty()) write_file(save_, load::to_json(report));
  write_file(file_, format_ == "json"  ? load::to_json(report)
                    : format_ == "csv" ? load::to_csv(report)
                                       : bench_text(report));
  if (!picture_.empty()) draw_or_save(report);
}

void BenchOutput::draw_or_save(const load::LoadReport& report) const {
  try {
    draw({report}, {}, picture_, python_);
  } catch (const process::Failure& failure) {
    if (!save_.empty() && save_ != "-") throw;
    const std::string saved = picture_ + ".json";
    write_file(saved, load::to_json(report));
    throw process::Failure(failure.exit_status(), std::string(failure.what()) +
                                                      "\nthe run is saved: trunkline bench plot " + saved + " " +
                                                      picture_ + " draws it");
  }
}

}  // namespace trunkline::cli::bench
