// SPDX-License-Identifier: MIT
// Metadata: named values that travel with a call, in order. Names may occur more than once.
#pragma once

#include <trunkline/detail/export.h>

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline {

/// Names are tokens as in HTTP (RFC 9110, section 5.6.2) of 1 to 255 bytes: letters, digits and !#$%&'*+-.^_`|~. As in
/// HTTP, upper and lower case are the same; names are stored and sent in lower case. Values are arbitrary bytes. (gRPC
/// carries values that are not printable ASCII only under names that end in "-bin"; follow that rule where a call may
/// pass through gRPC.) Names that begin with "trunkline-" are reserved. Concurrent modification is not allowed.
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

  /// Returns true for a name that add() accepts.
  static bool is_valid_name(std::string_view name) noexcept;

  /// Adds an entry, even if the name exists. Throws std::invalid_argument for an invalid name.
  void add(std::string_view name, std::string_view value);
  /// Replaces all entries of that name by one. Throws std::invalid_argument for an invalid name.
  void set(std::string_view name, std::string_view value);
  /// Returns the number of entries removed.
  std::size_t erase(std::string_view name);
  void clear() noexcept { entries_.clear(); }

  /// Returns the first value of that name; nullopt if there is none. The view is valid until the metadata changes.
  std::optional<std::string_view> get(std::string_view name) const noexcept;
  std::vector<std::string_view> get_all(std::string_view name) const;

  bool empty() const noexcept { return entries_.empty(); }
  std::size_t size() const noexcept { return entries_.size(); }
  const_iterator begin() const noexcept { return entries_.begin(); }
  const_iterator end() const noexcept { return entries_.end(); }
  /// Returns the total size of all names and values in bytes.
  std::size_t total_bytes() const noexcept;

  bool operator==(const Metadata&) const = default;

 private:
  std::vector<Entry> entries_;
};

}  // namespace trunkline
