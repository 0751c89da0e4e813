// SPDX-License-Identifier: MIT
// Making sockets as TransportOptions ask for.
#pragma once

#include <trunkline/result.h>
#include <trunkline/transport_options.h>

#include <string_view>

namespace trunkline::net {

/// A new non-blocking socket that a child process does not inherit, with the options that must be set before it
/// connects or listens; the caller closes it. `tried` begins an error's text, e.g. "connect tcp://host:1".
Result<int> make_socket(int family, const TransportOptions& options, std::string_view tried);
/// The options of a connected socket.
Status set_connected_options(int socket, int family, const TransportOptions& options, std::string_view tried);
/// invalid_argument, with the option's name, its value and range.
Status check_options(const TransportOptions& options);

}  // namespace trunkline::net
