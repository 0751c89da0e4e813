// SPDX-License-Identifier: MIT
// Identifiers made of a definition's names: their case, and what keeps them apart.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::codegen {

/// GetHTTPStatus -> get_http_status. Several underscores in a row become one: both languages keep these to themselves.
std::string snake_case(std::string_view name);

/// The parts between the separators; one part, empty or not, if there is none.
std::vector<std::string> split(std::string_view text, char separator);

/// `text` with every `from` replaced.
std::string replaced(std::string_view text, char from, char to);

/// The names of one scope, where each is given once. One that is not free gets an underscore behind it, and if that is
/// not free either a number as well: get, get_, get_2, get_3. Two underscores in a row C++ keeps to itself.
class NameScope {
 public:
  using Predicate = bool (*)(std::string_view name);

  /// `is_reserved`: names that are never free, beside those of reserve().
  explicit NameScope(Predicate is_reserved) : is_reserved_(is_reserved) {}

  void reserve(std::string name) { taken_.insert(std::move(name)); }
  bool is_free(std::string_view name) const;
  std::string take(std::string_view wanted);
  /// In the same order. A name that is free as it is goes to the first that wants it, whatever the others are turned
  /// into.
  std::vector<std::string> take_all(const std::vector<std::string>& wanted);

 private:
  Predicate is_reserved_;
  std::set<std::string, std::less<>> taken_;
};

}  // namespace trunkline::codegen
