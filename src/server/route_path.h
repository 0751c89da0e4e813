// SPDX-License-Identifier: MIT
// check_route(): says which methods of HTTP and which paths a route may have.
#pragma once

#include <trunkline/status.h>

#include <array>
#include <string_view>

namespace trunkline::server {

/// The methods of HTTP that a route takes, in the order in which Allow lists them.
inline constexpr std::array<std::string_view, 7> route_verbs{"GET",   "HEAD",   "POST",   "PUT",
                                                             "PATCH", "DELETE", "OPTIONS"};

/// Returns ok for a route that Server::route() takes. Error: invalid_argument.
Status check_route(std::string_view http_method, std::string_view path);

}  // namespace trunkline::server
