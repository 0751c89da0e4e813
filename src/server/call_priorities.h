// SPDX-License-Identifier: MIT
// CallPriorities: says by their metadata how important calls are.
#pragma once

#include <trunkline/metadata.h>
#include <trunkline/overload_options.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace trunkline::server {

/// The levels of importance are numbers from 0, the most important one. Without a name of metadata there is only 0.
class CallPriorities {
 public:
  explicit CallPriorities(const OverloadOptions& options)
      : name_(options.priority_metadata), values_(options.priorities) {
    if (!name_.empty()) default_level_ = position_of(options.default_priority);
  }

  bool is_enabled() const noexcept { return !name_.empty(); }
  unsigned levels() const noexcept { return is_enabled() ? static_cast<unsigned>(values_.size()) : 1; }
  unsigned level_of(const Metadata& metadata) const noexcept { return is_enabled() ? find_level(metadata) : 0; }
  /// Returns how much of `limit` calls of `level` may use: all of it at level 0, three quarters at the last one.
  std::size_t share_of(std::size_t limit, unsigned level) const noexcept {
    if (level == 0 || levels() < 2) return limit;
    // The product is limit * level / parts, without its overflow.
    const std::size_t parts = 4 * (levels() - std::size_t{1});
    const std::size_t withheld = limit / parts * level + limit % parts * level / parts;
    return std::max<std::size_t>(1, limit - withheld);
  }

 private:
  unsigned position_of(std::string_view value) const noexcept {
    return static_cast<unsigned>(std::find(values_.begin(), values_.end(), value) - values_.begin());
  }
  unsigned find_level(const Metadata& metadata) const noexcept {
    const auto value = metadata.get(name_);
    if (!value) return default_level_;
    const unsigned level = position_of(*value);
    return level < values_.size() ? level : default_level_;
  }

  const std::string name_;
  const std::vector<std::string> values_;
  unsigned default_level_ = 0;
};

}  // namespace trunkline::server
