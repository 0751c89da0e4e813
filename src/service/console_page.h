// SPDX-License-Identifier: MIT
// console_page(): returns the page of the console, as js/console/ builds it.
#pragma once

#include <string_view>

namespace trunkline::service {

/// Returns HTML in ASCII. console_page.html is made into its source when the library is built.
std::string_view console_page() noexcept;

/// The text in the page in whose place the token goes, if a console has one of its own.
inline constexpr std::string_view place_of_console_token = "@trunkline-console-token@";

}  // namespace trunkline::service
