// SPDX-License-Identifier: MIT
// Requests and responses of routes travel as metadata: the fields of HTTP as they are, and two entries more.
#pragma once

#include <trunkline/metadata.h>
#include <trunkline/status.h>

#include <cstdint>
#include <string_view>

namespace trunkline::session::web {

/// The first entry of a request has the method of HTTP, a space, and the path with its query as the client sent them.
inline constexpr std::string_view request_line_name = "trunkline-request";
/// This entry of a response has the status of HTTP, in three digits. Without it the status is 200.
inline constexpr std::string_view http_status_name = "trunkline-status";

/// Returns true for a name, in lower case, that belongs to the runtime: clients and handlers send no such fields.
constexpr bool is_runtime_name(std::string_view name) noexcept { return name.starts_with("trunkline-"); }

/// Adds the field of a request, unless its name, in lower case, is_runtime_name(). A field `cookie` that comes in
/// parts, as HTTP/2 allows, becomes one (RFC 9113, section 8.2.3).
void add_request_field(std::string_view name, std::string_view value, Metadata& out);

/// Returns the status of HTTP in the metadata of a response.
std::uint32_t http_status_in(const Metadata* leading) noexcept;

/// Returns ok if the response can be sent: its status is 200 to 599, names are tokens and not those that say where a
/// message ends or what a connection does, and values have no control characters but tabs inside and no blank at either
/// end. Error: internal, which names the field but not its value.
Status check_route_response(const Metadata& leading);

}  // namespace trunkline::session::web
