// SPDX-License-Identifier: MIT
// Serves until a signal arrives, calls, or does both.
#include "two_sides.h"

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>

namespace example {

namespace {

bool serve_until_signal(trunkline::Server& server, const std::string& endpoint) {
  // The signals are blocked here and in every thread that the server starts, so that sigwait() below gets them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  std::cout << "listening on " << server.listen(endpoint).to_string() << std::endl;
  if (trunkline::Status started = server.start(); !started) throw trunkline::StatusError(started);
  int signal = 0;
  sigwait(&signals, &signal);
  const trunkline::Status drained = server.shutdown(std::chrono::seconds(5));
  std::cout << "stopped: " << drained.to_string() << std::endl;
  return drained.is_ok();
}

bool serve_and_call(trunkline::Server& server, const std::string& endpoint,
                    const std::function<bool(const std::string&)>& call) {
  const trunkline::Endpoint chosen = server.listen(endpoint);
  if (trunkline::Status started = server.start(); !started) throw trunkline::StatusError(started);
  const bool right = call(chosen.to_string());
  return server.shutdown(std::chrono::seconds(5)).is_ok() && right;
}

}  // namespace

int run_sides(const std::vector<std::string>& arguments, trunkline::Server& server, const std::string& endpoint,
              const std::function<bool(const std::string& endpoint)>& call) {
  try {
    if (arguments.empty()) return serve_and_call(server, endpoint, call) ? 0 : 1;
    if (arguments.size() == 2 && arguments[0] == "serve") return serve_until_signal(server, arguments[1]) ? 0 : 1;
    if (arguments.size() == 2 && arguments[0] == "call") return call(arguments[1]) ? 0 : 1;
    std::cerr << "what is to be done: 'serve ENDPOINT', 'call ENDPOINT', or nothing for both in one process\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}

}  // namespace example
