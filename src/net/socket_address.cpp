// SPDX-License-Identifier: MIT
// SocketAddress: converts between endpoints, system addresses and URIs.
#include "net/socket_address.h"

#include <asio/ip/address.hpp>

#include <netinet/in.h>
#include <sys/un.h>

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace trunkline::net {

SocketAddress::SocketAddress(const asio::ip::tcp::endpoint& address) noexcept
    : size_(static_cast<socklen_t>(address.size())) {
  std::memcpy(&storage_, address.data(), address.size());
}

SocketAddress SocketAddress::of_unix(const Endpoint& endpoint) noexcept {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t prefix = endpoint.is_abstract() ? 1 : 0;
  const std::size_t length = std::min(endpoint.path().size(), sizeof(address.sun_path) - 1);
  std::memcpy(address.sun_path + prefix, endpoint.path().data(), length);
  SocketAddress result;
  std::memcpy(&result.storage_, &address, sizeof(address));
  // The length is part of an abstract name; a path ends with a zero byte.
  result.size_ = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length + 1);
  return result;
}

std::optional<SocketAddress> SocketAddress::of_numeric(const Endpoint& endpoint) {
  if (endpoint.host() == Endpoint::every_address) {
    return SocketAddress(asio::ip::tcp::endpoint(asio::ip::address_v6::any(), endpoint.port()));
  }
  std::error_code error;
  const asio::ip::address address = asio::ip::make_address(endpoint.host(), error);
  if (error) return std::nullopt;
  return SocketAddress(asio::ip::tcp::endpoint(address, endpoint.port()));
}

SocketAddress SocketAddress::local_of(int socket) noexcept {
  SocketAddress result;
  result.size_ = sizeof(result.storage_);
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&result.storage_), &result.size_) != 0) return {};
  return result;
}

SocketAddress SocketAddress::peer_of(int socket) noexcept {
  SocketAddress result;
  result.size_ = sizeof(result.storage_);
  if (::getpeername(socket, reinterpret_cast<sockaddr*>(&result.storage_), &result.size_) != 0) return {};
  return result;
}

std::uint16_t SocketAddress::port() const noexcept {
  if (family() == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in*>(&storage_)->sin_port);
  if (family() == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_port);
  return 0;
}

bool SocketAddress::is_any_ipv6() const noexcept {
  return family() == AF_INET6 && IN6_IS_ADDR_UNSPECIFIED(&reinterpret_cast<const sockaddr_in6*>(&storage_)->sin6_addr);
}

std::string SocketAddress::to_uri(Scheme scheme) const {
  if (family() == AF_UNIX) return unix_uri();
  if (family() != AF_INET && family() != AF_INET6) return {};
  asio::ip::tcp::endpoint endpoint;
  std::memcpy(endpoint.data(), &storage_, size_);
  endpoint.resize(size_);
  const std::string host = endpoint.address().to_string();
  const std::string bracketed = family() == AF_INET6 ? "[" + host + "]" : host;
  return std::string(to_string(scheme)) + "://" + bracketed + ":" + std::to_string(port());
}

std::string SocketAddress::unix_uri() const {
  const auto& address = reinterpret_cast<const sockaddr_un&>(storage_);
  const std::size_t length = size_ - std::min<std::size_t>(size_, offsetof(sockaddr_un, sun_path));
  if (length == 0) return "unix:";
  if (address.sun_path[0] == '\0') return "unix:@" + std::string(address.sun_path + 1, length - 1);
  return "unix://" + std::string(address.sun_path, ::strnlen(address.sun_path, length));
}

PeerInfo peer_info_of(int socket, Scheme scheme) {
  PeerInfo info;
  info.address = SocketAddress::peer_of(socket).to_uri(scheme);
  info.local_address = SocketAddress::local_of(socket).to_uri(scheme);
  return info;
}

}  // namespace trunkline::net
