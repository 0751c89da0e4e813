// SPDX-License-Identifier: MIT
// bare_http: the limit of a server of gRPC, Connect or JSON over HTTP/1.1 on this machine. A plain epoll loop that
// parses just enough of HTTP to respond: over HTTP/2 with the first message of the connection, over HTTP/1.1 with a
// constant. Opening and options of sockets come from the library.
#include "bare_http1_connection.h"
#include "bare_http2_connection.h"
#include "load_options.h"
#include "net/listening_socket.h"
#include "net/socket_options.h"

#include <trunkline/endpoint.h>
#include <trunkline/transport_options.h>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace trunkline::bench {
namespace {

enum class Protocol : std::uint8_t { grpc, connect, http1 };

std::optional<Protocol> protocol_of(std::string_view name) {
  if (name == "grpc") return Protocol::grpc;
  if (name == "connect") return Protocol::connect;
  return name == "http1" ? std::optional(Protocol::http1) : std::nullopt;
}

class BareHttpServer {
 public:
  explicit BareHttpServer(Protocol protocol) : protocol_(protocol), epoll_(epoll_create1(EPOLL_CLOEXEC)) {}
  ~BareHttpServer() { close(epoll_), close(listener_); }
  BareHttpServer(const BareHttpServer&) = delete;
  BareHttpServer& operator=(const BareHttpServer&) = delete;

  bool listen_and_say(const Endpoint& endpoint);
  [[noreturn]] void run();

 private:
  void accept_one();
  void turn(BareHttpConnection& connection);
  void watch(int operation, int socket, std::uint32_t events) const;

  Protocol protocol_;
  TransportOptions transport_;
  int epoll_;
  int listener_ = -1;
  std::unordered_map<int, std::unique_ptr<BareHttpConnection>> connections_;
};

bool BareHttpServer::listen_and_say(const Endpoint& endpoint) {
  auto opened = net::ListeningSocket::open(endpoint, transport_);
  if (!opened) {
    std::fprintf(stderr, "bare_http: %s\n", opened.status().to_string().c_str());
    return false;
  }
  listener_ = opened->socket().release();
  std::printf("listening on %s\n", opened->endpoint().to_string().c_str());
  std::fflush(stdout);
  watch(EPOLL_CTL_ADD, listener_, EPOLLIN);
  return true;
}

void BareHttpServer::watch(int operation, int socket, std::uint32_t events) const {
  epoll_event event{};
  event.events = events;
  event.data.fd = socket;
  epoll_ctl(epoll_, operation, socket, &event);
}

void BareHttpServer::accept_one() {
  const int accepted = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (accepted < 0) return;
  if (!net::set_connected_options(accepted, AF_INET, transport_, "accept")) {
    close(accepted);
    return;
  }
  std::unique_ptr<BareHttpConnection> connection;
  if (protocol_ == Protocol::http1) {
    connection = std::make_unique<BareHttp1Connection>(accepted);
  } else {
    using Form = BareHttp2Connection::Protocol;
    const Form form = protocol_ == Protocol::grpc ? Form::grpc : Form::connect;
    connection = std::make_unique<BareHttp2Connection>(accepted, form);
  }
  connections_.emplace(accepted, std::move(connection));
  watch(EPOLL_CTL_ADD, accepted, EPOLLIN);
}

void BareHttpServer::turn(BareHttpConnection& connection) {
  const bool waited = connection.has_unwritten();
  if (!connection.read_requests() || !connection.write_responses()) {
    connections_.erase(connection.socket());
  } else if (connection.has_unwritten() != waited) {
    watch(EPOLL_CTL_MOD, connection.socket(), waited ? EPOLLIN : EPOLLIN | EPOLLOUT);
  }
}

void BareHttpServer::run() {
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
  const auto protocol = trunkline::bench::protocol_of(count > 1 ? arguments[1] : "");
  if (!protocol) return std::fprintf(stderr, "usage: bare_http grpc|connect|http1 --endpoint URI\n"), 2;
  arguments[1] = arguments[0];
  const auto options = trunkline::bench::parse_load_options("serve", count - 1, arguments + 1);
  if (!options) return 2;
  const auto endpoint = trunkline::Endpoint::parse(options->endpoint);
  if (!endpoint) return std::fprintf(stderr, "bare_http: %s\n", endpoint.status().to_string().c_str()), 2;
  if (endpoint->scheme() != trunkline::Scheme::tcp) {
    return std::fprintf(stderr, "bare_http: %s is not tcp\n", options->endpoint.c_str()), 2;
  }
  trunkline::bench::BareHttpServer server(*protocol);
  if (!server.listen_and_say(*endpoint)) return 1;
  server.run();
}
