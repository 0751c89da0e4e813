// SPDX-License-Identifier: MIT
// CuttingRelay: stands between channels and a server, and ends connections towards the channels on demand.
#pragma once

#include <trunkline/endpoint.h>

#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/write.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace trunkline::scenario {

/// Relays any number of connections. What a channel sends on a connection after its end is lost.
class CuttingRelay {
 public:
  explicit CuttingRelay(const Endpoint& server) : server_(asio::ip::make_address(server.host()), server.port()) {
    thread_ = std::thread([this] { accept_all(); });
  }
  ~CuttingRelay() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    asio::error_code ignored;
    Socket waker(context_);
    waker.connect(acceptor_.local_endpoint(), ignored);
    thread_.join();
    for (Pair& pair : pairs_) {
      pair.client.shutdown(Socket::shutdown_both, ignored);
      pair.server.shutdown(Socket::shutdown_both, ignored);
      pair.there.join();
      pair.back.join();
    }
  }
  CuttingRelay(const CuttingRelay&) = delete;
  CuttingRelay& operator=(const CuttingRelay&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()); }
  std::size_t connections() {
    const std::lock_guard lock(mutex_);
    return pairs_.size();
  }
  /// Ends all connections towards the channels, as a server does that closes them while they are idle. When it returns,
  /// the system of the channels has the ends, and the connections have been idle for longer than channels overlook.
  void cut() {
    const std::lock_guard lock(mutex_);
    for (Pair& pair : pairs_) {
      asio::error_code ignored;
      pair.server.shutdown(Socket::shutdown_both, ignored);
      pair.client.shutdown(Socket::shutdown_send, ignored);
      while (!is_end_acknowledged(pair.client.native_handle())) std::this_thread::yield();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

 private:
  using Socket = asio::ip::tcp::socket;
  struct Pair {
    explicit Pair(asio::io_context& context) : client(context), server(context) {}
    Socket client;
    Socket server;
    std::thread there;
    std::thread back;
  };

  static bool is_end_acknowledged(int socket) {
    tcp_info info{};
    socklen_t size = sizeof(info);
    return ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) != 0 || info.tcpi_state != TCP_FIN_WAIT1;
  }

  void accept_all() {
    for (;;) {
      Socket client(context_);
      asio::error_code error;
      acceptor_.accept(client, error);
      const std::lock_guard lock(mutex_);
      if (is_over_ || error) return;
      Pair& pair = pairs_.emplace_back(context_);
      pair.client = std::move(client);
      pair.server.connect(server_, error);
      for (Socket* const socket : {&pair.client, &pair.server})
        socket->set_option(asio::ip::tcp::no_delay(true), error);
      pair.there = std::thread([&pair] { copy(pair.client, pair.server); });
      pair.back = std::thread([&pair] { copy(pair.server, pair.client); });
    }
  }
  static void copy(Socket& from, Socket& to) {
    std::array<char, 16384> bytes;
    asio::error_code error;
    while (!error) {
      const std::size_t size = from.read_some(asio::buffer(bytes), error);
      if (!error) asio::write(to, asio::buffer(bytes, size), error);
    }
    asio::error_code ignored;
    to.shutdown(Socket::shutdown_send, ignored);
  }

  const asio::ip::tcp::endpoint server_;
  asio::io_context context_;
  asio::ip::tcp::acceptor acceptor_{context_, {asio::ip::make_address("127.0.0.1"), 0}};
  std::thread thread_;
  /// Guards the members below.
  std::mutex mutex_;
  std::list<Pair> pairs_;
  bool is_over_ = false;
};

}  // namespace trunkline::scenario
