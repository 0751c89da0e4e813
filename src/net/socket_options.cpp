// SPDX-License-Identifier: MIT
// Sets and checks the options of sockets.
#include "net/socket_options.h"

#include "net/fork_safe_sockets.h"
#include "net/system_error.h"

#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

namespace trunkline::net {

namespace {

constexpr std::size_t max_buffer_bytes = std::size_t{1} << 30;

bool is_ip(int family) { return family == AF_INET || family == AF_INET6; }

Status refused(std::string_view tried, std::string_view option, const std::string& value) {
  return system_status(std::string(tried) + ": set " + std::string(option) + " to " + value, errno);
}

Status set_number(int socket, int level, int name, int value, std::string_view option, std::string_view tried) {
  if (::setsockopt(socket, level, name, &value, sizeof(value)) == 0) return {};
  return refused(tried, option, std::to_string(value));
}

Status set_early_options(int socket, int family, const TransportOptions& options, std::string_view tried) {
  Status status;
  if (options.send_buffer_bytes > 0) {
    const auto size = static_cast<int>(options.send_buffer_bytes);
    status = set_number(socket, SOL_SOCKET, SO_SNDBUF, size, "send_buffer_bytes", tried);
  }
  if (status.is_ok() && options.receive_buffer_bytes > 0) {
    const auto size = static_cast<int>(options.receive_buffer_bytes);
    status = set_number(socket, SOL_SOCKET, SO_RCVBUF, size, "receive_buffer_bytes", tried);
  }
  const std::string& algorithm = options.congestion_control;
  if (status.is_ok() && is_ip(family) && !algorithm.empty() &&
      ::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, algorithm.data(), static_cast<socklen_t>(algorithm.size())) !=
          0) {
    status = refused(tried, "congestion_control", algorithm);
  }
  return status;
}

/// Has TCP probe the peer. A unix socket knows by itself whether it is there, and refuses the options of TCP.
void probe(int socket, int seconds) noexcept {
  for (const int name : {TCP_KEEPIDLE, TCP_KEEPINTVL}) {
    static_cast<void>(::setsockopt(socket, IPPROTO_TCP, name, &seconds, sizeof(seconds)));
  }
  constexpr int on = 1;
  static_cast<void>(::setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on)));
}

Status out_of_range(std::string_view option, long long value, std::string_view range) {
  return {StatusCode::invalid_argument, "transport options: " + std::string(option) + " " + std::to_string(value) +
                                            " is not in " + std::string(range)};
}

}  // namespace

bool is_output_acknowledged(int socket) noexcept {
  int domain = AF_UNIX;
  socklen_t size = sizeof(domain);
  if (::getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 || domain == AF_UNIX) return true;
  int unacknowledged = 0;
  return ::ioctl(socket, SIOCOUTQ, &unacknowledged) != 0 || unacknowledged == 0;
}

void set_keepalive(int socket, std::chrono::milliseconds idle) noexcept {
  int is_on = 0;
  socklen_t size = sizeof(is_on);
  if (::getsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &is_on, &size) != 0 || is_on != 0) return;
  constexpr std::chrono::seconds longest(32767);
  const auto seconds = std::clamp(std::chrono::ceil<std::chrono::seconds>(idle), std::chrono::seconds(1), longest);
  probe(socket, static_cast<int>(seconds.count()));
}

void set_reset_on_close(int socket) noexcept {
  const linger none{.l_onoff = 1, .l_linger = 0};
  static_cast<void>(::setsockopt(socket, SOL_SOCKET, SO_LINGER, &none, sizeof(none)));
}

bool is_other_end_gone(int socket) noexcept {
  constexpr int seconds_between_probes = 10;
  probe(socket, seconds_between_probes);
  pollfd state{.fd = socket, .events = 0, .revents = 0};
  return ::poll(&state, 1, 0) > 0 && (state.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0;
}

bool is_readable(int socket) noexcept {
  char first = 0;
  const ssize_t count = ::recv(socket, &first, sizeof(first), MSG_PEEK | MSG_DONTWAIT);
  return count >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
}

Status check_options(const TransportOptions& options) {
  const auto keepalive = options.tcp_keepalive.count();
  if (options.send_buffer_bytes > max_buffer_bytes) {
    return out_of_range("send_buffer_bytes", static_cast<long long>(options.send_buffer_bytes), "0 to 1073741824");
  }
  if (options.receive_buffer_bytes > max_buffer_bytes) {
    return out_of_range("receive_buffer_bytes", static_cast<long long>(options.receive_buffer_bytes),
                        "0 to 1073741824");
  }
  if (keepalive < 0 || keepalive > 32767) return out_of_range("tcp_keepalive", keepalive, "0 to 32767");
  const auto user_timeout = options.tcp_user_timeout.count();
  if (user_timeout < 0 || user_timeout > 86400000) {
    return out_of_range("tcp_user_timeout", user_timeout, "0 to 86400000");
  }
  if (options.listen_backlog < 1 || options.listen_backlog > 65535) {
    return out_of_range("listen_backlog", options.listen_backlog, "1 to 65535");
  }
  return {};
}

Result<int> make_socket(int family, const TransportOptions& options, std::string_view tried) {
  if (Status status = check_options(options); !status.is_ok()) return status;
  const int socket =
      ForkSafeSockets::make([family] { return ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); });
  if (socket < 0) return system_status(tried, errno);
  if (Status status = set_early_options(socket, family, options, tried); !status.is_ok()) {
    ForkSafeSockets::close(socket);
    return status;
  }
  return socket;
}

Status set_connected_options(int socket, int family, const TransportOptions& options, std::string_view tried) {
  if (!is_ip(family)) return {};
  Status status;
  if (options.no_delay) status = set_number(socket, IPPROTO_TCP, TCP_NODELAY, 1, "no_delay", tried);
  const auto keepalive = static_cast<int>(options.tcp_keepalive.count());
  if (status.is_ok() && keepalive > 0) {
    status = set_number(socket, SOL_SOCKET, SO_KEEPALIVE, 1, "tcp_keepalive", tried);
    if (status.is_ok()) status = set_number(socket, IPPROTO_TCP, TCP_KEEPIDLE, keepalive, "tcp_keepalive", tried);
  }
  const auto user_timeout = static_cast<int>(options.tcp_user_timeout.count());
  if (status.is_ok() && user_timeout > 0) {
    status = set_number(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, user_timeout, "tcp_user_timeout", tried);
  }
  return status;
}

}  // namespace trunkline::net
