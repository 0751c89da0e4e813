// SPDX-License-Identifier: MIT
// bare_grpc: the limit of a gRPC server on this machine. A plain epoll loop that parses just enough of HTTP/2 to
// respond to every request with the first message of its connection. Opening and options of sockets come from the
// library.
#include "bare_grpc_connection.h"
#include "load_options.h"
#include "net/listening_socket.h"
#include "net/socket_options.h"

#include <trunkline/endpoint.h>
#include <trunkline/transport_options.h>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <memory>
#include <unordered_map>

namespace trunkline::bench {
namespace {

class BareGrpcServer {
 public:
  BareGrpcServer() : epoll_(epoll_create1(EPOLL_CLOEXEC)) {}
  ~BareGrpcServer() { close(epoll_), close(listener_); }
  BareGrpcServer(const BareGrpcServer&) = delete;
  BareGrpcServer& operator=(const BareGrpcServer&) = delete;

  bool listen_and_say(const Endpoint& endpoint);
  [[noreturn]] void run();

 private:
  void accept_one();
  void turn(BareGrpcConnection& connection);
  void watch(int operation, int socket, std::uint32_t events) const;

  TransportOptions transport_;
  int epoll_;
  int listener_ = -1;
  std::unordered_map<int, std::unique_ptr<BareGrpcConnection>> connections_;
};

bool BareGrpcServer::listen_and_say(const Endpoint& endpoint) {
  auto opened = net::ListeningSocket::open(endpoint, transport_);
  if (!opened) {
    std::fprintf(stderr, "bare_grpc: %s\n", opened.status().to_string().c_str());
    return false;
  }
  listener_ = opened->socket().release();
  std::printf("listening on %s\n", opened->endpoint().to_string().c_str());
  std::fflush(stdout);
  watch(EPOLL_CTL_ADD, listener_, EPOLLIN);
  return true;
}

void BareGrpcServer::watch(int operation, int socket, std::uint32_t events) const {
  epoll_event event{};
  event.events = events;
  event.data.fd = socket;
  epoll_ctl(epoll_, operation, socket, &event);
}

void BareGrpcServer::accept_one() {
  const int accepted = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (accepted < 0) return;
  if (!net::set_connected_options(accepted, AF_INET, transport_, "accept")) {
    close(accepted);
    return;
  }
  connections_.emplace(accepted, std::make_unique<BareGrpcConnection>(accepted));
  watch(EPOLL_CTL_ADD, accepted, EPOLLIN);
}

void BareGrpcServer::turn(BareGrpcConnection& connection) {
  const bool waited = connection.has_unwritten();
  if (!connection.read_requests() || !connection.write_responses()) {
    connections_.erase(connection.socket());
  } else if (connection.has_unwritten() != waited) {
    watch(EPOLL_CTL_MOD, connection.socket(), waited ? EPOLLIN : EPOLLIN | EPOLLOUT);
  }
}

void BareGrpcServer::run() {
  std::array<epoll_event, 64> events;
  for (;;) {
    const int ready = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
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
}  // namespace trunkline::bench

int main(int count, char** arguments) {
  const auto options = trunkline::bench::parse_load_options("serve", count, arguments);
  if (!options) return 2;
  const auto endpoint = trunkline::Endpoint::parse(options->endpoint);
  if (!endpoint) return std::fprintf(stderr, "bare_grpc: %s\n", endpoint.status().to_string().c_str()), 2;
  if (endpoint->scheme() != trunkline::Scheme::tcp) {
    return std::fprintf(stderr, "bare_grpc: %s is not tcp\n", options->endpoint.c_str()), 2;
  }
  trunkline::bench::BareGrpcServer server;
  if (!server.listen_and_say(*endpoint)) return 1;
  server.run();
}
