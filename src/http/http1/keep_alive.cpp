// SPDX-License-Identifier: MIT
// keep_alive_timeout(): reads the field.
#include "http/http1/keep_alive.h"

#include "base/token.h"
#include "http/http1/field.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace trunkline::http::http1 {

std::optional<std::chrono::seconds> keep_alive_timeout(std::string_view value) noexcept {
  constexpr std::size_t most_digits = 9;
  while (!value.empty()) {
    const std::size_t comma = std::min(value.find(','), value.size());
    const std::string_view parameter = value.substr(0, comma);
    value.remove_prefix(std::min(comma + 1, value.size()));
    const std::size_t equals = std::min(parameter.find('='), parameter.size());
    if (!equals_ignoring_case(base::trim_blanks(parameter.substr(0, equals)), "timeout")) continue;
    if (equals == parameter.size()) return std::nullopt;
    const std::string_view digits = base::trim_blanks(parameter.substr(equals + 1));
    std::uint32_t seconds = 0;
    const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    const bool is_number = error == std::errc() && stop == digits.data() + digits.size();
    return is_number && digits.size() <= most_digits ? std::optional(std::chrono::seconds(seconds)) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace trunkline::http::http1
