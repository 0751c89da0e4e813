// SPDX-License-Identifier: MIT
// Misfit: why a Value does not fit a type, and where in it; and how single values are taken out of Values.
#pragma once

#include <trunkline/value.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trunkline::plain {

class TRUNKLINE_API Misfit {
 public:
  /// These return false.
  bool refuse(std::string reason);
  bool expected(std::string_view what, const Value& value);
  bool missing(std::string_view field);

  /// It is inside this.
  void in_member(std::string_view name);
  void in_element(std::size_t index);
  /// "$.points[3].x: expected a number, not a string"
  std::string text() const { return "$" + path_ + ": " + reason_; }

 private:
  std::string path_;
  std::string reason_;
};

/// These refuse values of another kind, and numbers that do not fit: of so many bits, or, a double, into a float. Text and
/// bytes are moved out; bytes are taken from base64 as well.
TRUNKLINE_API bool take_bool(const Value& value, bool& out, Misfit& misfit);
TRUNKLINE_API bool take_signed(const Value& value, int bits, std::int64_t& out, Misfit& misfit);
TRUNKLINE_API bool take_unsigned(const Value& value, int bits, std::uint64_t& out, Misfit& misfit);
TRUNKLINE_API bool take_number(const Value& value, double& out, Misfit& misfit);
TRUNKLINE_API bool take_text(Value& value, std::string& out, Misfit& misfit);
TRUNKLINE_API bool take_bytes(Value& value, std::vector<std::byte>& out, Misfit& misfit);
TRUNKLINE_API bool take_number(const Value& value, float& out, Misfit& misfit);

}  // namespace trunkline::plain
