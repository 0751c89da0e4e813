// SPDX-License-Identifier: MIT
// The system's error numbers as statuses.
#pragma once

#include <trunkline/status.h>

#include <string>
#include <string_view>
#include <system_error>

namespace trunkline::net {

/// The system's text in the project's form, e.g. "connection refused".
std::string system_text(const std::error_code& error);
std::string system_text(int error_number);

/// "<tried>: <system's text>" with origin transport: already_exists for an address in use, permission_denied for a lack
/// of rights, resource_exhausted for a lack of descriptors or memory, otherwise unavailable.
Status system_status(std::string_view tried, const std::error_code& error);
Status system_status(std::string_view tried, int error_number);

}  // namespace trunkline::net
