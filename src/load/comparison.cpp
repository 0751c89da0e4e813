// SPDX-License-Identifier: MIT
// Figures are matched by name.
#include "load/comparison.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace trunkline::load {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

std::optional<Figure> find(const std::vector<Figure>& figures, const std::string& name) {
  const auto found =
      std::find_if(figures.begin(), figures.end(), [&](const Figure& each) { return each.name == name; });
  return found == figures.end() ? std::nullopt : std::optional(*found);
}

Verdict judge(const Figure& first, const Figure& other) {
  if (first.spread < 0 || other.spread < 0) return Verdict::unknown;
  const double difference = other.value - first.value;
  if (std::abs(difference) <= first.spread + other.spread) return Verdict::within;
  return (difference > 0) == (first.better > 0) ? Verdict::better : Verdict::worse;
}

template <class Text>
void add_difference(const std::vector<LoadReport>& reports, const char* name, Text text, Comparison& comparison) {
  std::string line = std::string(name) + ": ";
  bool differs = false;
  for (std::size_t index = 0; index < reports.size(); ++index) {
    const std::string each = text(reports[index].settings);
    differs = differs || each != text(reports.front().settings);
    line += (index > 0 ? ", " : "") + (each.empty() ? "none" : each);
  }
  if (differs) comparison.differences.push_back(line);
}

void add_differences(const std::vector<LoadReport>& reports, Comparison& comparison) {
  using Settings = const LoadSettings&;
  const auto add = [&](const char* name, auto text) { add_difference(reports, name, text, comparison); };
  add("method", [](Settings each) { return each.method; });
  add("kind", [](Settings each) { return each.kind; });
  add("codec", [](Settings each) { return each.codec; });
  add("compressor", [](Settings each) { return each.compressor; });
  add("arrivals", [](Settings each) { return each.arrivals; });
  add("request bytes", [](Settings each) { return std::to_string(each.request_bytes); });
  add("threads", [](Settings each) { return std::to_string(each.threads); });
  add("connections", [](Settings each) { return std::to_string(each.connections); });
  add("outstanding", [](Settings each) { return std::to_string(each.outstanding); });
  add("messages of a stream", [](Settings each) { return std::to_string(each.messages); });
  add("rate", [](Settings each) { return std::to_string(std::llround(each.rate)); });
}

}  // namespace

Comparison compare(const std::vector<LoadReport>& reports) {
  Comparison comparison;
  std::vector<std::vector<Figure>> all;
  all.reserve(reports.size());
  for (const LoadReport& report : reports) all.push_back(figures_of(report));
  for (const Figure& first : all.front()) {
    ComparedFigure compared{.name = first.name, .values = {first.value}, .ratios = {}, .verdicts = {}};
    for (std::size_t index = 1; index < all.size(); ++index) {
      const std::optional<Figure> other = find(all[index], first.name);
      compared.values.push_back(other ? other->value : nothing);
      compared.ratios.push_back(other && first.value != 0 ? other->value / first.value : nothing);
      compared.verdicts.push_back(other ? judge(first, *other) : Verdict::unknown);
    }
    comparison.figures.push_back(std::move(compared));
  }
  add_differences(reports, comparison);
  return comparison;
}

}  // namespace trunkline::load
