// SPDX-License-Identifier: MIT
// Says whether a request may be for the host that it names (ServerOptions::allowed_hosts). A page whose name is made to
// point at this server (DNS rebinding) is of the same origin to its browser, but it still names its own host.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace trunkline::session::web {

/// Returns true for NAME, and for *.NAME, which stands for all names below it.
bool is_host_pattern(std::string_view text) noexcept;

/// `authority` is the value of Host or `:authority`, whose port is not compared. An empty list allows any host.
/// Otherwise the host must be one of the list, without regard to case, or what nobody can make point elsewhere:
/// localhost or an IP address, which probes use.
bool is_allowed_host(std::string_view authority, const std::vector<std::string>& allowed);

/// Returns the text of the answer to a request that is refused with misdirected_request, a status of HTTP (RFC 9110,
/// section 15.5.20).
std::string text_of_refused_host(std::string_view authority);
inline constexpr unsigned misdirected_request = 421;

}  // namespace trunkline::session::web
