// SPDX-License-Identifier: MIT
// A server of the fleet. It counts each call in a file that survives its death, before it does anything else.
// Usage: fleet_server NUMBER RECORD CLIENTS HOST:PORT [ETCD_URI]    (SIGTERM drains it)
#include "call_record.h"

#include <trunkline/event_loop.h>
#include <trunkline/server.h>

#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <span>

namespace trunkline::fleet {
namespace {

asio::awaitable<Status> work(const SharedFile& ran, std::uint64_t server, const std::string& text,
                             std::string& response) {
  const std::optional<Request> request = Request::from(text);
  if (!request || request->number >= ran.bytes().size()) {
    co_return Status(StatusCode::data_loss, "the request is not what was sent");
  }
  ++ran.bytes()[request->number];
  asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::milliseconds(request->work_ms));
  co_await timer.async_wait(asio::use_awaitable);
  const Response answer{.number = request->number, .server = server};
  response.assign(reinterpret_cast<const char*>(&answer), sizeof answer);
  co_return Status();
}

int serve(std::span<char*> arguments) {
  const std::uint64_t number = std::strtoull(arguments[0], nullptr, 10);
  const SharedFile ran(arguments[1], std::strtoull(arguments[2], nullptr, 10) * calls_per_client);
  EventLoop loop;
  Server server(loop);
  server.handle<std::string, std::string>(method_name,
                                          [&](const std::string& request, std::string& response, ServerContext&) {
                                            return work(ran, number, request, response);
                                          });
  const std::string address = arguments[3];
  server.listen("tcp://" + address);
  if (arguments.size() == 5) {
    for (const std::string scheme : {"tcp", "grpc"}) {
      server.announce(arguments[4] + ("/" + scheme), {.advertise = {scheme + "://" + address}});
    }
  }
  if (Status started = server.start(); !started) throw StatusError(started);
  bool is_drained = false;
  asio::signal_set signals(loop.executor(), SIGTERM);
  signals.async_wait([&](const asio::error_code& error, int) {
    if (error) return;
    server.async_shutdown(std::chrono::seconds(10), [&](const Status& status) {
      is_drained = status.is_ok();
      if (!is_drained) std::cerr << "fleet_server: drain: " << status.to_string() << std::endl;
      loop.stop();
    });
  });
  std::cout << "listening" << std::endl;
  loop.run();
  return is_drained ? 0 : 1;
}

}  // namespace
}  // namespace trunkline::fleet

int main(int count, char** values) {
  if (count != 5 && count != 6) {
    std::cerr << "usage: fleet_server NUMBER RECORD CLIENTS HOST:PORT [ETCD_URI]\n";
    return 2;
  }
  try {
    return trunkline::fleet::serve(std::span(values + 1, static_cast<std::size_t>(count - 1)));
  } catch (const std::exception& error) {
    std::cerr << "fleet_server: " << error.what() << "\n";
    return 1;
  }
}
