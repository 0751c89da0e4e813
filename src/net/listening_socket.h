// SPDX-License-Identifier: MIT
// ListeningSocket: a socket that listens, and the file of a unix socket.
#pragma once

#include "net/unique_socket.h"

#include <trunkline/endpoint.h>
#include <trunkline/result.h>
#include <trunkline/transport_options.h>

#include <sys/types.h>

namespace trunkline::net {

class ListeningSocket {
 public:
  /// Binds and listens. Replaces the file of a unix socket if no process accepts on it; the lock file `<path>.lock`
  /// keeps other processes from checking that at the same time.
  static Result<ListeningSocket> open(const Endpoint& endpoint, const TransportOptions& options);

  /// Returns the endpoint, with the port that the system has assigned if it asked for port 0.
  const Endpoint& endpoint() const noexcept { return endpoint_; }
  /// Returns the socket, which the caller may take over.
  UniqueSocket& socket() noexcept { return socket_; }
  /// Makes `socket`, which was taken over, stop listening in all processes that have a copy of it. No effect in a
  /// forked child, which leaves that to its parent.
  void shut_down(int socket) const noexcept;
  /// Removes the file of a unix socket if it is still the one that open() made. No effect in a forked child, which
  /// leaves that to its parent.
  void unlink_file() noexcept;

 private:
  ListeningSocket() = default;

  UniqueSocket socket_;
  Endpoint endpoint_;
  bool has_file_ = false;
  pid_t process_ = 0;
  dev_t file_device_ = 0;
  ino_t file_number_ = 0;
};

}  // namespace trunkline::net
