// SPDX-License-Identifier: MIT
// Derives identifiers from the names of a definition: their case, and unique names in a scope.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::codegen {

/// Returns get_http_status for GetHTTPStatus. Several underscores in a row become one, because C++ reserves such names
/// and Python mangles some of them.
std::string snake_case(std::string_view name);

/// Returns the parts between the separators; one part, possibly empty, if there is no separator.
std::vector<std::string> split(std::string_view text, char separator);

/// Returns `text` with every `from` replaced.
std::string replaced(std::string_view text, char from, char to);

/// Gives the names of one scope, each once. A name that is taken gets an underscore appended, and then a number: get,
/// get_, get_2, get_3. C++ reserves two underscores in a row.
class NameScope {
 public:
  using Predicate = bool (*)(std::string_view name);

  /// `is_reserved` returns true for names that are never free; reserve() adds further ones.
  explicit NameScope(Predicate is_reserved) : is_reserved_(is_reserved) {}

  void reserve(std::string name) { taken_.insert(std::move(name)); }
  bool is_free(std::string_view name) const;
  std::string take(std::string_view wanted);
  /// Returns a name for each of `wanted`, in the same order. Names that are free as they are have precedence over names
  /// that need a change.
  std::vector<std::string> take_all(const std::vector<std::string>& wanted);

 private:
  Predicate is_reserved_;
  std::set<std::string, std::less<>> taken_;
};

}  // namespace trunkline::codegen
