// SPDX-License-Identifier: MIT
// Identifiers derived from the names of a definition: their case, and how clashes are avoided.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::codegen {

/// GetHTTPStatus -> get_http_status. Several underscores in a row become one: both languages reserve them.
std::string snake_case(std::string_view name);

/// The parts between the separators; one part, possibly empty, if there is no separator.
std::vector<std::string> split(std::string_view text, char separator);

/// `text` with every `from` replaced.
std::string replaced(std::string_view text, char from, char to);

/// The names of one scope, each given once. A name that is taken gets an underscore appended, and then a number: get,
/// get_, get_2, get_3. C++ reserves two underscores in a row.
class NameScope {
 public:
  using Predicate = bool (*)(std::string_view name);

  /// `is_reserved`: names that are never free, besides those of reserve().
  explicit NameScope(Predicate is_reserved) : is_reserved_(is_reserved) {}

  void reserve(std::string name) { taken_.insert(std::move(name)); }
  bool is_free(std::string_view name) const;
  std::string take(std::string_view wanted);
  /// Returns names in the same order. A name that is free without a change goes to the first that asks for it,
  /// regardless of how other names are changed.
  std::vector<std::string> take_all(const std::vector<std::string>& wanted);

 private:
  Predicate is_reserved_;
  std::set<std::string, std::less<>> taken_;
};

}  // namespace trunkline::codegen
