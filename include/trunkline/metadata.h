// SPDX-License-Identifier: MIT
// Metadata: the named values that travel beside a call's messages, in order, names repeated if need be.
#pragma once

#include <trunkline/export.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline {

/// Names are 1 to 255 bytes of lower-case letters, digits, '-', '_' and '.'; values are any bytes. (gRPC carries values
/// that are not printable ASCII only under names that end in "-bin"; keep to that where a call may pass through gRPC.)
/// Names that begin with "trunkline-" are the runtime's own. Not thread-safe to modify.
class TRUNKLINE_API Metadata {
 public:
  struct Entry {
    std::string name;
    std::string value;
    bool operator==(const Entry&) const = default;
  };
  using value_type = Entry;
  using const_iterator = std::vector<Entry>::const_iterator;

  Metadata() = default;
  Metadata(std::initializer_list<Entry> entries);

  static bool is_valid_name(std::string_view name) noexcept;

  /// Adds an entry, also if the name is there already. Throws std::invalid_argument for an invalid name.
  void add(std::string_view name, std::string_view value);
  /// Replaces every entry of that name by one.
  void set(std::string_view name, std::string_view value);
  /// Returns how many were removed.
  std::size_t erase(std::string_view name);
  void clear() noexcept { entries_.clear(); }

  /// The first value of that name. The view is valid until the metadata changes.
  std::optional<std::string_view> get(std::string_view name) const noexcept;
  std::vector<std::string_view> get_all(std::string_view name) const;

  bool empty() const noexcept { return entries_.empty(); }
  std::size_t size() const noexcept { return entries_.size(); }
  const_iterator begin() const noexcept { return entries_.begin(); }
  const_iterator end() const noexcept { return entries_.end(); }
  /// Bytes of all names and values together.
  std::size_t total_bytes() const noexcept;

  bool operator==(const Metadata&) const = default;

 private:
  std::vector<Entry> entries_;
};

}  // namespace trunkline
