// SPDX-License-Identifier: MIT
// keep_alive_timeout(): says how long a server keeps a connection that carries nothing, by the field keep-alive.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace trunkline::http::http1 {

/// Returns the parameter `timeout` of a value such as "timeout=5, max=100" (RFC 2068, section 19.7.1); nullopt if there
/// is none, or it is no number of at most nine digits.
std::optional<std::chrono::seconds> keep_alive_timeout(std::string_view value) noexcept;

}  // namespace trunkline::http::http1
