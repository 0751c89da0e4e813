// SPDX-License-Identifier: MIT
// Turns names that may be any text into names that descriptors may have.
#pragma once

#include <string>
#include <string_view>

namespace trunkline::service {

/// Returns true if the text consists of letters, digits and _, is not empty and does not begin with a digit.
bool is_identifier(std::string_view text) noexcept;
/// Returns true if the text consists of identifiers with dots between them.
bool is_full_name(std::string_view text) noexcept;
/// Returns the text with _ in place of each byte that an identifier may not have, and before a leading digit.
std::string identifier_of(std::string_view text);
/// Returns the identifier in lower case without underscores: protobuf takes fields for the same whose names differ in
/// these alone.
std::string core_of(std::string_view identifier);
/// Returns the name of the message that holds one entry of a map field.
std::string map_entry_name(std::string_view field);

/// The parts of a method's name on the wire. If the name has no service that a descriptor may have, `service` is empty
/// and `method` is the whole name.
struct MethodPath {
  std::string_view service;
  std::string_view method;
};
MethodPath split_path(std::string_view path) noexcept;

/// Return "a.b" and "C" of "a.b.C".
std::string_view package_of(std::string_view full_name) noexcept;
std::string_view last_part_of(std::string_view full_name) noexcept;

}  // namespace trunkline::service
