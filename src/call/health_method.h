// SPDX-License-Identifier: MIT
// The name of the method by which channels watch the health of servers.
#pragma once

#include <string_view>

namespace trunkline::call {

/// A channel has a call of it open to each server of a fleet for as long as it is connected, whether or not its
/// application makes calls. Servers do not take such calls for a sign that somebody runs the client's loop.
inline constexpr std::string_view health_watch_method = "grpc.health.v1.Health/Watch";

}  // namespace trunkline::call
