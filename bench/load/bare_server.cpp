// SPDX-License-Identifier: MIT
// bare_socket serve: responds to every frame with one of the same size, to all frames of a read in one write.
#include "bare_connection.h"
#include "bare_modes.h"
#include "net/listening_socket.h"
#include "net/socket_options.h"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <unordered_map>

namespace trunkline::bench {
namespace {

class BareServer {
 public:
  BareServer(const LoadOptions& options, const TransportOptions& transport)
      : options_(options), transport_(transport), epoll_(epoll_create1(EPOLL_CLOEXEC)) {}
  ~BareServer() { close(epoll_), close(listener_); }
  BareServer(const BareServer&) = delete;
  BareServer& operator=(const BareServer&) = delete;

  bool listen_and_say(const Endpoint& endpoint);
  [[noreturn]] void run();

 private:
  void accept_one();
  void turn(BareConnection& connection);
  void spin();
  void watch(int operation, int socket, std::uint32_t events);

  LoadOptions options_;
  TransportOptions transport_;
  int epoll_;
  int listener_ = -1;
  int family_ = AF_UNSPEC;
  std::unordered_map<int, std::unique_ptr<BareConnection>> connections_;
};

bool BareServer::listen_and_say(const Endpoint& endpoint) {
  auto opened = net::ListeningSocket::open(endpoint, transport_);
  if (!opened) {
    std::fprintf(stderr, "bare_socket: %s\n", opened.status().to_string().c_str());
    return false;
  }
  listener_ = opened->socket().release();
  family_ = endpoint.scheme() == Scheme::tcp ? AF_INET : AF_UNIX;
  std::printf("listening on %s\n", opened->endpoint().to_string().c_str());
  std::fflush(stdout);
  watch(EPOLL_CTL_ADD, listener_, EPOLLIN);
  return true;
}

void BareServer::watch(int operation, int socket, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = socket;
  epoll_ctl(epoll_, operation, socket, &event);
}

void BareServer::accept_one() {
  const int accepted = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (accepted < 0) return;
  if (!net::set_connected_options(accepted, family_, transport_, "accept")) {
    close(accepted);
    return;
  }
  connections_.emplace(accepted, std::make_unique<BareConnection>(accepted, options_.bytes));
  watch(EPOLL_CTL_ADD, accepted, EPOLLIN);
}

void BareServer::turn(BareConnection& connection) {
  const bool waited = connection.has_unwritten();
  const long frames = connection.read_frames();
  if (frames < 0 || ((frames > 0 || waited) && !connection.write_frames(static_cast<std::uint64_t>(frames)))) {
    connections_.erase(connection.socket());
    return;
  }
  if (connection.has_unwritten() != waited) {
    watch(EPOLL_CTL_MOD, connection.socket(), waited ? EPOLLIN : EPOLLIN | EPOLLOUT);
  }
}

// Reads without epoll first, which needs the fewest system calls while bytes keep coming.
void BareServer::spin() {
  for (auto next = connections_.begin(); next != connections_.end();) turn(*(next++)->second);
}

void BareServer::run() {
  std::array<epoll_event, 64> events;
  for (;;) {
    if (options_.busy_poll && !connections_.empty()) {
      for (int round = 0; round < 1000; ++round) spin();
    }
    const int ready = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), options_.busy_poll ? 0 : -1);
    for (int index = 0; index < ready; ++index) {
      const int socket = events[static_cast<std::size_t>(index)].data.fd;
      if (socket == listener_) {
        accept_one();
      } else if (const auto found = connections_.find(socket); found != connections_.end()) {
        turn(*found->second);
      }
    }
  }
}

}  // namespace

int serve_bare(const LoadOptions& options, const Endpoint& endpoint, const TransportOptions& transport) {
  BareServer server(options, transport);
  if (!server.listen_and_say(endpoint)) return 1;
  server.run();
}

}  // namespace trunkline::bench
