// SPDX-License-Identifier: MIT
// Field: one field of a head of HTTP/1.1, and the comparison of names and hosts.
#pragma once

#include "base/token.h"

#include <cstddef>
#include <string_view>

namespace trunkline::http::http1 {

/// A field whose members are views of the bytes that were read.
struct Field {
  /// The name as it was sent: upper-case and lower-case letters mean the same.
  std::string_view name;
  /// The value without blanks at either end.
  std::string_view value;
};

/// Compares without regard to case. `lower_case` must have no upper-case letters.
inline bool equals_ignoring_case(std::string_view text, std::string_view lower_case) noexcept {
  if (text.size() != lower_case.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (base::ascii_lower(text[i]) != lower_case[i]) return false;
  }
  return true;
}

/// Compares two hosts with their ports.
inline bool are_equal_hosts(std::string_view left, std::string_view right) noexcept {
  if (left.size() != right.size()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (base::ascii_lower(left[i]) != base::ascii_lower(right[i])) return false;
  }
  return true;
}

}  // namespace trunkline::http::http1
