// SPDX-License-Identifier: MIT
// Hosts the services of examples 01 to 05 on the endpoints given, until SIGINT or SIGTERM; then drains.
// Usage: example_server ENDPOINT...
#include "01_echo/echo.h"
#include "02_arith/arith.h"
#include "03_word_count/word_count.h"
#include "04_countdown/countdown.h"
#include "05_chat/chat.h"
#include "server_certificate.h"

#include <trunkline/health.h>
#include <trunkline/reflection.h>
#include <trunkline/server.h>
#include <trunkline/statistics_service.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: " << argv[0] << " ENDPOINT...\n";
    return 2;
  }
  // The signals are blocked here and in every thread that the server starts, so that sigwait() below gets them.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  try {
    trunkline::ServerOptions options;
    options.tls = example::server_certificate();
    trunkline::Server server(options);
    example::add_echo(server);
    example::add_arith(server);
    example::add_word_count(server);
    example::add_countdown(server);
    example::add_chat(server);
    const auto health = trunkline::add_health(server);
    trunkline::add_reflection(server);
    trunkline::add_statistics(server);
    for (int i = 1; i < argc; ++i) std::cout << "listening on " << server.listen(argv[i]).to_string() << std::endl;
    if (trunkline::Status started = server.start(); !started) throw trunkline::StatusError(started);
    int signal = 0;
    sigwait(&signals, &signal);
    const trunkline::Status drained = server.shutdown(std::chrono::seconds(5));
    std::cout << "stopped: " << drained.to_string() << std::endl;
    return drained ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << "example_server: " << error.what() << "\n";
    return 1;
  }
}
