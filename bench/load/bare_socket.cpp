// SPDX-License-Identifier: MIT
// bare_socket: the limit of the machine. Moves the bytes of our frames with the same window by plain epoll, without
// RPC. Only names, opening and options of sockets come from the library, so that both use the same options.
#include "bare_modes.h"

#include <cstdio>

int main(int count, char** arguments) {
  const auto options = trunkline::bench::parse_load_options("", count, arguments);
  if (!options) return 2;
  const auto endpoint = trunkline::Endpoint::parse(options->endpoint);
  if (!endpoint) return std::fprintf(stderr, "bare_socket: %s\n", endpoint.status().to_string().c_str()), 2;
  if (endpoint->scheme() != trunkline::Scheme::tcp && endpoint->scheme() != trunkline::Scheme::unix_socket) {
    return std::fprintf(stderr, "bare_socket: %s is neither tcp nor unix\n", options->endpoint.c_str()), 2;
  }
  if (options->bytes == 0) return std::fputs("bare_socket: --bytes 0: a frame has at least one\n", stderr), 2;
  const trunkline::TransportOptions transport{.congestion_control = options->congestion};
  return options->is_server() ? trunkline::bench::serve_bare(*options, *endpoint, transport)
                              : trunkline::bench::run_bare_client(*options, *endpoint, transport);
}
