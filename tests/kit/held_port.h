// SPDX-License-Identifier: MIT
// HeldPort: a TCP port of this test alone, whether it listens on it or not.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace trunkline::kit {

/// A port of 127.0.0.1. While this exists, the system gives it to nobody who asks for any free port, so that no other
/// program answers while the test's server is not there. Without a listener, connections are refused. A listener that
/// asks for this very port gets it, again and again.
class HeldPort {
 public:
  HeldPort() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    auto* const bytes = reinterpret_cast<sockaddr*>(&address);
    socklen_t size = sizeof(address);
    if (::setsockopt(socket_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) != 0 || ::bind(socket_, bytes, size) != 0 ||
        ::getsockname(socket_, bytes, &size) != 0) {
      throw std::runtime_error("hold a port: the system refuses one");
    }
    number_ = ntohs(address.sin_port);
  }
  ~HeldPort() { ::close(socket_); }
  HeldPort(const HeldPort&) = delete;
  HeldPort& operator=(const HeldPort&) = delete;

  std::uint16_t number() const noexcept { return number_; }
  std::string uri() const { return "tcp://127.0.0.1:" + std::to_string(number_); }

 private:
  const int socket_;
  std::uint16_t number_ = 0;
};

}  // namespace trunkline::kit
