// SPDX-License-Identifier: MIT
// TransportOptions: what is set on the sockets of tcp://, tls:// and unix:// endpoints.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace trunkline {

/// A value that the system refuses fails the connect or listen with the option's name.
struct TransportOptions {
  std::string congestion_control{};       ///< tcp: the kernel's name of it, e.g. "cubic"; empty: the system's default
  std::size_t send_buffer_bytes = 0;      ///< SO_SNDBUF, up to 1 GiB; 0: the system's default
  std::size_t receive_buffer_bytes = 0;   ///< SO_RCVBUF, up to 1 GiB; 0: the system's default
  bool no_delay = true;                   ///< tcp: TCP_NODELAY
  std::chrono::seconds tcp_keepalive{0};  ///< tcp: silence before the kernel probes the peer, 1 to 32767; 0: never
  int listen_backlog = 1024;  ///< listening: connections the kernel holds until they are accepted, 1 to 65535
  bool reuse_port = false;    ///< listening, tcp: SO_REUSEPORT, several processes share the port
};

}  // namespace trunkline
