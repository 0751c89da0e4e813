// SPDX-License-Identifier: MIT
// The headers grpc-timeout and connect-timeout-ms: the time that is left for a call.
#pragma once

#include "base/clock.h"

#include <trunkline/slice.h>

#include <optional>
#include <string_view>

namespace trunkline::session::web {

/// Reads "1H" to "99999999n", with H, M, S, m, u or n. Returns nothing if the text is malformed. A time that the clock
/// cannot express becomes the longest one that it can, so add it with base::deadline_after().
std::optional<base::Duration> parse_timeout(std::string_view text) noexcept;

/// Appends a timeout that is not shorter than `left`, nor longer by more than a part in 100,000. A time of 0 or less is
/// "1n", because a timeout is positive.
void append_timeout(base::Duration left, BufferWriter& out);

/// Appends Connect's timeout: milliseconds in one to ten digits, rounded up, and at least 1.
void append_connect_timeout(base::Duration left, BufferWriter& out);

}  // namespace trunkline::session::web
