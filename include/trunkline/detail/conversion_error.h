// SPDX-License-Identifier: MIT
// ConversionError: where a Value does not match the type that it is converted to, and why.
#pragma once

#include <trunkline/detail/export.h>

#include <string>
#include <string_view>

namespace trunkline {
class Value;
}

namespace trunkline::detail {

/// Describes a failed conversion. It is filled in while the conversion returns from the element that failed to the
/// outermost value. It never quotes the value itself.
struct TRUNKLINE_API ConversionError {
  /// The path from the outermost value to the one that failed, e.g. "/points/3/x"; empty for the outermost value.
  std::string path;
  std::string reason;

  // Each of these returns false, so that a conversion can return the result.
  bool set_reason(std::string why);
  /// Sets the reason "expected <what>, not <kind of found>".
  bool set_expected(std::string_view what, const Value& found);
  /// Adds the name of a member or the index of an element in front of the path. A peer may have chosen the name: it is
  /// shortened, and characters that are not printable ASCII are replaced.
  bool prepend_step(std::string_view step);

  /// Returns the path, if there is one, and the reason.
  std::string text() const;
};

}  // namespace trunkline::detail
