// SPDX-License-Identifier: MIT
// Comparison: matches the figures of the runs by name.
#include "load/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
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

/// Adds a line that names the values, unless they are all equal.
template <class Text>
void add_difference(const std::vector<LoadReport>& reports, const char* name, Text text,
                    std::vector<std::string>& into) {
  std::string line = std::string(name) + ": ";
  bool differs = false;
  for (std::size_t index = 0; index < reports.size(); ++index) {
    const std::string each = text(reports[index]);
    differs = differs || each != text(reports.front());
    line += (index > 0 ? ", " : "") + (each.empty() ? "none" : each);
  }
  if (differs) into.push_back(line);
}

std::string number(double value) {
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.10g", value);
  return text.data();
}

std::string seconds_text(double seconds) { return seconds > 0 ? number(seconds) + " s" : "none"; }

void add_settings(const std::vector<LoadReport>& reports, std::vector<std::string>& into) {
  using Settings = const LoadSettings&;
  const auto add = [&](const char* name, auto text) {
    add_difference(
        reports, name, [&](const LoadReport& each) { return text(each.settings); }, into);
  };
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
  add("rate", [](Settings each) { return number(each.rate); });
  add("duration", [](Settings each) { return seconds_text(each.duration_seconds); });
  add("total", [](Settings each) { return each.total > 0 ? std::to_string(each.total) : "none"; });
  add("warm-up", [](Settings each) { return seconds_text(each.warmup_seconds); });
  add("calls per timed call", [](Settings each) { return std::to_string(each.sampling); });
}

void add_outcomes(const std::vector<LoadReport>& reports, std::vector<std::string>& into) {
  using Report = const LoadReport&;
  const auto add = [&](const char* name, auto text) { add_difference(reports, name, text, into); };
  add("end", [](Report each) { return std::string(to_string(each.end)); });
  add("failed calls", [](Report each) { return std::to_string(each.failed); });
  add("calls not sent", [](Report each) { return std::to_string(each.unsent); });
  add("calls without a response", [](Report each) { return std::to_string(each.unanswered); });
}

/// Returns the names of the figures of all runs. A figure that the first run lacks is placed after its predecessor in
/// the run that has it.
std::vector<std::string> names_of(const std::vector<std::vector<Figure>>& all) {
  std::vector<std::string> names;
  for (const std::vector<Figure>& figures : all) {
    auto at = names.begin();
    for (const Figure& figure : figures) {
      const auto found = std::find(names.begin(), names.end(), figure.name);
      at = (found == names.end() ? names.insert(at, figure.name) : found) + 1;
    }
  }
  return names;
}

ComparedFigure compare(const std::string& name, const std::vector<std::vector<Figure>>& all) {
  const std::optional<Figure> first = find(all.front(), name);
  ComparedFigure compared{.name = name, .values = {first ? first->value : nothing}, .ratios = {}, .verdicts = {}};
  for (std::size_t index = 1; index < all.size(); ++index) {
    const std::optional<Figure> other = find(all[index], name);
    compared.values.push_back(other ? other->value : nothing);
    compared.ratios.push_back(first && other && first->value != 0 ? other->value / first->value : nothing);
    compared.verdicts.push_back(first && other ? judge(*first, *other) : Verdict::unknown);
  }
  return compared;
}

}  // namespace

Comparison compare(const std::vector<LoadReport>& reports) {
  Comparison comparison;
  std::vector<std::vector<Figure>> all;
  all.reserve(reports.size());
  for (const LoadReport& report : reports) all.push_back(figures_of(report));
  for (const std::string& name : names_of(all)) comparison.figures.push_back(compare(name, all));
  add_settings(reports, comparison.differences);
  add_outcomes(reports, comparison.outcomes);
  return comparison;
}

}  // namespace trunkline::load
