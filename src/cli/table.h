// SPDX-License-Identifier: MIT
// Table: rows under headings, made to fit a width.
#pragma once

#include <string>
#include <vector>

namespace trunkline::cli {

/// The first column holds names, to the left; the others numbers, to the right.
class Table {
 public:
  using Row = std::vector<std::string>;

  explicit Table(Row headings) : rows_{std::move(headings)} {}
  /// As many cells as there are headings.
  void add(Row row) { rows_.push_back(std::move(row)); }

  /// The headings first, no line wider than `width`: names are cut, and where that is not enough the last columns are
  /// left out. 0: as wide as it is.
  std::vector<std::string> lines(std::size_t width) const;

 private:
  std::vector<std::size_t> widths() const;

  std::vector<Row> rows_;
};

/// Three digits and a unit: "0", "12.3", "4.56k", "7.89M".
std::string format_count(double count);

}  // namespace trunkline::cli
