// SPDX-License-Identifier: MIT
// TransportOptions: socket options of tcp://, tls:// and unix:// endpoints.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace trunkline {

/// The options of sockets. If the system refuses a value, connecting or listening fails with the name of the option.
struct TransportOptions {
  /// The congestion control algorithm of TCP by the kernel's name, e.g. "cubic"; empty: the system's default.
  std::string congestion_control{};
  /// The send buffer in bytes (SO_SNDBUF), up to 1 GiB; 0: the system's default.
  std::size_t send_buffer_bytes = 0;
  /// The receive buffer in bytes (SO_RCVBUF), up to 1 GiB; 0: the system's default.
  std::size_t receive_buffer_bytes = 0;
  /// True if TCP sends small segments without delay (TCP_NODELAY).
  bool no_delay = true;
  /// The time for which a TCP connection may be idle before the kernel probes the peer, 1 to 32767; 0: it never probes.
  std::chrono::seconds tcp_keepalive{0};
  /// The time for which bytes sent over TCP may remain unacknowledged, or the peer's receive window closed, before the
  /// kernel ends the connection (TCP_USER_TIMEOUT), up to 1 day; 0: the system's default.
  std::chrono::milliseconds tcp_user_timeout{300000};
  /// The number of connections that the kernel queues for a listening socket until they are accepted, 1 to 65535.
  int listen_backlog = 1024;
  /// True if several processes may listen on the same TCP port (SO_REUSEPORT).
  bool reuse_port = false;
};

}  // namespace trunkline
