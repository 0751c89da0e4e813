// SPDX-License-Identifier: MIT
// Statistics: tells callers how a server's methods and loops do.
#pragma once

#include <trunkline/export.h>

#include <cstddef>

namespace trunkline {

class Server;

struct StatisticsOptions {
  std::size_t max_watches = 64;  ///< open at once; more are refused with resource_exhausted; 0: no limit
};

/// Serves trunkline.v1.Statistics, and turns Server::collect_statistics() on. Server::shutdown() ends its watches with
/// unavailable. Needs a build with protobuf. Throws std::invalid_argument if its methods are registered already.
TRUNKLINE_API void add_statistics(Server& server, const StatisticsOptions& options = {});

}  // namespace trunkline
