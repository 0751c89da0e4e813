// SPDX-License-Identifier: MIT
// Hosts what js/tests/kit/console_service.py hosts: a shop, whose console the tests in Chromium use. Prints its
// endpoint; stops when its input ends. Usage: console_server [TOKEN]
#include "shop_keeper.h"
#include "shop_load.h"

#include <trunkline/plain.h>

#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <limits>
#include <memory>
#include <random>
#include <string>

namespace trunkline::interop {

namespace {

/// Takes its time: 100 to 400 ms.
asio::awaitable<std::string> report(const std::string& kind, ServerContext& context, std::mt19937& random) {
  asio::steady_timer timer(context.executor(), std::chrono::milliseconds(100 + random() % 300));
  co_await timer.async_wait(asio::use_awaitable);
  co_return kind;
}

void add_methods(Server& server, std::mt19937& random) {
  server.add_service(std::make_shared<ShopKeeper>());
  server.handle<std::string, std::string>("Greet",
                                          [](const std::string& name, ServerContext&) { return "hello, " + name; },
                                          {.description = "Greets whoever is named."});
  server.handle<std::string, std::string>(
      "Report", [&random](const std::string& kind, ServerContext& context) { return report(kind, context, random); },
      {.description = "Makes a report, which takes its time."});
}

int serve(const std::string& token) {
  ShopLoad load;
  std::string endpoint;
  // Used on the loop alone.
  std::mt19937 random;
  Server server;
  add_methods(server, random);
  server.handle<double, std::string>("Load",
                                     [&](double seconds, ServerContext&) {
                                       load.begin(endpoint, std::chrono::duration<double>(seconds));
                                       return std::string("begun");
                                     },
                                     {.description = "Makes calls of its own for a while."});
  server.add_console({.token = token});
  endpoint = server.listen("tcp://127.0.0.1:0").to_string();
  if (Status started = server.start(); !started) throw StatusError(started);
  std::cout << endpoint << std::endl;
  std::cin.ignore(std::numeric_limits<std::streamsize>::max());
  const Status drained = server.shutdown(std::chrono::seconds(20));
  if (!drained) std::cerr << "console_server: " << drained.to_string() << "\n";
  return drained ? 0 : 1;
}

}  // namespace

}  // namespace trunkline::interop

int main(int argc, char** argv) {
  if (argc > 2) {
    std::cerr << "usage: " << argv[0] << " [TOKEN]\n";
    return 2;
  }
  try {
    return trunkline::interop::serve(argc == 2 ? argv[1] : "");
  } catch (const std::exception& error) {
    std::cerr << "console_server: " << error.what() << "\n";
    return 1;
  }
}
