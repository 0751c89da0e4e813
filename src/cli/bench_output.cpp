// SPDX-License-Identifier: MIT
// The report to standard output unless a file is named; the saved run and the picture to theirs.
#include "cli/bench_output.h"

#include "cli/bench_file.h"
#include "cli/bench_plot.h"
#include "cli/bench_text.h"
#include "cli/failure.h"

#include "load/report_json.h"

namespace trunkline::cli {
namespace {

constexpr const char* group = "Output";

}  // namespace

void BenchOutput::declare(CLI::App& app) {
  app.add_option("--format", format_, "Of the report")
      ->type_name("text|json|csv")
      ->check(CLI::IsMember({"text", "json", "csv"}).description(""))
      ->capture_default_str()
      ->group(group);
  app.add_option("--output", file_, "Where it goes; else standard output")->type_name("FILE")->group(group);
  app.add_option("--save", save_, "The whole run as JSON, for `bench compare` and `bench plot`")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--plot", picture_, "A picture of latency and rate, .png, .svg or .pdf (needs Python and matplotlib)")
      ->type_name("FILE")
      ->group(group);
  app.add_option("--python", python_, "Interpreter for --plot; else as `trunkline serve` chooses it")
      ->type_name("FILE")
      ->group(group);
  app.add_flag("--progress", shows_progress_, "A line each second on standard error, where that is no terminal")
      ->group(group);
}

void BenchOutput::check() const {
  check_writable("--output", file_);
  check_writable("--save", save_);
  check_picture("--plot", picture_);
  if (!python_.empty() && picture_.empty()) throw misuse("--python goes with --plot");
}

void BenchOutput::write(const load::LoadReport& report) const {
  // First what cannot be had again.
  if (!save_.empty()) write_file(save_, load::to_json(report));
  write_file(file_, format_ == "json"  ? load::to_json(report)
                    : format_ == "csv" ? load::to_csv(report)
                                       : bench_text(report));
  if (!picture_.empty()) draw_or_save(report);
}

void BenchOutput::draw_or_save(const load::LoadReport& report) const {
  try {
    draw({report}, {}, picture_, python_);
  } catch (const Failure& failure) {
    if (!save_.empty() && save_ != "-") throw;
    const std::string saved = picture_ + ".json";
    write_file(saved, load::to_json(report));
    throw Failure(failure.exit_status(), std::string(failure.what()) + "\nthe run is saved: trunkline bench plot " +
                                             saved + " " + picture_ + " draws it");
  }
}

}  // namespace trunkline::cli
