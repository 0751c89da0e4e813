// SPDX-License-Identifier: MIT
// UniqueSocket: owns a socket, and closes it unless it was released.
#pragma once

#include "net/fork_safe_sockets.h"

#include <utility>

namespace trunkline::net {

class UniqueSocket {
 public:
  UniqueSocket() noexcept = default;
  explicit UniqueSocket(int socket) noexcept : socket_(socket) {}
  UniqueSocket(UniqueSocket&& other) noexcept : socket_(other.release()) {}
  UniqueSocket& operator=(UniqueSocket other) noexcept {
    std::swap(socket_, other.socket_);
    return *this;
  }
  ~UniqueSocket() {
    if (socket_ >= 0) ForkSafeSockets::close(socket_);
  }

  int get() const noexcept { return socket_; }
  int release() noexcept { return std::exchange(socket_, -1); }

 private:
  int socket_ = -1;
};

}  // namespace trunkline::net
