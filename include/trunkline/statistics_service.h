// SPDX-License-Identifier: MIT
// add_statistics: serves ServerStatistics to callers, as the built-in service trunkline.v1.Statistics.
#pragma once

#include <trunkline/detail/export.h>

#include <cstddef>

namespace trunkline {

class Server;

struct StatisticsOptions {
  /// The number of watches that may be open at once; more are refused with resource_exhausted. 0: no limit.
  std::size_t max_watches = 64;
};

/// Registers the service, which `trunkline stats` calls, and has the server collect statistics from now on.
/// Server::shutdown() ends open watches with unavailable. Needs a build with protobuf. Throws std::invalid_argument if
/// the methods are registered already.
TRUNKLINE_API void add_statistics(Server& server, const StatisticsOptions& options = {});

}  // namespace trunkline
