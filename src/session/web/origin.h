// SPDX-License-Identifier: MIT
// Says whether the page that a browser shows may open a WebSocket, or send a request that browsers send without asking
// (RFC 6454, and RFC 6455, section 10.2).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::session::web {

/// This entry of a list stands for every origin.
inline constexpr std::string_view any_origin = "*";

/// Returns true for "*", and for SCHEME://HOST or SCHEME://HOST:PORT.
bool is_origin_pattern(std::string_view text) noexcept;

/// `origin` is the value of Origin, `host` that of Host. An empty list allows the host itself, at the same port;
/// otherwise the list alone counts. Schemes and hosts are compared without regard to case, and the usual ports of http
/// and https may be left out. The scheme of the host itself is not compared, since a proxy may have ended TLS.
bool is_allowed_origin(std::string_view origin, std::string_view host, const std::vector<std::string>& allowed);

}  // namespace trunkline::session::web
