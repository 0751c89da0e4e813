// SPDX-License-Identifier: MIT
// differing_codes(): the status of a call whose peer says twice how it has ended.
#pragma once

#include <trunkline/status.h>

#include <string_view>

namespace trunkline::session::web {

/// Returns the status if one block has grpc-status with both values: unknown, as for a value that is no number.
Status differing_codes(std::string_view first, std::string_view second);

}  // namespace trunkline::session::web
