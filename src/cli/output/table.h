// SPDX-License-Identifier: MIT
// Table: rows under headings, fitted to a width.
#pragma once

#include <string>
#include <vector>

namespace trunkline::cli::output {

/// The first column holds names, aligned left; the others hold numbers, aligned right.
class Table {
 public:
  using Row = std::vector<std::string>;

  explicit Table(Row headings) : rows_{std::move(headings)} {}
  /// The row must have as many cells as there are headings.
  void add(Row row) { rows_.push_back(std::move(row)); }

  /// The headings and the rows, with no line wider than `width`: names are shortened and, if that is not enough, the
  /// last columns are omitted. 0: no limit.
  std::vector<std::string> lines(std::size_t width) const;

 private:
  std::vector<std::size_t> widths() const;

  std::vector<Row> rows_;
};

/// Three digits and a unit: "0", "12.3", "4.56k", "7.89M".
std::string format_count(double count);

}  // namespace trunkline::cli::output
