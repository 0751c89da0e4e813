// SPDX-License-Identifier: MIT
// What an outside project does first: hosts a service and calls it, with nothing but the installed package.
#include <trunkline/channel.h>
#include <trunkline/server.h>

#include <asio/awaitable.hpp>
#include <asio/co_spawn.hpp>
#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <asio/use_awaitable.hpp>
#include <asio/use_future.hpp>

#include <chrono>
#include <exception>
#include <iostream>
#include <string>

namespace {

using namespace std::chrono_literals;

std::string greet(const std::string& name, trunkline::ServerContext&) { return "hello, " + name; }

// Awaits a timer of the program's own on the server's loop: both must agree how Asio keeps its handlers.
asio::awaitable<std::string> greet_slowly(const std::string& name, trunkline::ServerContext& context) {
  asio::steady_timer timer(context.executor(), 1ms);
  co_await timer.async_wait(asio::use_awaitable);
  co_return "at last, " + name;
}

asio::awaitable<trunkline::Status> greet_later(trunkline::Channel& channel) {
  const std::string name = "later";
  auto reply = co_await channel.async_call<std::string>("consumer/Greet", name, {.timeout = 10s}, asio::use_awaitable);
  co_return reply.status();
}

// On the library's executor and on one of the program's own Asio.
bool await_calls(trunkline::Channel& channel) {
  const auto on_theirs = asio::co_spawn(channel.executor(), greet_later(channel), asio::use_future).get();
  asio::io_context context;
  auto on_ours = asio::co_spawn(context, greet_later(channel), asio::use_future);
  context.run();
  return on_theirs.is_ok() && on_ours.get().is_ok();
}

bool call_over(const trunkline::Endpoint& endpoint) {
  trunkline::Channel channel(endpoint.to_string());
  const auto reply = channel.call<std::string>("consumer/Greet", std::string("world"), {.timeout = 10s});
  const auto slow = channel.call<std::string>("consumer/GreetSlowly", std::string("world"), {.timeout = 10s});
  const auto unknown = channel.call<std::string>("consumer/Missing", std::string(), {.timeout = 10s});
  std::cout << "consumer: " << endpoint.to_string() << ": " << (reply ? *reply : reply.status().to_string()) << "\n";
  return reply && *reply == "hello, world" && slow && *slow == "at last, world" &&
         unknown.status().code() == trunkline::StatusCode::unimplemented && await_calls(channel);
}

}  // namespace

int main() {
  try {
    trunkline::Server server;
    server.handle<std::string, std::string>("consumer/Greet", greet);
    server.handle<std::string, std::string>("consumer/GreetSlowly", greet_slowly);
    const auto tcp = server.listen("tcp://127.0.0.1:0");
    const auto memory = server.listen("inproc://consumer");
    if (const auto started = server.start(); !started) throw trunkline::StatusError(started);
    const bool answered = call_over(tcp) && call_over(memory);
    return server.shutdown(10s).is_ok() && answered ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "consumer: " << error.what() << "\n";
    return 1;
  }
}
