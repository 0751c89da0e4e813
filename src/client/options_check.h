// SPDX-License-Identifier: MIT
// check_options(): checks the ranges of ChannelOptions.
#pragma once

#include <trunkline/channel_options.h>

#include <string_view>

namespace trunkline::client {

/// Returns true if requests over HTTP may name the text as their host.
bool is_authority(std::string_view text) noexcept;
/// Throws std::invalid_argument, with a text that names the first option out of range.
void check_options(const ChannelOptions& options);
/// Throws std::invalid_argument for an option that does not fit the endpoint of the channel.
void check_options(const ChannelOptions& options, const Endpoint& endpoint);
/// Throws std::invalid_argument for an option that does not fit a channel to several servers.
void check_options(const ChannelOptions& options, const Target& target);

}  // namespace trunkline::client
