// SPDX-License-Identifier: MIT
// Computes the optimal string alignment with three rows at a time.
#include "cli/output/suggestion.h"

#include "cli/output/terminal.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace trunkline::cli::output {
namespace {

/// The longest text that is compared: longer ones are not mistyped names.
constexpr std::size_t max_length = 256;
constexpr std::size_t max_names = 3;
constexpr std::size_t max_edits = 3;

bool is_same(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

bool is_last_part(std::string_view word, std::string_view name) {
  if (word.empty() || name.size() <= word.size()) return false;
  const std::string_view end = name.substr(name.size() - word.size());
  const char before = name[name.size() - word.size() - 1];
  return (before == '.' || before == '/') && std::equal(end.begin(), end.end(), word.begin(), is_same);
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  if (a.size() > max_length || b.size() > max_length) return std::max(a.size(), b.size());
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::swap(before_last, last);
    std::swap(last, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (is_same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      const bool are_swapped = i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) && is_same(a[i - 2], b[j - 1]);
      if (are_swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::vector<std::string> near_names(std::string_view word, std::span<const std::string> names) {
  const std::size_t max_distance = std::clamp<std::size_t>(word.size() / 3, 1, max_edits);
  std::vector<std::pair<std::size_t, std::string>> candidates;
  for (const std::string& name : names) {
    const std::size_t distance = is_last_part(word, name) ? 0 : edit_distance(word, name);
    if (distance <= max_distance) candidates.emplace_back(distance, name);
  }
  std::sort(candidates.begin(), candidates.end());
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  if (candidates.size() > max_names) candidates.resize(max_names);
  // If one name is very similar, the others were probably not meant.
  while (!candidates.empty() && candidates.back().first > candidates.front().first + 1) candidates.pop_back();
  std::vector<std::string> result;
  for (auto& [distance, name] : candidates) result.push_back(std::move(name));
  return result;
}

std::string did_you_mean(std::string_view word, std::span<const std::string> names) {
  const std::vector<std::string> candidates = near_names(word, names);
  std::string text;
  for (const std::string& name : candidates) {
    text += text.empty() ? "; did you mean '" : &name == &candidates.back() ? " or '" : ", '";
    text += escaped(name) + "'";
  }
  return text.empty() ? text : text + "?";
}

}  // namespace trunkline::cli::output
