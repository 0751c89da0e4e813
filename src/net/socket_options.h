// SPDX-License-Identifier: MIT
// Sockets with the options of TransportOptions.
#pragma once

#include <trunkline/result.h>
#include <trunkline/transport_options.h>

#include <string_view>

namespace trunkline::net {

/// Makes a non-blocking socket that exec() closes, and sets the options that must be set before it connects or listens.
/// The caller closes it. Errors begin with `tried`, for example "connect tcp://host:1".
Result<int> make_socket(int family, const TransportOptions& options, std::string_view tried);
/// Sets the options that must be set once the socket is connected.
Status set_connected_options(int socket, int family, const TransportOptions& options, std::string_view tried);
/// True if nothing waits in the socket for the peer's system. What a unix socket has taken is with the peer already.
bool is_output_acknowledged(int socket) noexcept;
/// Error: invalid_argument, with the option's name, its value and its range.
Status check_options(const TransportOptions& options);

}  // namespace trunkline::net
