// SPDX-License-Identifier: MIT
// Metadata: checks names, and keeps the order of entries through every change.
#include <trunkline/metadata.h>

#include "base/token.h"

#include <algorithm>
#include <stdexcept>

namespace trunkline {
namespace {

constexpr std::size_t max_name_bytes = 255;

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& letter : result) letter = base::ascii_lower(letter);
  return result;
}

/// Compares two names. `stored` is in lower case.
bool is_same_name(std::string_view stored, std::string_view name) noexcept {
  return std::equal(stored.begin(), stored.end(), name.begin(), name.end(),
                    [](char left, char right) { return left == base::ascii_lower(right); });
}

Metadata::Entry checked_entry(std::string_view name, std::string_view value) {
  if (name.empty()) throw std::invalid_argument("add metadata: name is empty");
  if (name.size() > max_name_bytes) {
    throw std::invalid_argument("add metadata: name of " + std::to_string(name.size()) + " bytes exceeds " +
                                std::to_string(max_name_bytes));
  }
  const auto bad = std::find_if_not(name.begin(), name.end(), base::is_token_character);
  if (bad != name.end()) {
    throw std::invalid_argument("add metadata: byte " + std::to_string(bad - name.begin()) +
                                " of the name is not a letter, a digit or one of !#$%&'*+-.^_`|~");
  }
  return {lower_case(name), std::string(value)};
}

}  // namespace

Metadata::Metadata(std::initializer_list<Entry> entries) {
  entries_.reserve(entries.size());
  for (const Entry& entry : entries) add(entry.name, entry.value);
}

bool Metadata::is_valid_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= max_name_bytes &&
         std::all_of(name.begin(), name.end(), base::is_token_character);
}

void Metadata::add(std::string_view name, std::string_view value) { entries_.push_back(checked_entry(name, value)); }

void Metadata::set(std::string_view name, std::string_view value) {
  // The entry is a copy, since `name` and `value` may view an entry that is about to move.
  Entry entry = checked_entry(name, value);
  const auto is_named = [&](const Entry& other) { return other.name == entry.name; };
  const auto first = std::find_if(entries_.begin(), entries_.end(), is_named);
  if (first == entries_.end()) {
    entries_.push_back(std::move(entry));
    return;
  }
  entries_.erase(std::remove_if(first + 1, entries_.end(), is_named), entries_.end());
  *first = std::move(entry);
}

std::size_t Metadata::erase(std::string_view name) {
  // `name` is copied, since it may view an entry that is about to move.
  const std::string copy(name);
  return std::erase_if(entries_, [&](const Entry& entry) { return is_same_name(entry.name, copy); });
}

std::optional<std::string_view> Metadata::get(std::string_view name) const noexcept {
  for (const Entry& entry : entries_) {
    if (is_same_name(entry.name, name)) return entry.value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Metadata::get_all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const Entry& entry : entries_) {
    if (is_same_name(entry.name, name)) values.push_back(entry.value);
  }
  return values;
}

std::size_t Metadata::total_bytes() const noexcept {
  std::size_t total = 0;
  for (const Entry& entry : entries_) total += entry.name.size() + entry.value.size();
  return total;
}

}  // namespace trunkline
