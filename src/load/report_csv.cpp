// SPDX-License-Identifier: MIT
// Writes settings and then figures as columns. Every run has the same columns, so lines of several runs make a table.
#include "load/report_json.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace trunkline::load {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string made = "\"";
  for (const char byte : text) made.append(byte == '"' ? 2 : 1, byte);
  return made + "\"";
}

std::string csv_number(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.10g", value);
  return text.data();
}

std::string csv_number_or_nothing(double value) { return value > 0 ? csv_number(value) : ""; }
std::string count_or_nothing(std::uint64_t value) { return value > 0 ? std::to_string(value) : ""; }

std::string lines_of(const std::vector<std::pair<std::string, std::string>>& columns) {
  std::string names, values;
  bool is_first = true;
  for (const auto& [name, value] : columns) {
    names += (is_first ? "" : ",") + name;
    values += (is_first ? "" : ",") + quoted(value);
    is_first = false;
  }
  return names + "\n" + values + "\n";
}

}  // namespace

std::string to_csv(const LoadReport& report) {
  const LoadSettings& settings = report.settings;
  std::vector<std::pair<std::string, std::string>> columns{
      {"started_at", settings.started_at},
      {"endpoint", settings.endpoint},
      {"method", settings.method},
      {"kind", settings.kind},
      {"codec", settings.codec},
      {"compressor", settings.compressor},
      {"arrivals", settings.arrivals},
      {"request_bytes", std::to_string(settings.request_bytes)},
      {"threads", std::to_string(settings.threads)},
      {"connections", std::to_string(settings.connections)},
      {"outstanding", std::to_string(settings.outstanding)},
      {"messages_per_stream", count_or_nothing(settings.messages)},
      {"rate", csv_number_or_nothing(settings.rate)},
      {"duration_seconds", csv_number_or_nothing(settings.duration_seconds)},
      {"total", count_or_nothing(settings.total)},
      {"warmup_seconds", csv_number(settings.warmup_seconds)},
      {"end", std::string(to_string(report.end))},
      {"seconds", csv_number(report.seconds)},
      {"calls", std::to_string(report.calls)},
      {"messages", std::to_string(report.messages)},
      {"late_calls", std::to_string(report.late.calls)},
      {"unsent", std::to_string(report.unsent)},
      {"waited", std::to_string(report.waited)},
      {"unanswered", std::to_string(report.unanswered)}};
  std::map<std::string, double> values;
  for (const Figure& figure : figures_of(report)) values[figure.name] = figure.value;
  for (const std::string& name : figure_names()) {
    const auto found = values.find(name);
    columns.emplace_back(name, found == values.end() ? "" : csv_number(found->second));
  }
  return lines_of(columns);
}

}  // namespace trunkline::load
