// SPDX-License-Identifier: MIT
// Hosts gRPC's test service until SIGTERM.
// Usage: grpc_testing_server ENDPOINT [CERTIFICATE KEY]
#include "testing_service.h"

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <utility>

namespace trunkline::conformance {

namespace {

int serve(const char* endpoint, ServerOptions options) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  TestingService service;
  Server server(std::move(options));
  server.add_service<testing::TestService>(service);
  std::cout << "listening on " << server.listen(endpoint).to_string() << std::endl;
  if (Status started = server.start(); !started) throw StatusError(started);
  int signal = 0;
  sigwait(&signals, &signal);
  const Status drained = server.shutdown(std::chrono::seconds(5));
  std::cout << "stopped: " << drained.to_string() << std::endl;
  return drained ? 0 : 1;
}

}  // namespace

}  // namespace trunkline::conformance

int main(int argc, char** argv) {
  if (argc != 2 && argc != 4) {
    std::cerr << "usage: " << argv[0] << " ENDPOINT [CERTIFICATE KEY]\n";
    return 2;
  }
  try {
    trunkline::ServerOptions options;
    if (argc == 4) {
      options.tls.certificate_file = argv[2];
      options.tls.private_key_file = argv[3];
    }
    return trunkline::conformance::serve(argv[1], std::move(options));
  } catch (const std::exception& error) {
    std::cerr << "grpc_testing_server: " << error.what() << "\n";
    return 1;
  }
}
