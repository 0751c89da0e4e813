// SPDX-License-Identifier: MIT
// fill_message: ServerStatistics as a message of trunkline.v1.Statistics.
#pragma once

#include "trunkline/v1/statistics.pb.h"

#include <trunkline/server_statistics.h>

namespace trunkline::service {

/// Fills `out`, which must be empty, with what `request` asks for.
void fill_message(const ServerStatistics& statistics, const v1::StatisticsRequest& request, v1::ServerStatistics& out);

}  // namespace trunkline::service
