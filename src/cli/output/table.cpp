// SPDX-License-Identifier: MIT
// Table: computes the widths, then the lines.
#include "cli/output/table.h"

#include "cli/output/terminal.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>

namespace trunkline::cli::output {
namespace {

constexpr std::size_t gap = 2;
/// The width below which names are not shortened.
constexpr std::size_t min_name_width = 12;

}  // namespace

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], text_width(row[i]));
  }
  return widths;
}

std::vector<std::string> Table::lines(std::size_t width) const {
  std::vector<std::size_t> widths = this->widths();
  const auto others = [&] {
    return std::accumulate(widths.begin() + 1, widths.end(), std::size_t{0},
                           [](std::size_t sum, std::size_t each) { return sum + gap + each; });
  };
  if (width > 0) {
    const std::size_t min_width = std::min({min_name_width, widths[0], width});
    while (widths.size() > 1 && others() + min_width > width) widths.pop_back();
    widths[0] = std::min(widths[0], width - others());
  }
  std::vector<std::string> lines;
  for (const Row& row : rows_) {
    std::string line = fit_text(row[0], widths[0]);
    if (widths.size() > 1) line.append(widths[0] - text_width(line), ' ');
    for (std::size_t i = 1; i < widths.size(); ++i) {
      line.append(gap + widths[i] - text_width(row[i]), ' ').append(row[i]);
    }
    lines.push_back(std::move(line));
  }
  return lines;
}

std::string format_count(double count) {
  constexpr std::array<const char*, 6> units{"", "k", "M", "G", "T", "P"};
  std::size_t unit = 0;
  while (count >= 999.5 && unit + 1 < units.size()) {
    count /= 1000;
    ++unit;
  }
  const bool is_whole = unit == 0 && count == static_cast<double>(static_cast<long>(count));
  const int digits = is_whole || count >= 99.95 ? 0 : count >= 9.995 ? 1 : 2;
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%.*f%s", digits, count, units[unit]);
  return text.data();
}

}  // namespace trunkline::cli::output
