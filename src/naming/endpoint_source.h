// SPDX-License-Identifier: MIT
// endpoint_source(): makes the source of connections for a channel to one endpoint.
#pragma once

#include "client/channel_core.h"
#include "net/dialer.h"

#include <trunkline/channel_options.h>
#include <trunkline/endpoint.h>

namespace trunkline::naming {

net::DialOptions dial_options(const ChannelOptions& options);

/// Checks `options`, and completes them. Throws as the constructor of Channel does.
client::ChannelCore::MakeSource endpoint_source(const Endpoint& endpoint, ChannelOptions& options);

}  // namespace trunkline::naming
