// SPDX-License-Identifier: MIT
// Makes names of ASCII letters, digits and underscores, of which those in descriptors consist.
#include "service/descriptor_names.h"

#include <algorithm>

namespace trunkline::service {

namespace {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_lower(char c) noexcept { return c >= 'a' && c <= 'z'; }
constexpr bool is_word(char c) noexcept { return is_lower(c) || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; }

}  // namespace

bool is_identifier(std::string_view text) noexcept {
  return !text.empty() && !is_digit(text.front()) && std::all_of(text.begin(), text.end(), is_word);
}

bool is_full_name(std::string_view text) noexcept {
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_identifier(text.substr(0, dot))) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

std::string identifier_of(std::string_view text) {
  std::string result(text);
  std::replace_if(
      result.begin(), result.end(), [](char c) { return !is_word(c); }, '_');
  if (result.empty() || is_digit(result.front())) result.insert(result.begin(), '_');
  return result;
}

std::string core_of(std::string_view identifier) {
  std::string result;
  for (const char c : identifier) {
    if (c != '_') result += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return result;
}

std::string map_entry_name(std::string_view field) {
  std::string result;
  bool capital = true;
  for (const char c : field) {
    if (c == '_') {
      capital = true;
      continue;
    }
    result += capital && is_lower(c) ? static_cast<char>(c - 'a' + 'A') : c;
    capital = false;
  }
  return result + "Entry";
}

MethodPath split_path(std::string_view path) noexcept {
  std::size_t end = path.rfind('/');
  if (end == std::string_view::npos) end = path.rfind('.');
  if (end == std::string_view::npos || end + 1 == path.size() || !is_full_name(path.substr(0, end))) return {{}, path};
  return {path.substr(0, end), path.substr(end + 1)};
}

std::string_view package_of(std::string_view full_name) noexcept {
  const std::size_t dot = full_name.rfind('.');
  return dot == std::string_view::npos ? std::string_view() : full_name.substr(0, dot);
}

std::string_view last_part_of(std::string_view full_name) noexcept {
  return full_name.substr(full_name.rfind('.') + 1);
}

}  // namespace trunkline::service
