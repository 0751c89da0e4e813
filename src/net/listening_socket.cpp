// SPDX-License-Identifier: MIT
// ListeningSocket: binds and listens, and replaces stale socket files.
#include "net/listening_socket.h"

#include "net/path_lock.h"
#include "net/socket_address.h"
#include "net/socket_options.h"
#include "net/system_error.h"

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace trunkline::net {

namespace {

Result<SocketAddress> address_of(const Endpoint& endpoint, const std::string& tried) {
  if (endpoint.scheme() == Scheme::unix_socket) return SocketAddress::of_unix(endpoint);
  if (auto numeric = SocketAddress::of_numeric(endpoint)) return *numeric;
  // The name is that of the loopback interface, whatever a file or a server says of it (RFC 6761, section 6.3).
  if (endpoint.host() == "localhost") {
    return SocketAddress(asio::ip::tcp::endpoint(asio::ip::address_v4::loopback(), endpoint.port()));
  }
  asio::io_context context;
  asio::ip::tcp::resolver resolver(context);
  std::error_code error;
  const auto found =
      resolver.resolve(endpoint.host(), std::to_string(endpoint.port()), asio::ip::tcp::resolver::passive, error);
  if (error || found.empty()) return system_status(tried + ": resolve " + endpoint.host(), error);
  return SocketAddress(found.begin()->endpoint());
}

/// Returns true if the path is a socket on which no process accepts.
bool is_stale_file(const Endpoint& endpoint, const SocketAddress& address) {
  struct stat status {};
  if (::lstat(endpoint.path().c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  const UniqueSocket probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  return ::connect(probe.get(), address.data(), address.size()) != 0 && errno == ECONNREFUSED;
}

bool bind_replacing(int socket, const Endpoint& endpoint, const SocketAddress& address) {
  if (::bind(socket, address.data(), address.size()) == 0) return true;
  if (errno != EADDRINUSE) return false;
  if (endpoint.scheme() == Scheme::unix_socket && !endpoint.is_abstract() && is_stale_file(endpoint, address) &&
      ::unlink(endpoint.path().c_str()) == 0) {
    return ::bind(socket, address.data(), address.size()) == 0;
  }
  errno = EADDRINUSE;
  return false;
}

bool set_flag(int socket, int name) {
  const int on = 1;
  return ::setsockopt(socket, SOL_SOCKET, name, &on, sizeof(on)) == 0;
}

/// Has the socket accept IPv4, whatever the system's default is.
bool accept_ipv4(int socket) {
  const int off = 0;
  return ::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) == 0;
}

}  // namespace

Result<ListeningSocket> ListeningSocket::open(const Endpoint& endpoint, const TransportOptions& options) {
  const std::string tried = "listen on " + endpoint.to_string();
  auto address = address_of(endpoint, tried);
  if (!address) return std::move(address).status();
  auto made = make_socket(address->family(), options, tried);
  const bool takes_ipv4_too = address->is_any_ipv6();
  if (!made && takes_ipv4_too) {
    // The system has no IPv6.
    address = SocketAddress(asio::ip::tcp::endpoint(asio::ip::address_v4::any(), endpoint.port()));
    made = make_socket(address->family(), options, tried);
  }
  if (!made) return std::move(made).status();

  ListeningSocket result;
  result.socket_ = UniqueSocket(*made);
  result.process_ = ::getpid();
  const bool is_unix = endpoint.scheme() == Scheme::unix_socket;
  // Between bind() and listen() a socket looks stale to other processes.
  const PathLock lock(is_unix && !endpoint.is_abstract() ? endpoint.path() + ".lock" : std::string());
  if (address->is_any_ipv6() && !accept_ipv4(*made)) return system_status(tried, errno);
  if (!is_unix && !set_flag(*made, SO_REUSEADDR)) return system_status(tried, errno);
  if (!is_unix && options.reuse_port && !set_flag(*made, SO_REUSEPORT))
    return system_status(tried + ": set reuse_port", errno);
  if (!bind_replacing(*made, endpoint, *address)) return system_status(tried, errno);
  struct stat status {};
  if (is_unix && !endpoint.is_abstract() && ::stat(endpoint.path().c_str(), &status) == 0) {
    result.has_file_ = true;
    result.file_device_ = status.st_dev;
    result.file_number_ = status.st_ino;
  }
  result.endpoint_ = is_unix ? endpoint : endpoint.with_port(SocketAddress::local_of(*made).port());
  if (::listen(*made, options.listen_backlog) != 0) {
    const Status refused = system_status(tried, errno);
    result.unlink_file();
    return refused;
  }
  return result;
}

void ListeningSocket::shut_down(int socket) const noexcept {
  if (::getpid() == process_) ::shutdown(socket, SHUT_RDWR);
}

void ListeningSocket::unlink_file() noexcept {
  struct stat status {};
  if (!std::exchange(has_file_, false) || ::getpid() != process_ || ::stat(endpoint_.path().c_str(), &status) != 0)
    return;
  if (status.st_dev == file_device_ && status.st_ino == file_number_) ::unlink(endpoint_.path().c_str());
}

}  // namespace trunkline::net
