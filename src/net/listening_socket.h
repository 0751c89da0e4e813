// SPDX-License-Identifier: MIT
// ListeningSocket: a bound socket, and the file of a unix one.
#pragma once

#include "net/unique_socket.h"

#include <trunkline/endpoint.h>
#include <trunkline/result.h>
#include <trunkline/transport_options.h>

#include <sys/types.h>

namespace trunkline::net {

class ListeningSocket {
 public:
  /// Binds and listens. A unix socket file is replaced if nobody accepts on it; while that is found out, `<path>.lock`
  /// keeps others from doing the same.
  static Result<ListeningSocket> open(const Endpoint& endpoint, const TransportOptions& options);

  /// With the real port.
  const Endpoint& endpoint() const noexcept { return endpoint_; }
  /// For whoever takes it over.
  UniqueSocket& socket() noexcept { return socket_; }
  /// Ends the listening of `socket`, which was released, also where copies of it are open, unless this is a copy
  /// itself: a child of fork() leaves that to its parent.
  void shut_down(int socket) const noexcept;
  /// Removes a unix socket's file if it is still the one made by open(), in the process that called that: a child of
  /// fork() leaves it to its parent.
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
