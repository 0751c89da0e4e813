// SPDX-License-Identifier: MIT
// Table: formats rows under headings and fits them to a width.
#pragma once

#include <string>
#include <vector>

namespace trunkline::cli::output {

/// A table whose first column holds names, aligned left; the others hold numbers, aligned right.
class Table {
 public:
  using Row = std::vector<std::string>;

  explicit Table(Row headings) : rows_{std::move(headings)} {}
  /// Adds a row, which must have as many cells as there are headings.
  void add(Row row) { rows_.push_back(std::move(row)); }

  /// Returns the headings and the rows, with no line wider than `width`: names are shortened and, if that is not
  /// enough, the last columns are omitted. 0: no limit.
  std::vector<std::string> lines(std::size_t width) const;

 private:
  std::vector<std::size_t> widths() const;

  std::vector<Row> rows_;
};

/// Returns three digits and a unit: "0", "12.3", "4.56k", "7.89M".
std::string format_count(double count);

}  // namespace trunkline::cli::output
