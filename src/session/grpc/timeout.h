// SPDX-License-Identifier: MIT
// The header grpc-timeout: the time that is left for a call, as up to eight digits and a unit.
#pragma once

#include "base/clock.h"

#include <trunkline/slice.h>

#include <optional>
#include <string_view>

namespace trunkline::session::grpc {

/// "1H" to "99999999n", with H, M, S, m, u or n. Empty if the text is malformed. A time that the clock cannot express
/// is the longest one that it can, so add it with base::deadline_after().
std::optional<base::Duration> parse_timeout(std::string_view text) noexcept;

/// Appends a timeout that is not shorter than `left`, nor longer by more than a part in 100,000. A time of 0 or less is
/// "1n", because a timeout is positive.
void append_timeout(base::Duration left, BufferWriter& out);

}  // namespace trunkline::session::grpc
