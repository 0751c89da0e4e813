// SPDX-License-Identifier: MIT
// ProxyRelay: stands between a channel and a server as a proxy does, and sends a header ahead of the channel's bytes.
#pragma once

#include <trunkline/endpoint.h>

#include <asio/connect.hpp>
#include <asio/io_context.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/write.hpp>

#include <array>
#include <string>
#include <string_view>
#include <thread>

namespace trunkline::scenario {

/// Relays one connection.
class ProxyRelay {
 public:
  /// `header` goes out in writes of `step` bytes.
  ProxyRelay(const Endpoint& server, std::string header, std::size_t step) : header_(std::move(header)), step_(step) {
    server_ = {asio::ip::make_address(server.host()), server.port()};
    thread_ = std::thread([this] { relay(); });
  }
  ~ProxyRelay() {
    asio::error_code ignored;
    // Wakes an accept() that nobody has come to.
    asio::ip::tcp::socket waker(context_);
    waker.connect(acceptor_.local_endpoint(), ignored);
    thread_.join();
  }
  ProxyRelay(const ProxyRelay&) = delete;
  ProxyRelay& operator=(const ProxyRelay&) = delete;

  std::string address() const { return "127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()); }

 private:
  using Socket = asio::ip::tcp::socket;

  void relay() {
    asio::error_code error;
    Socket client(context_);
    acceptor_.accept(client, error);
    Socket server(context_);
    server.connect(server_, error);
    server.set_option(asio::ip::tcp::no_delay(true), error);
    for (std::string_view rest = header_; !error && !rest.empty(); rest.remove_prefix(std::min(step_, rest.size()))) {
      asio::write(server, asio::buffer(rest.substr(0, step_)), error);
    }
    std::thread back([&] { copy(server, client); });
    copy(client, server);
    back.join();
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

  const std::string header_;
  const std::size_t step_;
  asio::ip::tcp::endpoint server_;
  asio::io_context context_;
  asio::ip::tcp::acceptor acceptor_{context_, {asio::ip::make_address("127.0.0.1"), 0}};
  std::thread thread_;
};

}  // namespace trunkline::scenario
