// SPDX-License-Identifier: MIT
// TransportOptions: socket options of tcp://, tls:// and unix:// endpoints.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace trunkline {

/// If the system refuses a value, connecting or listening fails with the name of the option.
struct TransportOptions {
  /// tcp: congestion control algorithm by the kernel's name, e.g. "cubic"; empty: the system's default.
  std::string congestion_control{};
  /// SO_SNDBUF, up to 1 GiB; 0: the system's default.
  std::size_t send_buffer_bytes = 0;
  /// SO_RCVBUF, up to 1 GiB; 0: the system's default.
  std::size_t receive_buffer_bytes = 0;
  /// tcp: TCP_NODELAY.
  bool no_delay = true;
  /// tcp: idle time before the kernel probes the peer, 1 to 32767; 0: never.
  std::chrono::seconds tcp_keepalive{0};
  /// tcp: how long sent bytes may remain unacknowledged, or the peer's receive window closed, before the kernel ends
  /// the connection (TCP_USER_TIMEOUT), up to 1 day; 0: the system's default.
  std::chrono::milliseconds tcp_user_timeout{300000};
  /// Listening: connections that the kernel queues until they are accepted, 1 to 65535.
  int listen_backlog = 1024;
  /// Listening, tcp: SO_REUSEPORT, with which several processes share a port.
  bool reuse_port = false;
};

}  // namespace trunkline
