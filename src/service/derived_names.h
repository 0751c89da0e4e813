// SPDX-License-Identifier: MIT
// Names as descriptors may have them, out of names that may be any text.
#pragma once

#include <string>
#include <string_view>

namespace trunkline::service {

/// One or more of letters, digits and _, not beginning with a digit.
bool is_identifier(std::string_view text) noexcept;
/// Identifiers with dots between.
bool is_full_name(std::string_view text) noexcept;
/// The text with _ for each byte that may not stand there, and before a digit it begins with.
std::string identifier_of(std::string_view text);
/// Without case and underscores: names of fields that differ in these alone are one to protobuf.
std::string core_of(std::string_view identifier);
/// What the entries of a map field are called.
std::string map_entry_name(std::string_view field);

/// A method's name on the wire, taken apart. `service` is empty if there is none that a descriptor may have; `method`
/// is then the whole.
struct MethodPath {
  std::string_view service;
  std::string_view method;
};
MethodPath split_path(std::string_view path) noexcept;

/// "a.b.C": "a.b" and "C".
std::string_view package_of(std::string_view full_name) noexcept;
std::string_view last_part_of(std::string_view full_name) noexcept;

}  // namespace trunkline::service
