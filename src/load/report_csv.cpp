// SPDX-License-Identifier: MIT
// Settings, then figures, each a column.
#include "load/report_json.h"

#include <array>
#include <cstdio>
#include <utility>

namespace trunkline::load {
namespace {

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string made = "\"";
  for (const char byte : text) made.append(byte == '"' ? 2 : 1, byte);
  return made + "\"";
}

std::string number(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.10g", value);
  return text.data();
}

}  // namespace

std::string to_csv(const LoadReport& report) {
  const LoadSettings& settings = report.settings;
  std::vector<std::pair<std::string, std::string>> columns{{"started_at", settings.started_at},
                                                           {"endpoint", settings.endpoint},
                                                           {"method", settings.method},
                                                           {"kind", settings.kind},
                                                           {"codec", settings.codec},
                                                           {"request_bytes", std::to_string(settings.request_bytes)},
                                                           {"threads", std::to_string(settings.threads)},
                                                           {"connections", std::to_string(settings.connections)},
                                                           {"outstanding", std::to_string(settings.outstanding)},
                                                           {"rate", number(settings.rate)},
                                                           {"end", std::string(to_string(report.end))},
                                                           {"seconds", number(report.seconds)},
                                                           {"calls", std::to_string(report.calls)},
                                                           {"messages", std::to_string(report.messages)},
                                                           {"unsent", std::to_string(report.unsent)},
                                                           {"unanswered", std::to_string(report.unanswered)}};
  for (const Figure& figure : figures_of(report)) columns.emplace_back(figure.name, number(figure.value));
  std::string names, values;
  for (const auto& [name, value] : columns) {
    names += (names.empty() ? "" : ",") + name;
    values += (values.empty() ? "" : ",") + quoted(value);
  }
  return names + "\n" + values + "\n";
}

}  // namespace trunkline::load
