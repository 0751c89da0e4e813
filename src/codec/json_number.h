// SPDX-License-Identifier: MIT
// Converts numbers of JSON to integers and floating-point numbers of C++.
#pragma once

#include <cstdint>
#include <string_view>

namespace trunkline::codec {

/// Parses `text`, a number of JSON's grammar. Returns false if its value is no integer ("1.5"; "1.0" and "1e2" are
/// integers) or out of range.
bool parse_json_integer(std::string_view text, std::int32_t& number) noexcept;
bool parse_json_integer(std::string_view text, std::uint32_t& number) noexcept;
bool parse_json_integer(std::string_view text, std::int64_t& number) noexcept;
bool parse_json_integer(std::string_view text, std::uint64_t& number) noexcept;

/// Parses to the nearest number; 0 for one that is too small. Returns false beyond the range.
bool parse_json_real(std::string_view text, double& number) noexcept;
bool parse_json_real(std::string_view text, float& number) noexcept;

/// Returns true if the whole text is a number of JSON's grammar.
bool is_json_number(std::string_view text) noexcept;

}  // namespace trunkline::codec
