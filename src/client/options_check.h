// SPDX-License-Identifier: MIT
// check_options: the ranges of ChannelOptions.
#pragma once

#include <trunkline/channel_options.h>

namespace trunkline::client {

/// Throws std::invalid_argument, with a text that names the first option out of range.
void check_options(const ChannelOptions& options);
/// The same for what does not fit the endpoint of the channel.
void check_options(const ChannelOptions& options, const Endpoint& endpoint);

}  // namespace trunkline::client
