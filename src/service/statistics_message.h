// SPDX-License-Identifier: MIT
// Converts ServerStatistics to a message of trunkline.v1.Statistics, and finds what has changed.
#pragma once

#include "trunkline/v1/statistics.pb.h"

#include <trunkline/server_statistics.h>

namespace trunkline::service {

/// Fills `out`, which must be empty, with the statistics for which `request` asks.
void fill_message(const ServerStatistics& statistics, const v1::StatisticsRequest& request, v1::ServerStatistics& out);

/// Removes from the latencies of methods those buckets that `before`, an earlier message, has with the same counts.
void remove_unchanged_buckets(const v1::ServerStatistics& before, v1::ServerStatistics& message);

}  // namespace trunkline::service
