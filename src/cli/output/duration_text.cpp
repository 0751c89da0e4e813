// SPDX-License-Identifier: MIT
// Converts between durations and numbers with units.
#include "cli/output/duration_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace trunkline::cli::output {
namespace {

struct Unit {
  std::string_view name;
  double nanoseconds;
};

constexpr std::array units{Unit{"ns", 1},   Unit{"us", 1e3},   Unit{"ms", 1e6},   Unit{"s", 1e9},
                           Unit{"m", 60e9}, Unit{"h", 3600e9}, Unit{"d", 86400e9}};
constexpr double year = 365 * 86400e9;
/// The time, in nanoseconds, below which durations are written in seconds.
constexpr double two_minutes = 119.5e9;

Status refuse(std::string_view text, std::string_view why) {
  return {StatusCode::invalid_argument, "duration '" + std::string(text) + "': " + std::string(why)};
}

/// Removes a unit from the front of `rest`; null if there is none.
const Unit* take_unit(std::string_view& rest) {
  const std::size_t end = rest.find_first_of("0123456789.");
  const std::string_view name = rest.substr(0, end);
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    rest.remove_prefix(name.size());
    return &unit;
  }
  return nullptr;
}

std::string format_long_duration(double count) {
  std::size_t index = 4;
  while (index + 1 < units.size() && count >= units[index + 1].nanoseconds) ++index;
  const Unit& large = units[index];
  const Unit& small = units[index - 1];
  const auto smalls = static_cast<std::uint64_t>(std::llround(count / small.nanoseconds));
  const auto per_large = static_cast<std::uint64_t>(std::llround(large.nanoseconds / small.nanoseconds));
  std::string text = std::to_string(smalls / per_large).append(large.name);
  if (smalls % per_large != 0) text.append(std::to_string(smalls % per_large)).append(small.name);
  return text;
}

}  // namespace

Result<std::chrono::nanoseconds> parse_duration_or_zero(std::string_view text) {
  std::string_view rest = text;
  double total = 0;
  do {
    double number = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number, std::chars_format::fixed);
    if (error != std::errc() || !(number >= 0)) {
      return refuse(text, "expected a number and a unit, such as 300ms, 5s or 1m30s; a number alone counts seconds");
    }
    rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
    const bool is_bare = rest.empty() && end == text.data() + text.size() && total == 0;
    const Unit* const unit = is_bare ? &units[3] : take_unit(rest);
    if (unit == nullptr) return refuse(text, "unknown unit; units are ns, us, ms, s, m, h and d");
    total += number * unit->nanoseconds;
  } while (!rest.empty());
  if (total > year) return refuse(text, "exceeds a year");
  return std::chrono::nanoseconds(total < 1 ? 0 : std::llround(total));
}

Result<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  Result<std::chrono::nanoseconds> duration = parse_duration_or_zero(text);
  if (duration && duration->count() == 0) return refuse(text, "must be more than zero");
  return duration;
}

std::string format_duration(std::chrono::nanoseconds duration) {
  const auto count = static_cast<double>(duration.count());
  if (count < 0) return "-";
  if (count >= two_minutes) return format_long_duration(count);
  std::size_t index = 0;
  while (index < 3 && count >= 999.5 * units[index].nanoseconds) ++index;
  const double value = count / units[index].nanoseconds;
  const int digits = index == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data() + std::string(units[index].name);
}

}  // namespace trunkline::cli::output
