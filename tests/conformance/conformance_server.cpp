// SPDX-License-Identifier: MIT
// The server that connectconformance starts: reads what is wanted from standard input, writes where it listens to
// standard output, and serves the conformance service until SIGTERM.
#include "conformance_service.h"
#include "delimited.h"

#include <connectrpc/conformance/v1/server_compat.pb.h>

#include <chrono>
#include <csignal>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <utility>

namespace trunkline::conformance {

namespace {

ServerOptions options_of(const v1::ServerCompatRequest& wanted) {
  ServerOptions options;
  // Small responses are to be compressed too, and requests that consist of zeros are sent by zstd in a 3,000th of their
  // size.
  options.compression_threshold = 0;
  options.limits.max_decompression_ratio = 1 << 16;
  if (wanted.message_receive_limit() > 0) options.limits.max_message_bytes = wanted.message_receive_limit();
  if (!wanted.use_tls()) return options;
  options.tls.certificate_pem = wanted.server_creds().cert();
  options.tls.private_key_pem = wanted.server_creds().key();
  if (!wanted.client_tls_cert().empty()) {
    options.tls.ca_pem = wanted.client_tls_cert();
    options.tls.client_certificate = ClientCertificate::required;
  }
  return options;
}

int serve() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  v1::ServerCompatRequest wanted;
  if (!read_message(std::cin, wanted)) throw std::runtime_error("no request came");
  ConformanceService service;
  Server server(options_of(wanted));
  server.add_service<v1::ConformanceService>(service);
  const Endpoint endpoint = server.listen(wanted.use_tls() ? "tls://127.0.0.1:0" : "tcp://127.0.0.1:0");
  if (Status started = server.start(); !started) throw StatusError(started);
  v1::ServerCompatResponse response;
  response.set_host("127.0.0.1");
  response.set_port(endpoint.port());
  if (wanted.use_tls()) response.set_pem_cert(wanted.server_creds().cert());
  write_message(std::cout, response);
  int signal = 0;
  sigwait(&signals, &signal);
  const Status drained = server.shutdown(std::chrono::seconds(5));
  if (!drained) std::cerr << "conformance_server: " << drained.to_string() << "\n";
  return drained ? 0 : 1;
}

}  // namespace

}  // namespace trunkline::conformance

int main() {
  try {
    return trunkline::conformance::serve();
  } catch (const std::exception& error) {
    std::cerr << "conformance_server: " << error.what() << "\n";
    return 1;
  }
}
