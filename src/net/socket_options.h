// SPDX-License-Identifier: MIT
// Makes sockets with the options of TransportOptions.
#pragma once

#include <trunkline/result.h>
#include <trunkline/transport_options.h>

#include <chrono>
#include <string_view>

namespace trunkline::net {

/// Makes a non-blocking socket that exec() closes, and sets the options that must be set before it connects or listens.
/// The caller closes it. Errors begin with `tried`, for example "connect tcp://host:1".
Result<int> make_socket(int family, const TransportOptions& options, std::string_view tried);
/// Sets the options that must be set once the socket is connected.
Status set_connected_options(int socket, int family, const TransportOptions& options, std::string_view tried);
/// Returns true if nothing waits in the socket for the peer's system. Output of a unix socket is with the peer already.
bool is_output_acknowledged(int socket) noexcept;
/// Has the kernel probe a TCP peer that has been silent for `idle`, rounded up to seconds, and as often again, unless
/// the socket is probed already. A failure has no effect.
void set_keepalive(int socket, std::chrono::milliseconds idle) noexcept;
/// Returns true if the socket cannot send any more: the other end is closed or lost. A TCP peer that has ended its side
/// may have closed its socket or not, which its system tells when it is asked; the first call has the kernel ask.
bool is_other_end_gone(int socket) noexcept;
/// Has closing the socket reset the connection. No effect on unix sockets, whose peers learn of every end.
void set_reset_on_close(int socket) noexcept;
/// Returns true if a read would not have to wait: there are bytes, an error, or the end.
bool is_readable(int socket) noexcept;
/// Checks the options. Error: invalid_argument, with the option's name, its value and its range.
Status check_options(const TransportOptions& options);

}  // namespace trunkline::net
