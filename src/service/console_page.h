// SPDX-License-Identifier: MIT
// console_page: the page of the console, as js/console/ builds it.
#pragma once

#include <string_view>

namespace trunkline::service {

/// HTML in ASCII. console_page.html is made into its source when the library is built.
std::string_view console_page() noexcept;

/// In the page, what stands for the token of a console without one of its own.
inline constexpr std::string_view place_of_console_token = "@trunkline-console-token@";

}  // namespace trunkline::service
