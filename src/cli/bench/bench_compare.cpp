// SPDX-License-Identifier: MIT
// BenchCompare: computes ratios to the first run, with a verdict from the spread.
#include "cli/bench/bench_compare.h"

#include "cli/bench/bench_file.h"
#include "cli/output/standard_streams.h"
#include "cli/output/table.h"
#include "cli/output/terminal.h"
#include "cli/process/failure.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>

namespace trunkline::cli::bench {
namespace {

constexpr std::size_t longest_label = 20;

std::string number(double value) {
  if (std::isnan(value)) return "-";
  if (std::abs(value) >= 1000) return output::format_count(value);
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.3g", value);
  return text.data();
}

std::string ratio_text(double ratio, load::Verdict verdict) {
  if (std::isnan(ratio)) return "-";
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.3fx", ratio);
  std::string made = text.data();
  switch (verdict) {
    case load::Verdict::unknown:
      return made + "        ";
    case load::Verdict::within:
      return made + " ~ same ";
    case load::Verdict::better:
      return made + " + better";
    case load::Verdict::worse:
      return made + " - worse";
  }
  return made;
}

const char* word_of(load::Verdict verdict) {
  switch (verdict) {
    case load::Verdict::within:
      return "within_spread";
    case load::Verdict::better:
      return "better";
    case load::Verdict::worse:
      return "worse";
    default:
      return "unknown";
  }
}

std::string comparison_json(const load::Comparison& comparison, const std::vector<std::string>& files) {
  nlohmann::ordered_json figures = nlohmann::ordered_json::object();
  for (const load::ComparedFigure& each : comparison.figures) {
    nlohmann::ordered_json verdicts = nlohmann::ordered_json::array();
    for (const load::Verdict verdict : each.verdicts) verdicts.push_back(word_of(verdict));
    // NaN is written as null.
    figures[each.name] = {{"values", each.values}, {"ratios", each.ratios}, {"verdicts", verdicts}};
  }
  const nlohmann::ordered_json json{{"files", files},
                                    {"different_settings", comparison.differences},
                                    {"different_outcomes", comparison.outcomes},
                                    {"figures", figures}};
  return json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string comparison_text(const load::Comparison& comparison, const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& difference : comparison.differences) {
    text += "different load: " + output::escaped(difference) + "\n";
  }
  for (const std::string& outcome : comparison.outcomes) text += "different outcome: " + outcome + "\n";
  output::Table::Row headings{""};
  for (const std::string& label : labels) headings.push_back(output::fit_text(label, longest_label));
  for (std::size_t index = 1; index < labels.size(); ++index) {
    headings.push_back((labels.size() > 2 ? output::fit_text(labels[index], longest_label) + " ratio" : "ratio") +
                       "   ");
  }
  output::Table table(std::move(headings));
  for (const load::ComparedFigure& each : comparison.figures) {
    output::Table::Row row{each.name};
    for (const double value : each.values) row.push_back(number(value));
    for (std::size_t index = 0; index < each.ratios.size(); ++index) {
      row.push_back(ratio_text(each.ratios[index], each.verdicts[index]));
    }
    table.add(std::move(row));
  }
  for (const std::string& line : table.lines(0)) text += line + "\n";
  return text +
         "better, worse: the difference exceeds the spread (standard deviation) over the seconds of both runs;\n"
         "no verdict: the spread of this figure is unknown\n";
}

void BenchCompare::declare(CLI::App& app) {
  app.add_option("files", files_, "Saved runs; each is compared with the first")->type_name("FILE")->required();
  app.add_option("--format", format_, "Format of the output")
      ->type_name("text|json")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->capture_default_str();
}

int BenchCompare::run() {
  if (files_.size() < 2) throw process::usage_error("compare: give at least two saved runs");
  std::vector<load::LoadReport> reports;
  std::vector<std::string> labels;
  for (const std::string& file : files_) {
    reports.push_back(read_report(file));
    labels.push_back(output::escaped(std::filesystem::path(file).stem().string()));
  }
  const load::Comparison comparison = load::compare(reports);
  output::write_output(format_ == "json" ? comparison_json(comparison, files_) : comparison_text(comparison, labels));
  return process::exit_status::ok;
}

}  // namespace trunkline::cli::bench
