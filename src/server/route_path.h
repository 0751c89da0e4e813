// SPDX-License-Identifier: MIT
// Which methods of HTTP and which paths a route may have.
#pragma once

#include <trunkline/status.h>

#include <array>
#include <string_view>

namespace trunkline::server {

/// What a route takes, in the order in which Allow lists it.
inline constexpr std::array<std::string_view, 7> route_verbs{"GET",   "HEAD",   "POST",   "PUT",
                                                             "PATCH", "DELETE", "OPTIONS"};

/// Ok for what Server::route() takes. Error: invalid_argument.
Status check_route(std::string_view http_method, std::string_view path);

}  // namespace trunkline::server
