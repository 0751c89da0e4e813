// SPDX-License-Identifier: MIT
// Makes snake case, and puts underscores after names that are taken.
#include "codegen/identifier.h"

#include <algorithm>
#include <cstddef>

namespace trunkline::codegen {

namespace {

// <cctype> does not serve, since names in definitions are ASCII in every locale.
constexpr bool is_upper(char letter) { return letter >= 'A' && letter <= 'Z'; }
constexpr bool is_lower(char letter) { return letter >= 'a' && letter <= 'z'; }

// Returns true if a word begins there: at a capital that follows another character, and at the last of several capitals
// if a small letter follows.
bool begins_word(std::string_view name, std::size_t at) {
  if (at == 0 || !is_upper(name[at])) return false;
  return !is_upper(name[at - 1]) || (at + 1 < name.size() && is_lower(name[at + 1]));
}

}  // namespace

std::string snake_case(std::string_view name) {
  std::string result;
  for (std::size_t at = 0; at < name.size(); ++at) {
    const bool after_underscore = !result.empty() && result.back() == '_';
    if (name[at] == '_' || begins_word(name, at)) {
      if (!after_underscore) result += '_';
      if (name[at] == '_') continue;
    }
    result += is_upper(name[at]) ? static_cast<char>(name[at] - 'A' + 'a') : name[at];
  }
  return result;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.emplace_back(text);
  return parts;
}

std::string replaced(std::string_view text, char from, char to) {
  std::string result(text);
  std::replace(result.begin(), result.end(), from, to);
  return result;
}

bool NameScope::is_free(std::string_view name) const { return !is_reserved_(name) && taken_.count(name) == 0; }

std::string NameScope::take(std::string_view wanted) {
  std::string name(wanted);
  if (!is_free(name) && name.back() != '_') name += '_';
  const std::string marked = name;
  for (int number = 2; !is_free(name); ++number) name = marked + std::to_string(number);
  reserve(name);
  return name;
}

std::vector<std::string> NameScope::take_all(const std::vector<std::string>& wanted) {
  std::vector<std::string> given(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (is_free(wanted[i])) given[i] = take(wanted[i]);
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (given[i].empty()) given[i] = take(wanted[i]);
  }
  return given;
}

}  // namespace trunkline::codegen
