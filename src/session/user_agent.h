// SPDX-License-Identifier: MIT
// UserAgent: what a client over HTTP says it is (RFC 9110, section 10.1.5).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace trunkline::session {

/// The value of a user-agent field. It is null if the client sent none.
using UserAgent = std::shared_ptr<const std::string>;

/// Longer values are cut to this many bytes.
inline constexpr std::size_t max_user_agent_bytes = 1024;

/// Returns the text. The connections of one thread share the texts that are in use, since most clients of a server say
/// the same. Any thread may keep and destroy the result.
UserAgent share_user_agent(std::string_view text);

}  // namespace trunkline::session
