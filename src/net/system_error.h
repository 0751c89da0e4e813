// SPDX-License-Identifier: MIT
// system_status(): turns the system's error numbers into statuses.
#pragma once

#include <trunkline/status.h>

#include <string>
#include <string_view>
#include <system_error>

namespace trunkline::net {

/// Returns the system's text in the form of the library's error texts, for example "connection refused".
std::string system_text(const std::error_code& error);
std::string system_text(int error_number);

/// Returns a status with the text "<tried>: <system's text>" and the origin transport. The code is already_exists for
/// an address in use, permission_denied for missing rights, resource_exhausted for missing descriptors or memory, and
/// otherwise unavailable.
Status system_status(std::string_view tried, const std::error_code& error);
Status system_status(std::string_view tried, int error_number);

}  // namespace trunkline::net
