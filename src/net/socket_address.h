// SPDX-License-Identifier: MIT
// SocketAddress: a socket address of the system, made from an endpoint or read from a socket.
#pragma once

#include "net/transport.h"

#include <trunkline/endpoint.h>

#include <asio/ip/tcp.hpp>

#include <sys/socket.h>

#include <cstring>
#include <optional>
#include <string>

namespace trunkline::net {

class SocketAddress {
 public:
  explicit SocketAddress(const asio::ip::tcp::endpoint& address) noexcept;
  /// Returns the address of a unix endpoint.
  static SocketAddress of_unix(const Endpoint& endpoint) noexcept;
  /// Returns the address of a tcp or tls endpoint whose host is an IPv4 or IPv6 address; nullopt if the host is a name,
  /// which has to be resolved.
  static std::optional<SocketAddress> of_numeric(const Endpoint& endpoint);
  static SocketAddress local_of(int socket) noexcept;
  static SocketAddress peer_of(int socket) noexcept;

  int family() const noexcept { return storage_.ss_family; }
  const sockaddr* data() const noexcept { return reinterpret_cast<const sockaddr*>(&storage_); }
  socklen_t size() const noexcept { return size_; }
  std::uint16_t port() const noexcept;
  /// Returns true for "::", IPv6's unspecified address. A socket that is bound to it can accept IPv4 as well.
  bool is_any_ipv6() const noexcept;
  /// Returns the address as a URI, with `scheme` tcp or tls for an IP address. A unix socket without a name is "unix:".
  std::string to_uri(Scheme scheme) const;

  friend bool operator==(const SocketAddress& a, const SocketAddress& b) noexcept {
    return a.size_ == b.size_ && std::memcmp(&a.storage_, &b.storage_, a.size_) == 0;
  }

 private:
  SocketAddress() noexcept = default;
  std::string unix_uri() const;

  sockaddr_storage storage_{};
  socklen_t size_ = 0;
};

/// Reads both addresses of a connected socket.
PeerInfo peer_info_of(int socket, Scheme scheme);

}  // namespace trunkline::net
