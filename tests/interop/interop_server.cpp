// SPDX-License-Identifier: MIT
// Hosts the conformance service until SIGTERM, then drains.
// Usage: interop_server ENDPOINT...
#include "certificates.h"
#include "service.h"

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <span>

namespace trunkline::interop {

namespace {

ServerOptions options_with(const std::shared_ptr<CountingCompressor>& compressor) {
  ServerOptions options;
  options.limits.max_message_bytes = max_message_bytes;
  // Handlers wait for each other, so each needs a thread.
  options.worker_threads = 16;
  options.compressors.add(compressor);
  options.tls = server_tls();
  return options;
}

void add_compressions(Server& server, const std::shared_ptr<CountingCompressor>& compressor) {
  server.handle<Empty, Value>("interop.Test/Compressions", [compressor](const Empty&, ServerContext&) {
    return Value::array({compressor->compressed.load(), compressor->decompressed.load()});
  });
}

int serve(std::span<char*> endpoints) {
  // The signal is blocked here and in every thread that the server starts, so that sigwait() below gets it.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  EventBoard board;
  const auto compressor = CountingCompressor::of_snappy();
  Server server(options_with(compressor));
  add_compressions(server, compressor);
  add_echo_methods(server);
  add_failing_methods(server);
  add_stream_methods(server, board);
  add_waiting_methods(server, board);
  for (const char* endpoint : endpoints)
    std::cout << "listening on " << server.listen(endpoint).to_string() << std::endl;
  if (Status started = server.start(); !started) throw StatusError(started);
  int signal = 0;
  sigwait(&signals, &signal);
  const Status drained = server.shutdown(std::chrono::seconds(20));
  std::cout << "stopped: " << drained.to_string() << std::endl;
  return drained ? 0 : 1;
}

}  // namespace

}  // namespace trunkline::interop

int main(int argc, char** argv) {
  if (argc < 2) {
    std::cerr << "usage: " << argv[0] << " ENDPOINT...\n";
    return 2;
  }
  try {
    return trunkline::interop::serve({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::cerr << "interop_server: " << error.what() << "\n";
    return 1;
  }
}
